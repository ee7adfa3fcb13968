"""What CONTRIBUTING.md says of the tree is true."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "tui_agent"
# Without blocks of code.
LINES = re.sub(r"^```.*?^```", "", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE | re.DOTALL).splitlines()
ROWS = [line for line in LINES if line.startswith("| `")]
IN_EACH_TOOL = {"tool.py", "view.py"}


def paths_in(text: str) -> list[str]:
    """Return what is written as a path: in backticks, with a slash in it or the name of a Python file."""
    spans = re.findall(r"`([\w.*-][\w.*/-]*)`", text)
    return [span for span in spans if "/" in span.strip("/") or span.endswith((".py", "/"))]


def exists(path: str, *bases: Path) -> bool:
    return any(any(base.glob(path)) for base in bases)


def test_every_path_exists() -> None:
    checked = 0
    for line in LINES:
        bases = [ROOT, PROGRAM]
        if line in ROWS:  # the second cell may name files of the folders in the first one
            bases += [PROGRAM / path for path in paths_in(line.split("|")[1])]
        for path in paths_in(line):
            checked += 1
            assert path in IN_EACH_TOOL or exists(path, *bases), f"{path}: {line}"
    assert checked > 100


def test_every_package_and_module_of_the_program_is_in_the_tables() -> None:
    named = {path for row in ROWS for path in paths_in(row.split("|")[1])}
    top = [entry for entry in PROGRAM.iterdir() if entry.suffix == ".py" and not entry.name.startswith("__")]
    rooms = [
        entry.parent for base in (PROGRAM, PROGRAM / "engine", PROGRAM / "ui") for entry in base.glob("*/__init__.py")
    ]
    there = {entry.name for entry in top} | {f"{entry.relative_to(PROGRAM)}/" for entry in rooms}
    assert there - {"engine/"} - named == set()
