"""What the permissions say of a call, as a user reads it at a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tui_agent.permissions.verdict import Verdict, kind_of
from tui_agent.text import reveal

__all__ = ["in_words"]


def in_words(tool: str, input: Mapping[str, Any], verdict: Verdict) -> str:
    """Return a verdict as a user reads it at a terminal."""
    marks = {"allow": "✓", "ask": "?", "deny": "✗"}
    said = {"allow": "allowed", "ask": "asks", "deny": "denied"}
    command = input.get("command")
    subject = command if isinstance(command, str) else json.dumps(dict(input), ensure_ascii=False)
    lines = [
        f"{tool}  {reveal(subject)}",
        f"{marks[verdict.behavior]} {said[verdict.behavior]}: {reveal(verdict.reason)}",
    ]
    if verdict.rule is not None:
        lines.append(f"  rule {reveal(verdict.rule)} from {reveal(verdict.source or '')}")
    elif verdict.check:
        lines.append(f"  check {verdict.check}")
    if verdict.confinement is not None:
        held = {
            "read_only": "is held to reading, without network, by the sandbox",
            "read_only_asking": "is held to reading, and to asking one program of this machine, by the sandbox",
            "edits": "is held to changes in the working folders, without network, by the sandbox",
            "workspace": "is held to the working folders by the sandbox",
            "per_command": "runs with your rights; the sandbox holds each part that no rule allows to what it may do",
        }[kind_of(verdict.confinement)]
        lines.append(f"  {held.replace('is held', 'would be held', 1) if verdict.behavior == 'ask' else held}")
    if len(verdict.parts) > 1:
        lines.append("parts")
        lines.extend(
            f"  {marks[part.behavior]} {reveal(part.command)}: {reveal(part.reason)}"
            + (f" ({part.check})" if part.check else "")
            for part in verdict.parts
        )
    if verdict.offers:
        lines.append("rules that would allow it")
        lines.extend(f"  {reveal('  or  '.join(offer))}" for offer in verdict.offers)
    passed = [step.check for step in verdict.steps if step.outcome == "no match"]
    if passed:
        lines.append(f"steps without a match: {', '.join(passed)}")
    decided = [step for step in verdict.steps if step.outcome != "no match" and not step.check.startswith("part: ")]
    lines.extend(f"step that decided: {step.check}: {reveal(step.outcome)}" for step in decided)
    return "\n".join(lines)
