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
from tui_agent.tools.searching import ripgrep

FILES = ("a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".env", "build/out.py", "x/-e", "!odd.py", "#odd.py")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    for age, name in enumerate(FILES):
        os.utime(bench.write(name, "x\n", is_read=False), (1_000_000 - age, 1_000_000 - age))
    bench.write(".gitignore", "build/\n.env\n", is_read=False)
    bench.write(".git/hook.py", "x\n", is_read=False)
    return bench


async def names(bench: Bench, pattern: str, **more: Any) -> list[str]:
    ran = await bench.run("Glob", {"pattern": pattern, **more})
    assert not ran.is_error, ran.text
    assert ran.data["numFiles"] == len(ran.data["filenames"])
    return list(ran.data["filenames"])


async def test_files_come_newest_first_ignored_ones_too_but_nothing_of_git(bench: Bench) -> None:
    found = ["a.py", "src/b.py", "src/deep/c.py", "build/out.py", "!odd.py", "#odd.py"]
    assert await names(bench, "**/*.py") == await names(bench, "*.py") == found
    assert ".env" in await names(bench, "*")
    assert (await bench.run("Glob", {"pattern": "*.ts"})).text == "src/d.ts"


@pytest.mark.parametrize("value", ["false", "0", "FALSE"])
async def test_the_environment_may_ask_for_gitignore_to_count(bench: Bench, value: str) -> None:
    bench.environment = {"CLAUDE_CODE_GLOB_NO_IGNORE": value}
    assert "build/out.py" not in await names(bench, "**/*.py")
    assert await names(bench, ".env") == []
    bench.write(".gitignore", "build/\n!.env\n")
    assert ".env" not in await names(bench, "*.py"), "what .gitignore takes back in still has to match"


async def test_the_environment_may_ask_for_hidden_files_to_be_left_out(bench: Bench) -> None:
    assert ".env" in await names(bench, "*")
    bench.environment = {"CLAUDE_CODE_GLOB_HIDDEN": "false"}
    assert ".env" not in await names(bench, "*")
    assert "build/out.py" in await names(bench, "**/*.py")


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
async def test_patterns_mean_what_people_expect(bench: Bench, pattern: str, path: str | None, found: list[str]) -> None:
    assert await names(bench, pattern, path=path) == found


async def test_an_absolute_pattern_starts_where_it_says(bench: Bench) -> None:
    assert await names(bench, f"{bench.folder}/src/*.py") == ["src/b.py"]
    bench.workspace.cwd = bench.folder / "src"
    assert await names(bench, f"{bench.folder}/a.p?") == [f"{bench.folder}/a.py"]
    assert await names(bench, "*.py") == ["b.py", "deep/c.py"]


async def test_nothing_found_says_so_and_names_a_folder_that_may_be_meant(bench: Bench) -> None:
    assert (await bench.run("Glob", {"pattern": "*.rs"})).text == "No files found"
    assert (await bench.run("Glob", {"pattern": "src"})).text.endswith(
        "src is a folder; `src/**` finds the files in it."
    )
    assert "There is no folder" in (await bench.run("Glob", {"pattern": "gone/*"})).text


async def test_more_than_the_limit_is_counted(bench: Bench) -> None:
    for number in range(LIMIT + 23):
        bench.write(f"many/{number}.txt", "", is_read=False)
    ran = await bench.run("Glob", {"pattern": "*.txt"})
    assert len(ran.data["filenames"]) == LIMIT
    assert (ran.data["truncated"], ran.data["moreEntries"]) == (True, 23)
    assert ran.text.splitlines()[-1].startswith("… and 23 more")
    assert set(ran.data) >= {"filenames", "numFiles", "truncated", "durationMs"}


async def test_denied_files_are_not_named_and_denied_folders_not_searched(tmp_path: Path) -> None:
    bench = Bench(tmp_path, denied={"a.key": "Read(a.key)", "vault": "Read(vault)"})
    bench.write("a.key", "")
    bench.write("b.key", "")
    ran = await bench.run("Glob", {"pattern": "*.key"})
    assert (ran.text, ran.data["moreEntries"]) == ("b.key", 0)
    for asked in ({"pattern": "*", "path": "vault"}, {"pattern": "vault/*"}, {"pattern": f"{tmp_path}/vault/**"}):
        assert (await bench.run("Glob", asked)).code == "denied_path"


@pytest.mark.parametrize("pattern", ["", " ", "a\0b", "a\nb", "*/../../etc/*", "x" * 5000])
async def test_what_is_no_glob_is_refused(bench: Bench, pattern: str) -> None:
    assert (await bench.run("Glob", {"pattern": pattern})).code == "bad_pattern"


async def test_a_broken_glob_brings_ripgrep_s_own_words(bench: Bench) -> None:
    ran = await bench.run("Glob", {"pattern": "*.{py"})
    assert (ran.kind, "glob '*.{py': unclosed alternate group" in ran.text, "/dev/fd" in ran.text) == (
        "execution",
        True,
        False,
    )


async def test_a_missing_folder_and_a_file_are_refused(bench: Bench) -> None:
    assert (await bench.run("Glob", {"pattern": "*", "path": "srd"})).code == "missing"
    assert (await bench.run("Glob", {"pattern": "*", "path": "a.py"})).code == "not_folder"


@pytest.mark.skipif(sys.platform == "darwin", reason="there, names are always text")
async def test_a_name_that_is_no_text_is_told_without_breaking_anything(bench: Bench) -> None:
    Path(os.fsdecode(os.fsencode(bench.folder) + b"/odd-\xff\n.rs")).write_text("x")
    ran = await bench.run("Glob", {"pattern": "*.rs"})
    assert ran.data["filenames"] == ["odd-\ufffd\n.rs"]
    json.dumps(ran.data, ensure_ascii=False).encode()


async def test_the_old_name_lists_a_folder(bench: Bench) -> None:
    ran = await bench.run("list_files", {"path": "src"})
    assert ran.data["filenames"] == ["src/b.py", "src/d.ts"]


async def test_a_search_that_is_cut_off_or_cancelled_leaves_no_process(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = bench.folder / "pid"
    program = bench.write(
        "rg", f"#!/bin/sh\necho $$ > {pid}\nprintf './a.py\\000./src/b'\nexec sleep 60\n", is_read=False
    )
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    task = asyncio.create_task(bench.run("Glob", {"pattern": "*.py"}))
    while not (pid.exists() and pid.read_text().strip()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(pid.read_text()))
    bench.limits = bench.limits.__class__(search_timeout_s=0.6)
    ran = await bench.run("Glob", {"pattern": "*.py"})
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
