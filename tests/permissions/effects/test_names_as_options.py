# ruff: noqa: E501 - commands stand whole, many on a line
"""Names of files that a hostile repository chose, handed to programs: whatever is let through is run, and writes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet

NAMES = (
    "-oout", "--output=out", "-exec", "x;touch y", "$(touch y)", "src/a.txt", "src/-oout", "src/x\n-oout", "src/a b", "src/b\n--output=out",
    "src/sub\n/-oout", "docs/+", "docs/{}", "docs/;",
)  # fmt: skip
LISTS = (
    "find . -type f", "find src -type f", "find src -type f -print0", "git ls-files", "git ls-files -z", "grep -rl x src", "grep -rlZ x src",
)  # fmt: skip
FILTERS = (
    "",
    "sort | ",
    "tail -1 | ",
    "head -50 | ",
    "sort -z | ",
    "sed 's|^\\./||' | ",
    "tr '\\n' '\\0' | ",
    "grep -z x | ",
    "sed -n 2p | ",
)
SINKS = (
    "xargs sort", "xargs -0 sort", "xargs -0 -r sort -u", "xargs -d '\\n' sort", "xargs -0 -d '\\n' sort", "xargs -0 -d'\\n' sort",
    "xargs -I{} sort {}", "xargs -0 -I{} sort {}", 'while read -r f; do sort "$f"; done', 'while read -r f; do sort $f; done',
    "while IFS= read -r -d '' f; do sort \"$f\"; done", "xargs sort --", "xargs -0 cat", "xargs -0 sed -n 1p",
)  # fmt: skip
ALONE = (
    "find . -type f -exec sort {} +", "find . -type f -exec sort {} \\;", "find -type f -exec sort {} +", "find src docs -exec sort {} +",
    "find src -type f -exec sort {} {} \\;", "find docs -exec sort {} + -exec cat {} \\;", "for f in $(find src); do sort \"$f\"; done",
    "for f in $(ls src); do sort $f; done", "sort src/*", "sort *", "sort -- *", "sort ./*", "for f in *; do sort \"$f\"; done",
    "for f in src/*; do sort \"$f\"; done", "sed -n 1p src/*", "sed -n 1p -- *", "bash -c 'sort src/*'", "bash -c 'sort *'",
    "bash -c 'find src -type f | while read -r f; do sort \"$f\"; done'", "sort $(find src)", "for f in src/*; do wc -l < \"$f\"; done",
)  # fmt: skip


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def there(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if ".git" not in path.parts}


def test_no_name_is_taken_for_an_option_that_writes(work: Path) -> None:
    where = PathContext(cwd=str(work), project_root=str(work), home=str(work.parent))
    made = [f"{one} | {two}{three}" for one in LISTS for two in FILTERS for three in SINKS]
    passed = []
    for command in (*made, *ALONE):
        call = call_from_input("Bash", {"command": command}, where)
        if decide(call, rules=RuleSet(), mode="default", where=where).behavior == "allow":
            passed.append(command)
    assert len(passed) > 100, "too little passes for the test to say anything"
    before = there(work)
    script = "\n".join(f"( {command} ) </dev/null >/dev/null 2>&1" for command in passed)
    subprocess.run(["/bin/bash", "-c", script], cwd=work, check=False, timeout=120)
    if there(work) != before:  # which of them was it
        for command in passed:
            for name in there(work) - before:
                (work / name).unlink()
            subprocess.run(["/bin/bash", "-c", command], cwd=work, check=False, capture_output=True, timeout=20)
            assert there(work) == before, command
