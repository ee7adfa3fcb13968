"""What a Bash asks for."""

from __future__ import annotations

from pydantic import Field

from tui_agent.tools.base import ToolInput

__all__ = ["BashInput"]


class BashInput(ToolInput):
    """A command, how long it may take, and where and with what it runs."""

    command: str = Field(description="The command, as bash reads it.")
    timeout: int | None = Field(
        None,
        ge=1,
        description="Milliseconds after which it is stopped; 120000 when left out, at most 600000. In the background 1800000 "
        "and 7200000.",
    )
    description: str | None = Field(
        None, description="What the command does, in five to ten words, for the user who is asked for permission."
    )
    run_in_background: bool = Field(
        False,
        description="Return at once with a job's id and the file that all output goes to; for servers, watchers, long builds.",
    )
    cwd: str | None = Field(
        None, description="The folder to run this one command in; it must lie in the workspace. The shell's own stays."
    )
    env: dict[str, str] | None = Field(
        None,
        description="Variables for this one command. They count as if they stood before the command: `NAME=value …`.",
    )
    dangerouslyDisableSandbox: bool = Field(  # noqa: N815 - the name that models know
        False,
        description="Run outside of the sandbox. Only after the command has failed because of the sandbox: the user is asked "
        "then, unless a rule allows it. It changes nothing where the user's settings do not let commands leave.",
    )
