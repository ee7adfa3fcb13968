"""Which sandbox there is, and what that means with these settings: for decisions, for the status line, for the user."""

from __future__ import annotations

from collections.abc import Callable

from tui_agent.permissions.path_context import SandboxTerms
from tui_agent.sandbox.find import find_sandbox
from tui_agent.sandbox.limits import Sandbox
from tui_agent.settings.schema import SandboxValues

__all__ = ["no_sandbox", "sandbox_label", "sandbox_notices", "sandbox_terms"]


def sandbox_terms(values: SandboxValues, find: Callable[[], Sandbox | None] = find_sandbox) -> SandboxTerms:
    """Return what settings and machine mean for decisions. The first call may take some tens of milliseconds.

    Commands that may write are let through without asking only by a sandbox that keeps them off what other programs obey.
    """
    sandbox = find()
    return SandboxTerms(
        is_there=sandbox is not None,
        holds_inside=sandbox is not None and sandbox.holds_inside,
        holds_sockets=sandbox is not None and sandbox.holds_sockets,
        read_only_without=values.read_only_without,
        is_enabled=values.enabled and sandbox is not None,
        auto_allow=values.auto_allow_bash_if_sandboxed and sandbox is not None and sandbox.holds_inside,
        may_leave=values.allow_unsandboxed_commands,
        excluded=values.excluded_commands,
    )


def sandbox_label(values: SandboxValues, find: Callable[[], Sandbox | None] = find_sandbox) -> str:
    """Return which sandbox there is, as `SessionStarted` tells it: `bubblewrap`, `bubblewrap, on`, `none`."""
    sandbox = find()
    return "none" if sandbox is None else sandbox.name + (", on" if values.enabled else "")


def sandbox_notices(values: SandboxValues, find: Callable[[], Sandbox | None] = find_sandbox) -> tuple[str, ...]:
    """Return what a user must know when a session begins that was to have a sandbox and has none."""
    if not values.enabled or find() is not None:
        return ()
    then = "no command will run" if values.fail_if_unavailable else "commands run with your own rights and ask as usual"
    return (f"The sandbox is enabled, but {no_sandbox()}: {then}.",)


def no_sandbox() -> str:
    """Return that there is no sandbox, and what to do about it, as a clause."""
    return "no sandbox works on this machine (on Linux, install bubblewrap or use a kernel with Landlock)"
