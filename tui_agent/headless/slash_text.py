"""What slash commands print without a screen: answers of the engine in lines of text, cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tui_agent.events import UsageReported
from tui_agent.text import clean_line, reveal

if TYPE_CHECKING:
    from tui_agent.events import Event
    from tui_agent.queries import (
        AgentsReport,
        ContextReport,
        CostReport,
        HooksReport,
        MemoryReport,
        PermissionsReport,
        RecordedSession,
        SessionState,
        SettingsReport,
        SkillList,
    )
    from tui_agent.queries.session import PartKind

__all__ = [
    "NAME_WIDTH",
    "agent_lines",
    "context_lines",
    "cost_lines",
    "hook_lines",
    "memory_lines",
    "rule_lines",
    "session_line",
    "setting_lines",
    "skill_lines",
    "status_lines",
]

NAME_WIDTH: Final = 24
_PARTS: Final[dict[PartKind, str]] = {
    "system": "system prompt",
    "tool": "tools",
    "memory": "memory files",
    "note": "notes of the program",
    "person": "your messages",
    "model": "the model's text",
    "thinking": "thinking",
    "call": "tool calls",
    "result": "tool results",
}


def context_lines(report: ContextReport | None) -> Iterator[str]:
    """Yield what fills the context."""
    if report is None:
        return
    whole = report.tokens or 1
    yield f"About {report.tokens:,} tokens for {clean_line(report.model)}, estimated from what a request holds:"
    for kind, words in _PARTS.items():
        if size := report.of(kind):
            yield f"  {words:<{NAME_WIDTH}} {size:>9,}  {size / whole:>4.0%}"


@dataclass(slots=True)
class _Spent:
    """What requests to one model came to."""

    requests: int = 0
    sent: int = 0
    received: int = 0
    usd: float = 0.0
    is_known: bool = True


def cost_lines(report: CostReport, events: Iterable[Event]) -> Iterator[str]:
    """Yield what the session has cost, by model; `events` are its own from the beginning."""
    models: dict[str, _Spent] = {}
    for event in events:
        if isinstance(event, UsageReported):
            spent = models.setdefault(event.model, _Spent())
            spent.requests += 1
            spent.sent += event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
            spent.received += event.output_tokens
            spent.usd += event.cost_usd or 0.0
            spent.is_known = spent.is_known and event.cost_usd is not None
    unknown = "" if all(spent.is_known for spent in models.values()) else ", without models whose price is unknown"
    limit = f", of at most ${report.limit_usd:.2f}" if report.limit_usd is not None else ""
    yield f"This session has cost ${report.spent_usd:.4f}{unknown}{limit}."
    for name, spent in models.items():
        price = f"${spent.usd:.4f}" if spent.is_known else "unknown"
        yield (
            f"  {clean_line(name, 40):<{NAME_WIDTH}} {spent.requests} requests, {spent.sent:,} tokens sent, "
            f"{spent.received:,} received, {price}"
        )


def status_lines(state: SessionState) -> Iterator[str]:
    """Yield where the session stands."""
    trust = "" if state.is_trusted else " (not trusted)"
    for name, value in (("folder", f"{state.cwd or state.root}{trust}"), ("model", state.model), ("mode", state.mode)):
        yield f"{name:<{NAME_WIDTH}} {clean_line(value)}"


def session_line(session: RecordedSession, *, has_folder: bool) -> str:
    """Return a recorded session on one line: id, time of the last change, its folder where that is wanted, how it began."""
    changed = datetime.fromtimestamp(session.changed, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    where = f"  {clean_line(session.cwd, 60)}" if has_folder else ""
    return f"{session.id}  {changed}{where}  {clean_line(session.first_message, 80) or '(no message)'}"


def rule_lines(report: PermissionsReport) -> Iterator[str]:
    """Yield the permission rules, strongest source first, and the working folders."""
    for row in report.rules:
        place = f"{row.source}:{row.line}" if row.line else row.source
        why = clean_line(row.problem, 300).removeprefix("has no effect: ")
        problem = f"  (has no effect: {why})" if why else ""
        yield f"{row.behavior:<5}  {reveal(row.text)}  {clean_line(place, 500)}{problem}"
    if not report.rules:
        yield "There are no permission rules."
    for folder in report.folders:
        yield f"working folder  {clean_line(folder, 500)}"


def hook_lines(report: HooksReport) -> Iterator[str]:
    """Yield the hooks, those that do not run included, and what is wrong with others."""
    for row in report.hooks:
        matcher = f" ({reveal(row.matcher)})" if row.matcher else ""
        why_not = f"  (does not run: {clean_line(row.why_not, 300)})" if row.why_not else ""
        yield f"{row.event}{matcher}  {reveal(row.what)}  {clean_line(row.file, 500)}:{row.line}{why_not}"
    if not report.hooks:
        yield "There are no hooks."
    for problem in report.problems:
        yield clean_line(str(problem), 1000)


def skill_lines(found: SkillList) -> Iterator[str]:
    """Yield skills and commands, what of each does not count, and the files that are left out."""
    for row in found.skills:
        hint = f" {clean_line(row.argument_hint, 60)}" if row.argument_hint else ""
        yield f"/{reveal(row.name)}{hint}  {clean_line(row.words, 300)}"
        yield f"    {clean_line('; '.join(row.facts), 500)}  {clean_line(row.file, 500)}"
        for note in row.notes:
            yield f"    {clean_line(note, 500)}"
    if not found.skills:
        yield "There are no skills. A skill is a file .claude/skills/NAME/SKILL.md, here or in your home folder."
    for text in found.left_out:
        yield f"Left out: {clean_line(text, 1000)}"


def agent_lines(found: AgentsReport) -> Iterator[str]:
    """Yield the agents at work, then the types that there are, and what of files does not count."""
    for agent in found.working:
        where = "in the background" if agent.is_background else "in this turn"
        used = f"{agent.tool_uses} tool uses, {agent.tokens:,} tokens, {agent.duration_ms / 1000:.0f} s"
        yield f"{clean_line(agent.id, 60)}  {clean_line(agent.type, 60)}: {clean_line(agent.description, 200)}  {where}, {used}"
    for row in (row for row in found.types if not row.is_hidden):
        yield f"{reveal(clean_line(row.name, 60)):{NAME_WIDTH}} {clean_line(row.description, 300)}"
        facts = (row.place, row.model and f"with {row.model}", f"tools: {row.tools}")
        yield f"    {clean_line('; '.join(filter(None, facts)), 500)}  {clean_line(row.file, 500)}".rstrip()
        for note in row.notes:
            yield f"    {clean_line(note, 500)}"
    for row in (row for row in found.types if row.is_hidden):
        yield f"Hidden by one of the same name: {clean_line(row.file, 500)}"
    for text in (*found.left_out, *(f"{file}: the folder is not trusted" for file in found.held_back)):
        yield f"Left out: {clean_line(text, 1000)}"


def memory_lines(report: MemoryReport) -> Iterator[str]:
    """Yield the memory files that the model gets, those that it may get later, and where instructions can be kept."""
    for row in report.files:
        by = f", imported by {clean_line(row.importer, 300)}" if row.importer else ""
        rest = ", its end is left out" if row.is_cut else ""
        yield f"{clean_line(row.path, 500)}  {row.kind.lower()}, {row.chars:,} characters{by}{rest}"
    if not report.files:
        yield "The model gets no memory files here."
    for text in report.later:
        yield f"Later: {clean_line(text, 700)}"
    for text in report.problems:
        yield f"Left out: {clean_line(text, 1000)}"
    for place in report.places:
        there = "" if place.is_there else " (not there yet)"
        yield f"For {place.words}: {clean_line(place.path, 500)}{there}"


def setting_lines(report: SettingsReport) -> Iterator[str]:
    """Yield what is set, to which value, by which source, and what is wrong with entries that were left out."""
    width = min(44, max((len(row.key) for row in report.rows), default=0))
    for row in report.rows:
        value = clean_line(", ".join(row.parts), 60) if row.state == "set" else "-"
        said = [item for item in row.said if item.counts] or row.said
        place = ", ".join(f"{item.file}:{item.line}" for item in said)
        yield f"{clean_line(row.key, 200):{width}}  {value}  {row.source}, {clean_line(place, 500)}"
    if not report.rows:
        yield "All settings have their default values."
    for problem in report.problems:
        yield clean_line(str(problem), 1000)
