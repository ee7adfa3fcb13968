"""The events that hooks may be written for: what their matchers are compared with, who may answer, and for how long.

Hooks for events that this program does not have yet are read and listed, so that nobody wonders where they went; they do
not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["EVENTS", "HookEvent", "HookType", "MatcherKind"]

HookType = Literal["command", "http", "prompt"]
# What a matcher is: names or an expression, names alone, or not looked at.
MatcherKind = Literal["expression", "names", "none"]

_ANY: Final[frozenset[HookType]] = frozenset({"command", "http", "prompt"})
_PLAIN: Final[frozenset[HookType]] = frozenset({"command", "http"})
_COMMAND: Final[frozenset[HookType]] = frozenset({"command"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """One event. `timeout_s` is for commands and requests that set none of their own.

    `is_about_tool`: its matcher is a tool's name, and `if` counts. `takes_text`: what a command prints that is no JSON goes to
    the model. `can_block`: exit code 2 stops something. `has_env_file`: a command may leave variables for later shell
    commands. `is_heard`: the event happens here.
    """

    words: str
    matcher: MatcherKind = "none"
    types: frozenset[HookType] = _PLAIN
    timeout_s: float = 600.0
    is_about_tool: bool = False
    takes_text: bool = False
    can_block: bool = False
    # whether a command or request that fails may be told to act as if it had blocked
    may_block_on_failure: bool = True
    has_env_file: bool = False
    is_heard: bool = True


def _tool(words: str, *, can_block: bool = True) -> HookEvent:
    return HookEvent(words=words, matcher="expression", types=_ANY, is_about_tool=True, can_block=can_block)


EVENTS: Final[dict[str, HookEvent]] = {
    "PreToolUse": _tool("before a tool call is judged"),
    "PermissionRequest": _tool("when a tool call has to be asked about", can_block=False),
    "PermissionDenied": _tool("when a call was denied as nobody may or can be asked", can_block=False),
    "PostToolUse": _tool("after a tool call"),
    "PostToolUseFailure": _tool("after a tool call that failed"),
    "PostToolBatch": HookEvent(words="after all tool calls of one reply", types=_ANY, can_block=True),
    "UserPromptSubmit": HookEvent(
        words="before a message goes to the model", types=_ANY, timeout_s=30, takes_text=True, can_block=True
    ),
    "UserPromptExpansion": HookEvent(
        words="when a command is expanded into a prompt",
        matcher="expression",
        types=_ANY,
        takes_text=True,
        can_block=True,
    ),
    "SessionStart": HookEvent(
        words="when a session begins", matcher="expression", types=_COMMAND, takes_text=True, has_env_file=True
    ),
    "SessionEnd": HookEvent(words="when a session ends", matcher="expression", timeout_s=1.5),
    "Stop": HookEvent(
        words="when the model has finished its answer", types=_ANY, can_block=True, may_block_on_failure=False
    ),
    "StopFailure": HookEvent(words="when a turn fails", matcher="names", may_block_on_failure=False),
    "Notification": HookEvent(words="when tui-agent waits for you", matcher="expression"),
    "ConfigChange": HookEvent(words="when a settings file has changed", matcher="expression", can_block=True),
    "CwdChanged": HookEvent(words="when the shell has moved to another folder", has_env_file=True),
    "InstructionsLoaded": HookEvent(words="when a memory file was read", matcher="expression"),
    "TaskCreated": HookEvent(words="when a task is put on the list", types=_ANY, can_block=True),
    "TaskCompleted": HookEvent(
        words="when a task is marked as done", types=_ANY, can_block=True, may_block_on_failure=False
    ),
    "SubagentStart": HookEvent(
        words="when a subagent begins", matcher="expression", types=_PLAIN, takes_text=True, may_block_on_failure=False
    ),
    "SubagentStop": HookEvent(
        words="when a subagent has finished",
        matcher="expression",
        types=_ANY,
        can_block=True,
        may_block_on_failure=False,
    ),
    **{
        name: HookEvent(words=words, matcher="expression", types=_ANY, is_heard=False)
        for name, words in {
            "Setup": "when a project is set up",
            "TeammateIdle": "when a teammate has nothing to do",
            "PreCompact": "before the conversation is summarised",
            "PostCompact": "after the conversation was summarised",
            "DirectoryAdded": "when a folder is added",
            "FileChanged": "when a watched file changes",
            "WorktreeCreate": "when a worktree is made",
            "WorktreeRemove": "when a worktree is removed",
            "Elicitation": "when a server asks for input",
            "ElicitationResult": "when a server has got its input",
            "MessageDisplay": "when the model's text is shown",
        }.items()
    },
}
