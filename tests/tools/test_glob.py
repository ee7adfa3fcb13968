"""Glob finds files by name, ignored ones too, the newest first, and never more than it says."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import gone
from tool_bench import Bench

from tui_agent.tools.base import Claims
from tui_agent.tools.glob.tool import LIMIT, GlobInput, GlobTool
from tui_agent.tools.shared_search import ripgrep

FILES = ("a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".env", "build/out.py", "x/-e", "!odd.py", "#odd.py")


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    runtime = Bench(tmp_path)
    for age, name in enumerate(FILES):
        os.utime(runtime.write(name, "x\n", is_read=False), (1_000_000 - age, 1_000_000 - age))
    runtime.write(".gitignore", "build/\n.env\n", is_read=False)
    runtime.write(".git/hook.py", "x\n", is_read=False)
    return runtime


async def names(runtime: Bench, pattern: str, **more: Any) -> list[str]:
    ran = await runtime.run("Glob", {"pattern": pattern, **more})
    assert not ran.is_error, ran.text
    assert ran.data["numFiles"] == len(ran.data["filenames"])
    return list(ran.data["filenames"])


async def test_files_come_newest_first_ignored_ones_too_but_nothing_of_git(runtime: Bench) -> None:
    found = ["a.py", "src/b.py", "src/deep/c.py", "build/out.py", "!odd.py", "#odd.py"]
    assert await names(runtime, "**/*.py") == await names(runtime, "*.py") == found
    assert ".env" in await names(runtime, "*")
    assert (await runtime.run("Glob", {"pattern": "*.ts"})).text == "src/d.ts"


@pytest.mark.parametrize("value", ["false", "0", "FALSE"])
async def test_the_environment_may_ask_for_gitignore_to_count(runtime: Bench, value: str) -> None:
    runtime.environment = {"CLAUDE_CODE_GLOB_NO_IGNORE": value}
    assert "build/out.py" not in await names(runtime, "**/*.py")
    assert await names(runtime, ".env") == []
    runtime.write(".gitignore", "build/\n!.env\n")
    assert ".env" not in await names(runtime, "*.py"), "what .gitignore takes back in still has to match"


async def test_the_environment_may_ask_for_hidden_files_to_be_left_out(runtime: Bench) -> None:
    assert ".env" in await names(runtime, "*")
    runtime.environment = {"CLAUDE_CODE_GLOB_HIDDEN": "false"}
    assert ".env" not in await names(runtime, "*")
    assert "build/out.py" in await names(runtime, "**/*.py")


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("./*.py", None, ["a.py", "!odd.py", "#odd.py"]),
        ("src/*.py", None, ["src/b.py"]),
        ("src/**", None, ["src/b.py", "src/deep/c.py", "src/d.ts"]),
        ("src/", None, ["src/b.py", "src/deep/c.py", "src/d.ts"]),
        ("src/**/*.{py,ts}", None, ["src/b.py", "src/deep/c.py", "src/d.ts"]),
        ("{src,build}/*.py", None, ["src/b.py", "build/out.py"]),
        ("*.py", "src", ["src/b.py", "src/deep/c.py"]),
        ("./*.py", "src", ["src/b.py"]),
        ("deep/../*.ts", "src", ["src/d.ts"]),
        ("../*.ts", "src/deep", ["src/d.ts"]),
        ("src/deep/c.py", None, ["src/deep/c.py"]),
        ("c.py", None, ["src/deep/c.py"]),
        ("[ab].py", None, ["a.py", "src/b.py"]),
        ("?.ts", None, ["src/d.ts"]),
        ("-e", None, ["x/-e"]),
        ("!odd.py", None, ["!odd.py"]),
        ("#odd.py", None, ["#odd.py"]),
        ("*.rs", None, []),
        ("gone/*.py", None, []),
    ],
)
async def test_patterns_mean_what_people_expect(
    runtime: Bench, pattern: str, path: str | None, found: list[str]
) -> None:
    assert await names(runtime, pattern, path=path) == found


async def test_an_absolute_pattern_starts_where_it_says(runtime: Bench) -> None:
    assert await names(runtime, f"{runtime.folder}/src/*.py") == ["src/b.py"]
    runtime.workspace.cwd = runtime.folder / "src"
    assert await names(runtime, f"{runtime.folder}/a.p?") == [f"{runtime.folder}/a.py"]
    assert await names(runtime, "*.py") == ["b.py", "deep/c.py"]


async def test_nothing_found_says_so_and_names_a_folder_that_may_be_meant(runtime: Bench) -> None:
    assert (await runtime.run("Glob", {"pattern": "*.rs"})).text == "No files found"
    assert (await runtime.run("Glob", {"pattern": "src"})).text.endswith(
        "src is a folder; `src/**` finds the files in it."
    )
    assert "There is no folder" in (await runtime.run("Glob", {"pattern": "gone/*"})).text


async def test_more_than_the_limit_is_counted(runtime: Bench) -> None:
    for number in range(LIMIT + 23):
        runtime.write(f"many/{number}.txt", "", is_read=False)
    ran = await runtime.run("Glob", {"pattern": "*.txt"})
    assert len(ran.data["filenames"]) == LIMIT
    assert (ran.data["truncated"], ran.data["moreEntries"]) == (True, 23)
    assert ran.text.splitlines()[-1].startswith("… and 23 more")
    assert set(ran.data) >= {"filenames", "numFiles", "truncated", "durationMs"}


async def test_denied_files_are_not_named_and_denied_folders_not_searched(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"a.key": "Read(a.key)", "vault": "Read(vault)"})
    runtime.write("a.key", "")
    runtime.write("b.key", "")
    ran = await runtime.run("Glob", {"pattern": "*.key"})
    assert (ran.text, ran.data["moreEntries"]) == ("b.key", 0)
    for asked in ({"pattern": "*", "path": "vault"}, {"pattern": "vault/*"}, {"pattern": f"{tmp_path}/vault/**"}):
        assert (await runtime.run("Glob", asked)).code == "denied_path"


@pytest.mark.parametrize("pattern", ["", " ", "a\0b", "a\nb", "*/../../etc/*", "x" * 5000])
async def test_what_is_no_glob_is_refused(runtime: Bench, pattern: str) -> None:
    assert (await runtime.run("Glob", {"pattern": pattern})).code == "bad_pattern"


async def test_a_broken_glob_brings_ripgrep_s_own_words(runtime: Bench) -> None:
    ran = await runtime.run("Glob", {"pattern": "*.{py"})
    assert (ran.kind, "glob '*.{py': unclosed alternate group" in ran.text, "/dev/fd" in ran.text) == (
        "execution",
        True,
        False,
    )


async def test_a_missing_folder_and_a_file_are_refused(runtime: Bench) -> None:
    assert (await runtime.run("Glob", {"pattern": "*", "path": "srd"})).code == "missing"
    assert (await runtime.run("Glob", {"pattern": "*", "path": "a.py"})).code == "not_folder"


@pytest.mark.skipif(sys.platform == "darwin", reason="there, names are always text")
async def test_a_name_that_is_no_text_is_told_without_breaking_anything(runtime: Bench) -> None:
    Path(os.fsdecode(os.fsencode(runtime.folder) + b"/odd-\xff\n.rs")).write_text("x")
    ran = await runtime.run("Glob", {"pattern": "*.rs"})
    assert ran.data["filenames"] == ["odd-\ufffd\n.rs"]
    json.dumps(ran.data, ensure_ascii=False).encode()


async def test_the_old_name_lists_a_folder(runtime: Bench) -> None:
    ran = await runtime.run("list_files", {"path": "src"})
    assert ran.data["filenames"] == ["src/b.py", "src/d.ts"]


async def test_a_search_that_is_cut_off_or_cancelled_leaves_no_process(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = runtime.folder / "pid"
    program = runtime.write(
        "rg", f"#!/bin/sh\necho $$ > {pid}\nprintf './a.py\\000./src/b'\nexec sleep 60\n", is_read=False
    )
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    task = asyncio.create_task(runtime.run("Glob", {"pattern": "*.py"}))
    while not (pid.exists() and pid.read_text().strip()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(pid.read_text()))
    runtime.limits = runtime.limits.__class__(glob_timeout_s=0.6)
    ran = await runtime.run("Glob", {"pattern": "*.py"})
    assert ran.text.startswith("a.py\n[The search took too long")
    assert (ran.data["timedOut"], ran.data["truncated"]) == (True, True)
    assert ran.progress[-1].message == "1 file so far · a.py"
    await gone(int(pid.read_text()))


def test_it_reads_where_it_searches_and_may_run_beside_others() -> None:
    tool = GlobTool()
    search = GlobInput(pattern="../lib/**/*.py", path="src")
    assert tool.claims(search) == Claims(reads=frozenset({"src/../lib"}))
    assert tool.claims(GlobInput(pattern="*.py")) == Claims(reads=frozenset({"."}))
    assert tool.is_read_only(search)
    assert tool.is_concurrency_safe(search)
