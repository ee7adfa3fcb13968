"""What the model may say to Agent."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from tui_agent.tools.base import ToolInput, gated

__all__ = ["MOST_STEPS", "AgentInput", "Step"]

MOST_STEPS: Final = 50


class Step(ToolInput):
    """One tool call of a list."""

    tool: str = Field(description="The tool's name.")
    input: dict[str, Any] = Field(default_factory=dict, description="Its input.")


class AgentInput(ToolInput):
    """A task, or steps."""

    description: str = Field("", description="What it is to do, in three to five words.", max_length=200)
    prompt: str = Field(
        "",
        description="The whole task. The agent sees nothing of this conversation: say all it needs, and what to answer with.",
    )
    subagent_type: str | None = Field(None, description="The type of agent; general-purpose when left out.")
    model: str | None = Field(
        None, description="A model for this agent: sonnet, opus, haiku, fable, or a full name. Usually left out."
    )
    run_in_background: bool | None = Field(
        None, description="Whether to go on without waiting for it; you are told its answer when it ends."
    )
    name: str | None = Field(None, description="A name to send it messages by.", max_length=60)
    isolation: Literal["worktree"] | None = Field(
        None,
        description="`worktree`: it works in a copy of the project's last commit; what it changes there is reviewed as one "
        "change before it is brought into the workspace.",
    )
    cwd: str | None = gated(
        None, "kairos", description="The folder that the agent works in: in the workspace; its own when left out."
    )
    steps: list[Step] | None = Field(
        None,
        description="In the place of a task: tool calls that you know already, run in this order until one fails.",
        max_length=MOST_STEPS,
    )
