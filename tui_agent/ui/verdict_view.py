"""What the permissions say of a command, in words: of the whole in one sentence, of each of its parts in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.content import Content

from tui_agent.homoglyphs import find_homoglyphs
from tui_agent.permissions.verdict import kind_of
from tui_agent.text import clean_line
from tui_agent.viewkit.runs import Run, add_runs, crop, fit_runs
from tui_agent.viewkit.tool_text import one_line
from tui_agent.viewkit.view import LinesBuilder, Palette, Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.permissions.verdict import PartVerdict, Verdict

__all__ = ["MARKS", "PartsView", "VerdictView", "is_worth_parts", "said_of", "say_passing", "verdict_summary"]

MARKS: Final = {"allow": "✓", "ask": "?", "deny": "✗"}
_NARROW: Final = 60  # below this a command and its reason do not stand side by side
_MOST, _FEW = 6, 4
_LEAST: Final = 12
_PASSING_SHOWN: Final = 3
_SOURCES: Final = {
    "rule": "a rule", "mode": "the permission mode", "tool": "the tool", "classifier": "the shell check",
    "protected_path": "the protected-path check", "hook": "a hook", "sandbox": "the sandbox",
    "default": "no rule or check applies",
}  # fmt: skip
_CONFINED: Final = {
    "read_only": "Sandboxed: read-only, no network",
    "read_only_asking": "Sandboxed: read-only, and one local socket",
    "edits": "Sandboxed: writes to the working folders only, no network",
    "workspace": "Sandboxed: writes to the working folders only",
    "per_command": "With your rights; parts that no rule allows are sandboxed",
}
_COLOURS: Final = {"allow": "$text-success", "ask": "$text-warning", "deny": "$text-error"}


def said_of(verdict: Verdict | PartVerdict) -> str:
    """Return the reason of a verdict on one line, with the rule or the id of the check that gave it."""
    reason = one_line(verdict.reason)
    rule = one_line(verdict.rule or "")
    if rule and rule not in reason:
        return f"{reason} ({rule})" if reason else rule
    # What it does says more than which check did not know it.
    return f"{reason} · {clean_line(verdict.check)}" if verdict.check and not verdict.effect else reason


def verdict_summary(verdict: Verdict) -> Content:
    """Return the sentence that says what would become of a command that was edited."""
    words = {"allow": "would be allowed", "ask": "would ask", "deny": "denied, so it cannot be run"}[verdict.behavior]
    colour = _COLOURS[verdict.behavior]
    return Content.assemble((f"{MARKS[verdict.behavior]} {words}", f"bold {colour}"), ": ", said_of(verdict))


def is_worth_parts(verdict: Verdict) -> bool:
    """Whether the parts of a command say more than the verdict on the whole does."""
    return len(verdict.parts) > 1 and len({(_weight(part), _words(part)) for part in verdict.parts}) > 1


def _weight(part: PartVerdict) -> int:
    """Return how soon a user should see a part: the lower, the sooner."""
    match part.behavior:
        case "deny":
            return 0
        case "ask":
            return 1 if part.is_careful else 2 if part.effect or part.by in {"classifier", "protected_path"} else 3
        case "allow":
            return 4 if part.is_careful else 6 if part.by == "classifier" else 5


def say_passing(command: str) -> str:
    """Return which characters of a command pass for plain ones, and what they are; empty where none does."""
    found = list(dict.fromkeys((one.character, one.like, one.words) for one in find_homoglyphs(command)))
    said = [f"`{character}` is not `{like}` but {words}" for character, like, words in found[:_PASSING_SHOWN]]
    more = f" and {len(found) - _PASSING_SHOWN} more" if len(found) > _PASSING_SHOWN else ""
    return "Look-alike characters: " + "; ".join(said) + more if found else ""


@dataclass(frozen=True, slots=True)
class PartsView:
    """The parts of a command, each with its mark and the reason.

    Unless all are wanted (`is_whole`), in their own order, those that matter most, the worst first.
    """

    parts: tuple[PartVerdict, ...]
    is_whole: bool = False

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return a line for each part that is shown, in little room two, and one for how many are not."""
        palette = state.palette
        builder = LinesBuilder()
        is_narrow = width < _NARROW
        shown = self.parts if self.is_whole else self._shown(_FEW if is_narrow else _MOST)
        commands = [one_line(part.command) for part in shown]
        room = max(8, min(max(map(cell_len, commands), default=0), (width - 4) * 9 // 20))
        for part, command in zip(shown, commands, strict=True):
            mark = Run(f"{MARKS[part.behavior]} ", _style_of(part, palette))
            reason = Run(_words(part), palette.muted if part.behavior == "allow" else palette.text)
            if is_narrow:
                add_runs(builder, fit_runs([mark, Run(command, palette.text)], width), width)
                margin = Segment("    ", palette.muted)
                add_runs(builder, [reason], max(width, 8), first=(margin,), rest=(margin,))
            else:
                head = fit_runs([Run(command, palette.text)], room)
                blanks = " " * (room - sum(cell_len(run.text) for run in head) + 2)
                line = [mark, *head, Run(blanks, palette.text), reason]
                add_runs(builder, fit_runs(line, width), width)
        left = len(self.parts) - len(shown)
        if left:
            builder.add_text(f"… and {left} more", palette.faint)
        return builder.build() if width >= _LEAST else crop(builder.build(), width)

    def _shown(self, limit: int) -> Sequence[PartVerdict]:
        found = sorted(self.parts, key=_weight)
        return found if len(found) <= limit else found[: limit - 1]


def _words(part: PartVerdict) -> str:
    said = said_of(part)
    match part.behavior:
        case "allow":
            return f"allowed by {one_line(part.rule)}" if part.rule else said or "allowed"
        case "ask":
            return f"asks: {said}" if said else "asks"
        case "deny":
            return f"denied: {said}" if said else "denied"


def _style_of(part: Verdict | PartVerdict, palette: Palette) -> Style:
    return {"allow": palette.success, "ask": palette.warning, "deny": palette.error}[part.behavior]


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict in full: what, why, by which rule from where, how it would run, each part, each step on the way."""

    verdict: Verdict

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the verdict, wrapped."""
        palette, verdict = state.palette, self.verdict
        builder = LinesBuilder()
        room = max(width, _LEAST)
        outcome = _style_of(verdict, palette)
        said = {"allow": "allowed", "ask": "asks", "deny": "denied"}[verdict.behavior]
        head = Run(f"{MARKS[verdict.behavior]} {said}", outcome + Style(bold=True))
        add_runs(builder, [head, Run(": " + one_line(verdict.reason), palette.text)], room)
        facts = [
            ("by", _SOURCES.get(verdict.by, verdict.by)),
            ("rule", one_line(verdict.rule or "")),
            ("from", one_line(verdict.source or "")),
            ("check", clean_line(verdict.check)),
            ("runs", _CONFINED[kind_of(verdict.confinement)] if verdict.confinement is not None else ""),
            ("always", ", ".join(one_line(offer[0]) for offer in verdict.offers if offer)),
        ]
        _add_facts(builder, [fact for fact in facts if fact[1]], room, palette)
        if len(verdict.parts) > 1:
            _add_heading(builder, "its parts", palette)
            builder.extend(PartsView(verdict.parts, is_whole=True).render(room, state))
        if verdict.steps:
            _add_heading(builder, "step by step", palette)
            for step in verdict.steps:
                is_last = step is verdict.steps[-1]
                mark = MARKS.get(step.outcome, "·")
                style = outcome if is_last else palette.muted
                words = f"{clean_line(step.check)}: {clean_line(step.outcome)}"
                add_runs(
                    builder, [Run(f"{mark} ", style), Run(words, palette.text if is_last else palette.muted)], room
                )
        return builder.build() if width >= _LEAST else crop(builder.build(), width)


def _add_heading(builder: LinesBuilder, words: str, palette: Palette) -> None:
    builder.add(())
    builder.add_text(words, palette.heading)


def _add_facts(builder: LinesBuilder, facts: Sequence[tuple[str, str]], width: int, palette: Palette) -> None:
    longest = max((len(name) for name, _ in facts), default=0)
    for name, value in facts:
        head = Segment(f"  {name:<{longest}}  ", palette.muted)
        margin = Segment(" " * (longest + 4), palette.muted)
        add_runs(builder, [Run(value, palette.text)], width, first=(head,), rest=(margin,))
