"""What single events say to the user, in words; those that tell nothing by themselves have none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tui_agent import events as ev
from tui_agent.text import clean_line, reveal
from tui_agent.viewkit.tool_text import count, display_path, duration, one_line

if TYPE_CHECKING:
    from tui_agent.events import Event

__all__ = ["event_lines", "task_lines"]

_STANDING: Final = {
    "as_read": "is again as it was when the change was proposed",
    "changed": "has changed on disk since the change was proposed",
    "gone": "was removed since the change was proposed",
    "made": "was created by something else since the change was proposed",
}
_THOUGHT_MS: Final = 1000.0


def event_lines(event: Event, base: str = "") -> Iterator[str]:
    """Yield what an event says; paths are told from the folder `base`."""
    match event:
        case ev.Notice():
            level = "" if event.level == "info" else f"{event.level.capitalize()}: "
            yield f"{level}{_with_hint(event.text, event.hint)}"
        case ev.TurnFailed():
            yield f"Error: {_with_hint(event.message, event.hint)}"
        case ev.RetryScheduled():
            of = f"attempt {event.attempt + 1} of {event.max_attempts}"
            yield f"{clean_line(event.reason, 300).rstrip('.')}. Trying again in {event.delay_s:.0f} s, {of}."
        case ev.ThinkingFinished(agent_id="") if event.duration_ms >= _THOUGHT_MS:
            yield f"Thought for {duration(event.duration_ms)}."
        case ev.MessageQueued():
            yield f"Queued: {clean_line(event.shown or event.text, 100)}"
        case ev.MessageUnqueued():
            yield "Taken back from the queue."
        case ev.UserMessageSent():
            for fact in event.attached:
                yield from _attached(fact)
        case ev.AgentStarted():
            yield f"started. {clean_line(event.description, 200)}".rstrip()
        case ev.AgentEnded():
            detail = f": {clean_line(event.detail, 300)}" if event.detail else ""
            yield f"{event.outcome}, {duration(event.duration_ms)}{detail}"
        case ev.TasksChanged():
            yield from task_lines(event.tasks)
        case _:
            yield from _settled(event, base)


def _settled(event: Event, base: str) -> Iterator[str]:
    """Yield what is said of what the user settled, and of what the session runs under."""
    match event:
        case ev.PermissionResolved():
            yield from _resolved(event)
        case ev.ProposedFileChanged():
            yield f"Warning: {display_path(event.path, base)} {_STANDING[event.standing]}."
        case ev.EditUndone():
            left = f", {count(event.left, 'place')} kept" if event.left else ""
            yield f"Undone: {display_path(event.path, base)}{left}"
        case ev.HookStarted() if event.message:
            yield clean_line(event.message, 200)
        case ev.HookEnded() if event.outcome not in ("ok", "cancelled"):
            said = f": {clean_line(event.message, 300)}" if event.message else ""
            yield f"Hook at {event.event} {event.outcome}{said}"
        case ev.ModeChanged():
            yield f"Permission mode: {event.mode}."
        case ev.ModelChanged():
            yield f"Model: {clean_line(event.model, 80)}."
        case ev.ThinkingChanged():
            yield f"Thinking: {'on' if event.is_on else 'off'}."
        case ev.SpendingLimitChanged(by="person"):
            yield "Spending limit: " + ("none." if event.limit_usd is None else f"${event.limit_usd:.2f}.")
        case ev.SettingsReloaded():
            yield from (f"Settings: {clean_line(line, 500)}" for line in (*event.changes, *event.problems))
        case ev.HistoryCleared(agent_id=""):
            yield "New conversation."
        case _:
            pass


def task_lines(tasks: tuple[dict[str, Any], ...]) -> Iterator[str]:
    """Yield the model's plan: how far it is, then each task with its state."""
    if not tasks:
        return
    states = [str(task.get("status", "")) for task in tasks]
    done = states.count("completed")
    yield f"Tasks: {done} of {count(len(tasks), 'task')} done."
    words = {"completed": "done", "in_progress": "in progress", "pending": "to do"}
    for task, state in zip(tasks, states, strict=True):
        text = task.get("subject") or task.get("content") or task.get("title") or ""
        yield f"  {words.get(state, clean_line(state, 20))}: {clean_line(str(text), 200)}"


def _resolved(event: ev.PermissionResolved) -> Iterator[str]:
    who = {"hook": "a hook", "classifier": "the classifier", "rule": "a rule", "nobody": "nobody was there to answer"}
    if event.rules:
        kept = f", kept in {one_line(event.saved_to)}" if event.saved_to else ""
        yield f"Always allowed from now on: {', '.join(reveal(rule) for rule in event.rules)}{kept}."
    elif event.by in who:
        said = {"allow": "Allowed", "deny": "Refused", "cancelled": "Cancelled"}[event.behavior]
        yield f"{said} without you: {who[event.by]}."


def _attached(fact: dict[str, Any]) -> Iterator[str]:
    name, note = clean_line(str(fact.get("name", "")), 200), clean_line(str(fact.get("note", "")), 200)
    if fact.get("kind") == "refused":
        yield f"Not attached: {name}, {note}"
    else:
        yield f"Attached: {name}{f', {note}' if note else ''}"


def _with_hint(text: str, hint: str) -> str:
    said = clean_line(text, 2000)
    if not hint:
        return said
    return f"{said if said.endswith(('.', '?', '!')) else said + '.'} {clean_line(hint, 500)}"
