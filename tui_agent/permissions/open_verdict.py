"""The question that is left where no check has decided: why it is asked, and which rules would answer it."""

from __future__ import annotations

from tui_agent.hosts import host_of
from tui_agent.permissions.evaluation import Evaluation
from tui_agent.permissions.verdict import Need, Verdict

__all__ = ["open_verdict"]


def open_verdict(evaluation: Evaluation) -> Verdict:
    """Ask, and say what is missing."""
    view = evaluation.view
    if view is not None:
        first = next((part.command for part in view.parts if part.behavior != "allow"), "")
        reason = f"`{first}`: {view.reason}" if first and len(view.parts) > 1 else view.reason
        return Verdict(behavior="ask", by=view.by, reason=reason, check=view.check, needs=view.needs, is_open=True)
    if evaluation.script is not None:
        return Verdict(behavior="ask", by="default", reason="no rule allows this command", is_open=True)
    paths = evaluation.missing_paths if evaluation.call.writes or evaluation.call.is_read_only else ()
    need = Need(subject=evaluation.call.tool, paths=paths)
    return Verdict(behavior="ask", by="default", reason=_why_ask(evaluation), needs=(need,), is_open=True)


def _why_ask(evaluation: Evaluation) -> str:
    if evaluation.call.writes:
        return _what_it_changes(evaluation)
    for path in evaluation.only_read:
        return evaluation.where.why_not_free(path)
    url = evaluation.call.input.get("url")
    host = host_of(url) if evaluation.call.tool == "WebFetch" and isinstance(url, str) else None
    return f"no rule allows fetching from {host}" if host else f"no rule allows {evaluation.call.tool}"


def _what_it_changes(evaluation: Evaluation) -> str:
    """Name the file that asks, of several one that lies outside, and say how many more there are."""
    asking = [need.path for need in evaluation.missing_paths if need.operation == "edit"] or evaluation.call.writes
    named = next((path for path in asking if not evaluation.where.is_work(path)), asking[0])
    place = "" if evaluation.where.is_work(named) else ", outside the working folders"
    others = len(asking) - 1
    more = f"{',' * bool(place)} and {others} other file{'s' * (others > 1)}" if others else ""
    return f"it changes `{evaluation.where.shown(named)}`{place}{more}"
