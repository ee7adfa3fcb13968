"""What the model and hooks get of an agent's work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.tools.agents import AgentReport, StepOutcome

__all__ = [
    "Background",
    "Steps",
    "answer_data",
    "answer_text",
    "background_data",
    "background_text",
    "steps_data",
    "steps_text",
]

_NO_ANSWER = "(it gave no answer)"


@dataclass(frozen=True, slots=True)
class Background:
    """An agent that goes on without its tool use; its answer goes to the file."""

    report: AgentReport
    path: str


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps that ran, of how many."""

    done: tuple[StepOutcome, ...]
    total: int

    @property
    def is_stopped(self) -> bool:
        """Whether it ended before the last step was done."""
        return len(self.done) < self.total or any(step.is_error for step in self.done)


def answer_text(report: AgentReport) -> str:
    """Return an agent's answer as its parent gets it."""
    parts = [report.text.strip() or _NO_ANSWER]
    if report.outcome != "done":
        parts.insert(0, f"The agent did not finish: {report.detail or report.outcome}")
        if not report.text.strip():
            parts.pop()
    parts += report.notes
    parts.append(f"(agent {report.agent_id}; SendMessage to it continues with what it knows)")
    return "\n\n".join(parts)


def answer_data(report: AgentReport) -> dict[str, Any]:
    """Return an agent's answer as hooks read it."""
    return {
        "agentId": report.agent_id,
        "agentType": report.type,
        "status": "completed" if report.outcome == "done" else report.outcome,
        "content": [{"type": "text", "text": report.text}],
        "detail": report.detail,
        "totalToolUseCount": report.tool_uses,
        "totalTokens": report.tokens,
        "totalDurationMs": round(report.duration_ms),
    }


def background_text(output: Background) -> str:
    """Return what the model is told of an agent in the background."""
    report = output.report
    return (
        f"Agent {report.agent_id} ({report.type}) works in the background. You are told its answer when it ends: do not wait "
        "for it, and do not do its task yourself. TaskStop ends it, and SendMessage tells it more. Its answer will be in "
        f"{output.path}."
    )


def background_data(output: Background) -> dict[str, Any]:
    """Return the same as hooks read it."""
    report = output.report
    return {
        "agentId": report.agent_id,
        "agentType": report.type,
        "status": "async_launched",
        "isAsync": True,
        "outputFile": output.path,
    }


def steps_text(output: Steps) -> str:
    """Return what each step gave, in order, and what did not run."""
    parts = []
    for number, step in enumerate(output.done, 1):
        how = "failed" if step.is_error else "done"
        parts.append(f"Step {number} of {output.total}, {step.tool}: {how}\n{step.text}".rstrip())
    left = output.total - len(output.done)
    if left:
        parts.append(f"{left} {'step was' if left == 1 else 'steps were'} not run.")
    return "\n\n".join(parts)


def steps_data(output: Steps) -> dict[str, Any]:
    """Return the same as hooks and scripts read it."""
    steps = [
        {"tool": step.tool, "input": step.input, "is_error": step.is_error, "data": step.data} for step in output.done
    ]
    return {"status": "stopped" if output.is_stopped else "completed", "total": output.total, "steps": steps}
