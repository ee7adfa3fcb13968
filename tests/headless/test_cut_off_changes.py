"""A change that a killed program left half done is taken back by whatever starts next, and that is said."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., tuple[int, str, str]]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def leave_half_done(work: Path, state: Path) -> None:
    """Leave what a killed program leaves: one file of two is new, and a note says so."""
    steps = []
    for name in ("a", "b"):
        target = work / name
        target.write_text("new\n" if name == "a" else "old\n")
        kept = work / f".{name}.1.old"
        kept.write_text("old\n")
        steps.append(
            {
                "target": str(target),
                "temporary": str(work / f".{name}.1.tmp"),
                "kept": str(kept),
                "before_hash": digest("old\n"),
                "after_hash": digest("new\n"),
            }
        )
    (work / ".b.1.tmp").write_text("new\n")
    (state / "intents").mkdir(parents=True)
    note = {"version": 1, "began": 1e9, "steps": steps, "folders": []}
    (state / "intents/0.json").write_text(json.dumps(note))


def test_running_a_tool_restores_first_and_says_so(in_process: Run, tmp_path: Path) -> None:
    leave_half_done(tmp_path, tmp_path / "state")
    code, out, err = in_process("tools", "run", "Read", json.dumps({"file_path": "a"}))
    assert code == 0
    assert "1\told" in json.loads(out)["content"]
    assert "cut off half-way" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "state"]
    code, _, err = in_process("tools", "run", "Read", json.dumps({"file_path": "a"}))
    assert "cut off" not in err
