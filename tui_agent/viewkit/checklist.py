"""A plan as a checklist: steps with a box each, how far they are told by the box and by the letters, never by colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.runs import Run, add_runs, fit_runs
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = [
    "ChecklistLine",
    "ChecklistStep",
    "ChecklistView",
    "add_checklist",
    "add_task",
    "current",
    "done",
    "read_steps",
    "step_runs",
    "window",
]  # fmt: skip

_BOXES: Final = {"pending": ("☐", "[ ]"), "in_progress": ("▣", "[>]"), "completed": ("☑", "[x]")}
_STRIKE: Final = Style(strike=True)
_LONGEST: Final = 2000
_LINKS: Final = (("waits for", "blockedBy"), ("waits for", "blocked_by"), ("blocks", "blocks"))


@dataclass(frozen=True, slots=True)
class ChecklistStep:
    """One step: what it says, how far it is, its id, and what there is to note of it (who, what it waits for)."""

    text: str
    status: str = "pending"
    id: str = ""
    note: str = ""


def read_steps(tasks: object) -> list[ChecklistStep]:
    """Return the steps that JSON data speaks of: `TodoWrite`'s todos, or tasks as events and results have them.

    Data that is still streaming in, or of another shape, gives as many as can be told.
    """
    if not isinstance(tasks, Iterable) or isinstance(tasks, str | Mapping):
        return []
    known = [task for task in tasks if isinstance(task, Mapping)]
    done_ids = {str(task.get("id")) for task in known if task.get("status") == "completed"}
    return [step for step in (_step(task, done_ids) for task in known) if step.text]


def _step(task: Mapping[str, Any], done_ids: set[str]) -> ChecklistStep:
    said = task.get("status")
    status = said if isinstance(said, str) and said in _BOXES else "pending"
    text = _text(task, "subject") or _text(task, "content")
    if status == "in_progress":
        text = _text(task, "active_form") or _text(task, "activeForm") or text
    notes = []
    if owner := _text(task, "owner"):
        notes.append(f"@{owner}")
    waits = task.get("blockedBy", task.get("blocked_by"))  # as results spell it, and as events do
    open_ids = [str(name) for name in waits if str(name) not in done_ids] if isinstance(waits, list | tuple) else []
    if open_ids and status == "pending":
        notes.append(f"waits for {', '.join(open_ids)}")
    name = task.get("id")
    return ChecklistStep(
        text, status, clean_line(name, 12) if isinstance(name, str) else "", clean_line(" · ".join(notes), 200)
    )


def _text(task: Mapping[str, Any], key: str) -> str:
    value = task.get(key)
    return clean_line(value, _LONGEST) if isinstance(value, str) else ""


def _names(ids: object) -> str:
    return ", ".join(clean_line(str(name), 12) for name in ids) if isinstance(ids, list | tuple) else ""


def done(steps: Iterable[ChecklistStep]) -> int:
    """Return how many steps are completed."""
    return sum(step.status == "completed" for step in steps)


def current(steps: Sequence[ChecklistStep]) -> ChecklistStep | None:
    """Return the step that says most about where things stand: in progress, else the first that is not completed."""
    running = next((step for step in steps if step.status == "in_progress"), None)
    return running or next((step for step in steps if step.status != "completed"), None)


def window(steps: Sequence[ChecklistStep], rows: int) -> Sequence[ChecklistStep]:
    """Return at most `rows` steps: what is in progress, the step before it, and what follows."""
    step = current(steps)
    at = steps.index(step) if step is not None else len(steps)
    first = max(0, min(at - 1, len(steps) - rows))
    return steps[first : first + rows]


def step_runs(step: ChecklistStep, state: RenderState, *, has_id: bool = False) -> list[Run]:
    """Return a step as runs, its box first."""
    palette = state.palette
    box = _BOXES[step.status][1 if state.is_ascii else 0]
    styles = {
        "pending": (palette.muted, palette.text),
        "in_progress": (palette.running, palette.strong),
        "completed": (palette.success, palette.muted + _STRIKE),
    }
    mark, words = styles[step.status]
    runs = [Run(f"{box} ", mark)]
    if has_id and step.id:
        runs.append(Run(f"{step.id}  ", palette.faint))
    runs.append(Run(step.text, words))
    if step.note:
        runs.append(Run(f"  {step.note}", palette.faint))
    return runs


def add_checklist(
    builder: LinesBuilder, steps: Sequence[ChecklistStep], width: int, state: RenderState, *, has_ids: bool = False
) -> None:
    """Add all steps, one below the other, long ones wrapped under their own words."""
    for step in steps:
        box, *rest = step_runs(step, state, has_id=has_ids)
        add_runs(builder, rest, width, first=(Segment(box.text, box.style),), gutter=0)


def add_task(builder: LinesBuilder, task: Mapping[str, Any], width: int, state: RenderState) -> None:
    """Add all that JSON data says of one task."""
    steps = read_steps([task])
    if not steps:
        return
    add_checklist(builder, steps, width, state, has_ids=True)
    palette = state.palette
    links = [f"{label} {_names(task.get(key))}" for label, key in _LINKS if _names(task.get(key))]
    if links:
        add_runs(builder, [Run(" · ".join(links), palette.muted)], width, first=(Segment("  "),), gutter=2)
    description = task.get("description")
    if isinstance(description, str) and description.strip():
        for line in clean(description).strip("\n").split("\n"):
            add_runs(builder, [Run(line.expandtabs(4), palette.text)], width, first=(Segment("  "),), gutter=2)


@dataclass(frozen=True, slots=True)
class ChecklistView:
    """Steps, one line each, cut at the width; at most `rows` of them where that is given."""

    steps: tuple[ChecklistStep, ...]
    rows: int | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return a line for each step that is shown."""
        builder = LinesBuilder()
        shown = self.steps if self.rows is None else window(self.steps, self.rows)
        for step in shown:
            runs = fit_runs(step_runs(step, state), width)
            builder.add([Segment(run.text, run.style) for run in runs])
        return builder.build()


@dataclass(frozen=True, slots=True)
class ChecklistLine:
    """All steps in one line: the box of the step that counts now, how many are done, and what it is."""

    steps: tuple[ChecklistStep, ...]

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the line."""
        palette = state.palette
        step = current(self.steps)
        box, words = step_runs(step or ChecklistStep("all done", "completed"), state)[:2]
        number = Run(f"{done(self.steps)}/{len(self.steps)} ", palette.muted)
        words = words if step is not None else Run(words.text, palette.muted)
        builder = LinesBuilder()
        builder.add([Segment(run.text, run.style) for run in fit_runs([box, number, words], width)])
        return builder.build()
