"""What a command's end looks like: to the model in text, to programs as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tui_agent.tools.bash.output import BoundedText, Output

__all__ = ["ShellOutcome", "result_text", "text_budget", "to_data"]

_DATA_CHARS: Final = 100_000
_NOTE_ROOM: Final = 2000  # characters of a result kept free for exit code, section names, marks and notes


@dataclass(frozen=True, slots=True)
class ShellOutcome:
    """How a command ended. `budget` is how many characters of output are shown; `notes` are told besides."""

    output: Output
    exit_code: int | None
    budget: int
    is_answer: bool = False
    timed_out_after_ms: int | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def is_failure(self) -> bool:
        """Whether the model should take it as a failure."""
        return self.timed_out_after_ms is not None or (self.exit_code != 0 and not self.is_answer)

    @property
    def is_cut(self) -> bool:
        """Whether there was more output than is shown."""
        return self.output.merged.total > self.budget


def text_budget(result_chars: int) -> int:
    """Return how many characters of output fit a result of so many, with what is said about it."""
    return max(1000, result_chars - _NOTE_ROOM)


def result_text(outcome: ShellOutcome) -> str:
    """Return what the model gets: merged output on success; exit code and the two streams in sections on failure."""
    output, limit = outcome.output, outcome.budget
    if outcome.timed_out_after_ms is not None:
        seconds = f"{outcome.timed_out_after_ms / 1000:g}"
        parts = [f"Command timed out after {seconds}s", _shown(output.merged, limit, output) or "(no output)"]
    elif outcome.is_failure:
        parts = [f"Exit code {outcome.exit_code}", *(_sections(output, limit) or ["(no output)"])]
    else:
        parts = [_shown(output.merged, limit, output) or "(no output)"]
        if outcome.exit_code:
            parts.append(f"(exit code {outcome.exit_code}, which is an answer here and no error)")
    return "\n".join([*parts, *(f"[{note}]" for note in outcome.notes)])


def to_data(outcome: ShellOutcome) -> dict[str, Any]:
    """Return the structured output, as hooks and scripts read it."""
    output = outcome.output
    data: dict[str, Any] = {
        "stdout": output.stdout.cut(_DATA_CHARS - 200),
        "stderr": output.stderr.cut(_DATA_CHARS - 200),
        "interrupted": outcome.timed_out_after_ms is not None,
        "isImage": False,
        "exitCode": outcome.exit_code,
        "totalBytes": output.total_bytes,
    }
    if output.spool.path is not None:
        data["persistedOutputPath"] = str(output.spool.path)
    return data


def _sections(output: Output, limit: int) -> list[str]:
    """Return the two streams under their names; a short one leaves its room to the other."""
    stdout, stderr = output.stdout, output.stderr
    half = limit // 2
    for_stdout = max(half, limit - stderr.total)
    for_stderr = max(half, limit - stdout.total)
    out: list[str] = []
    if text := _shown(stdout, for_stdout, output):
        out.append(f"Stdout:\n{text}")
    if text := _shown(stderr, for_stderr, output):
        out.append(f"Stderr:\n{text}")
    return out


def _shown(text: BoundedText, limit: int, output: Output) -> str:
    if output.spool.path is not None:
        where = f"the whole output is in {output.spool.path}"
    else:
        where = f"it could not be kept: {output.spool.problem}" if output.spool.problem else "it was not kept"
    return text.cut(limit, where).rstrip()
