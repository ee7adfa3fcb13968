"""What came of a command: to the model in text, to programs as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_agent.tools.base import Partial
from tui_agent.tools.bash.output import BoundedText, CommandOutput

__all__ = [
    "Moved",
    "OtherOutcome",
    "Outcome",
    "ShellOutcome",
    "job_note",
    "keep_partial",
    "minutes",
    "partial",
    "result_text",
    "text_budget",
    "to_data",
]

_DATA_CHARS: Final = 100_000
_NOTE_ROOM: Final = 2000  # characters of a result kept free for exit code, section names, marks and notes
_PARTIAL_CHARS: Final = 9000


@dataclass(frozen=True, slots=True)
class Moved:
    """A command that goes on in the background: as which job, where its output goes, and how long it may take."""

    job_id: str
    path: Path
    timeout_s: float


@dataclass(frozen=True, slots=True)
class OtherOutcome:
    """An outcome that is not a command's end: what the model gets, and the structured output."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellOutcome:
    """How a command ended, or that it did not. `budget` is how many characters of output are shown; `notes` are told besides.

    `ran_ms` is when it was stopped or moved: because its time was up (`is_late`), because it had printed more than
    `most_bytes`, or because the user wanted it moved.
    """

    output: CommandOutput
    exit_code: int | None
    budget: int
    is_answer: bool = False
    is_late: bool = False
    ran_ms: float = 0.0
    most_bytes: int | None = None
    moved: Moved | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def is_failure(self) -> bool:
        """Whether the model should take it as a failure."""
        return self.moved is None and (self.exit_code is None or (self.exit_code != 0 and not self.is_answer))

    @property
    def is_cut(self) -> bool:
        """Whether there was more output than is shown."""
        return self.output.merged.total > self.budget


Outcome = ShellOutcome | OtherOutcome


def text_budget(result_chars: int) -> int:
    """Return how many characters of output fit a result of so many, with what is said about it."""
    return max(1000, result_chars - _NOTE_ROOM)


def minutes(seconds: float) -> str:
    """Return a time for the model to read: `45 seconds`, `30 minutes`."""
    return f"{seconds:g} seconds" if seconds < 120 else f"{seconds / 60:g} minutes"


def job_note(moved: Moved) -> str:
    """Return what the model has to know to go on with a command in the background."""
    return (
        f"All it prints, from its beginning on, goes to {moved.path}: read that file, or call TaskOutput. It is stopped after "
        f"{minutes(moved.timeout_s)}, or by TaskStop. You will be told when it ends."
    )


def result_text(outcome: ShellOutcome) -> str:
    """Return what the model gets: merged output on success; exit code and the two streams in sections on failure."""
    output, limit = outcome.output, outcome.budget
    notes = list(outcome.notes)
    if outcome.moved is not None:
        notes.append(f"It goes on in the background as job {outcome.moved.job_id}. {job_note(outcome.moved)}")
    if outcome.is_late:
        parts = [f"Command timed out after {outcome.ran_ms / 1000:g}s", _merged(output, limit)]
    elif outcome.moved is not None:
        head = f"The user moved this command to the background after {outcome.ran_ms / 1000:.0f}s"
        parts = [head, _merged(output, limit)]
    elif outcome.most_bytes is not None:
        parts = [f"Command killed: it printed more than {outcome.most_bytes:,} bytes", _merged(output, limit)]
    elif outcome.is_failure:
        parts = [f"Exit code {outcome.exit_code}", *(_sections(output, limit) or ["(no output)"])]
    else:
        parts = [_merged(output, limit)]
        if outcome.exit_code:
            parts.append(f"(exit code {outcome.exit_code}, which is an answer here and no error)")
    return "\n".join([*parts, *(f"[{note}]" for note in notes)])


def to_data(outcome: ShellOutcome) -> dict[str, Any]:
    """Return the structured output, as hooks and scripts read it."""
    data = _data(outcome.output, is_interrupted=outcome.moved is None and outcome.exit_code is None)
    data["exitCode"] = outcome.exit_code
    if outcome.moved is not None:
        data |= {"backgroundTaskId": outcome.moved.job_id, "persistedOutputPath": str(outcome.moved.path)}
    return data


def keep_partial(output: CommandOutput) -> None:
    """A command is cut short: keep what it has printed on disk where that is more than can be told."""
    if output.merged.total > _PARTIAL_CHARS:
        output.spool.open_now()


def partial(output: CommandOutput) -> Partial:
    """Return what a command that was cut short has to show."""
    text = _shown(output.merged, _PARTIAL_CHARS, output).strip("\n")
    said = f"What it had printed until then:\n{text}" if text.strip() else "It had printed nothing until then."
    return Partial(said, _data(output, is_interrupted=True))


def _data(output: CommandOutput, *, is_interrupted: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "stdout": output.stdout.cut(_DATA_CHARS - 200),
        "stderr": output.stderr.cut(_DATA_CHARS - 200),
        "interrupted": is_interrupted,
        "isImage": False,
        "totalBytes": output.total_bytes,
    }
    if output.spool.path is not None:
        data["persistedOutputPath"] = str(output.spool.path)
    return data


def _merged(output: CommandOutput, limit: int) -> str:
    return _shown(output.merged, limit, output) or "(no output)"


def _sections(output: CommandOutput, limit: int) -> list[str]:
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


def _shown(text: BoundedText, limit: int, output: CommandOutput) -> str:
    if output.spool.path is not None:
        kept = "the beginning of the output, as much as is kept," if output.spool.is_full else "the whole output"
        where = f"{kept} is in {output.spool.path}"
    else:
        where = f"it could not be kept: {output.spool.problem}" if output.spool.problem else "it was not kept"
    return text.cut(limit, where).rstrip()
