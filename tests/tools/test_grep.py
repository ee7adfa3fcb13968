"""Grep finds what ripgrep finds, shows a bounded part of it, and never hangs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from processes import gone
from tool_bench import Bench

from tui_agent.tools.shared_search import ripgrep
from tui_agent.tools.shared_search.ripgrep import find_ripgrep


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    runtime = Bench(tmp_path)
    runtime.write("src/cart.py", "def refund(cart):\n    return -cart.total\n\n# Refund is final\n")
    runtime.write("src/shop.ts", "refund();\n")
    runtime.write("notes.md", "no such word\n-x is an option\nf(x)\n")
    runtime.write(".hidden/config", "refund = 1\n")
    runtime.write(".gitignore", "build/\n")
    runtime.write("build/out.py", "refund\n")
    runtime.write(".git/index", "refund\n")
    return runtime


async def found(runtime: Bench, pattern: str, **more: Any) -> str:
    ran = await runtime.run("Grep", {"pattern": pattern, **more})
    assert not ran.is_error, ran.text
    return ran.text


async def test_paths_are_found_hidden_ones_too_but_not_ignored_ones(runtime: Bench) -> None:
    assert await found(runtime, "refund") == "Found 3 files\n.hidden/config\nsrc/cart.py\nsrc/shop.ts"


async def test_an_ignored_path_given_directly_is_searched(runtime: Bench) -> None:
    assert await found(runtime, "refund", path="build/out.py") == "Found 1 file\nbuild/out.py"
    assert await found(runtime, "refund", path="build") == "Found 1 file\nbuild/out.py"
    runtime.write(".gitignore", "build/**\n")
    note = "\n[Every file there is ignored by .gitignore; they were searched all the same.]"
    assert await found(runtime, "refund", path="build") == "Found 1 file\nbuild/out.py" + note
    assert await found(runtime, "nowhere", path="build") == "No files found"
    runtime.write("half/.gitignore", "a.py\n")
    runtime.write("half/a.py", "refund\n")
    assert await found(runtime, "refund", path="half") == "No files found", "only some of it is ignored"
    runtime.write("bare/b.py", "x\n")
    assert await found(runtime, "refund", path="bare") == "No files found"


async def test_lines_come_with_file_and_number(runtime: Bench) -> None:
    ran = await runtime.run("Grep", {"pattern": "refund", "output_mode": "content", "-i": True, "path": "src"})
    assert ran.text == "src/cart.py:1:def refund(cart):\nsrc/cart.py:4:# Refund is final\nsrc/shop.ts:1:refund();"
    assert ran.data["matches"][1] == {"file": "src/cart.py", "line": 4, "text": "# Refund is final", "isMatch": True}
    assert (ran.data["mode"], ran.data["numFiles"], ran.data["numMatches"], ran.data["numLines"]) == (
        "content",
        2,
        3,
        3,
    )
    assert (await found(runtime, "final", output_mode="content", **{"-n": False})) == "src/cart.py:# Refund is final"


async def test_context_is_marked_as_such_and_gaps_are_shown(runtime: Bench) -> None:
    runtime.write("f", "".join(f"{number}\n" for number in range(1, 21)))
    text = await found(runtime, "^(5|15)$", path="f", output_mode="content", **{"-A": 1, "-B": "1"})
    assert text == "f-4-4\nf:5:5\nf-6-6\n--\nf-14-14\nf:15:15\nf-16-16"
    around = await found(runtime, "^5$", path="f", output_mode="content", context=1)
    assert around == await found(runtime, "^5$", path="f", output_mode="content", **{"-C": 1}) == "f-4-4\nf:5:5\nf-6-6"


async def test_counts_cover_what_is_not_shown(runtime: Bench) -> None:
    ran = await runtime.run("Grep", {"pattern": "(?i)refund", "output_mode": "count", "head_limit": 1})
    assert ran.text == (".hidden/config:1\n… and 2 more files (offset=1 reads on)\nFound 4 matching lines in 3 files.")
    assert ran.data["counts"] == {".hidden/config": 1}


async def test_a_limit_says_how_many_more_there_are_and_offset_reads_on(runtime: Bench) -> None:
    runtime.write("f", "x\n" * 600)
    text = await found(runtime, "x", path="f", output_mode="content")
    assert text.count("f:") == 250
    assert text.endswith("f:250:x\n… and 350 more lines (offset=250 reads on)")
    text = await found(runtime, "x", path="f", output_mode="content", offset=595)
    assert text.splitlines()[0] == "f:596:x"
    assert "more" not in text
    assert (await found(runtime, "x", path="f", output_mode="content", head_limit=0)).count("f:") == 600
    assert (
        await found(runtime, "x", path="f", output_mode="content", offset=600)
        == "No entries at this offset: there are 600."
    )


async def test_no_match_is_no_error(runtime: Bench) -> None:
    assert await found(runtime, "nowhere") == "No files found"
    assert await found(runtime, "nowhere", output_mode="content") == "No matches found"


@pytest.mark.parametrize("pattern", ["-x is", "--files", "-e"])
async def test_a_pattern_that_begins_with_a_dash_is_only_a_pattern(runtime: Bench, pattern: str) -> None:
    runtime.write("f", "-e --files\n")
    assert (await found(runtime, pattern)).startswith("Found 1 file")


@pytest.mark.parametrize("field", ["glob", "type", "path"])
async def test_no_field_can_become_an_option(runtime: Bench, field: str) -> None:
    ran = await runtime.run("Grep", {"pattern": "refund", field: "--pre=touch pwned"})
    assert not (runtime.folder / "pwned").exists()
    assert "touch" not in ran.text or ran.is_error


async def test_a_bad_pattern_brings_ripgrep_s_own_words(runtime: Bench) -> None:
    ran = await runtime.run("Grep", {"pattern": "f(x"})
    assert (ran.kind, "unclosed group" in ran.text) == ("execution", True)
    assert "f(x)" in await found(runtime, "f(x", literal=True, output_mode="content")


async def test_glob_and_type_narrow_the_search(runtime: Bench) -> None:
    assert await found(runtime, "refund", glob="*.ts") == "Found 1 file\nsrc/shop.ts"
    assert await found(runtime, "refund", type="py") == "Found 1 file\nsrc/cart.py"
    assert await found(runtime, "refund", glob="*.{ts,py}") == "Found 2 files\nsrc/cart.py\nsrc/shop.ts"
    assert await found(runtime, "refund", path="src", glob="/cart.*") == "Found 1 file\nsrc/cart.py"


async def test_a_glob_takes_in_nothing_that_gitignore_names_and_nothing_of_git(runtime: Bench) -> None:
    runtime.write(".gitignore", "build/\n*.log\n!keep.log\n")
    runtime.write("x.log", "refund\n")
    runtime.write("keep.log", "refund\n")
    for glob in ("**/*", "*", "**"):
        text = await found(runtime, "refund", glob=glob)
        assert text == "Found 4 files\n.hidden/config\nkeep.log\nsrc/cart.py\nsrc/shop.ts"
    assert await found(runtime, "refund", glob="x.log") == "No files found"
    # What .gitignore takes back in still has to match.
    assert await found(runtime, "refund", glob="*.ts") == "Found 1 file\nsrc/shop.ts"
    assert await found(runtime, "refund", glob="!src, !*.log") == "Found 1 file\n.hidden/config"


async def test_a_broken_glob_and_an_unknown_type_bring_ripgrep_s_own_words(runtime: Bench) -> None:
    ran = await runtime.run("Grep", {"pattern": "x", "glob": "*.{py"})
    assert (ran.kind, "/dev/fd" in ran.text) == ("execution", False)
    assert "error parsing glob '*.{py': unclosed alternate group" in ran.text
    assert "parsing glob '!*.{py'" in (await runtime.run("Grep", {"pattern": "x", "glob": "!*.{py"})).text
    ran = await runtime.run("Grep", {"pattern": "x", "type": "nonsense"})
    assert (ran.kind, "nonsense" in ran.text) == ("execution", True)


async def test_the_old_name_takes_include(runtime: Bench) -> None:
    ran = await runtime.run("grep_search", {"pattern": "refund", "include": "*.ts"})
    assert ran.text == "Found 1 file\nsrc/shop.ts"


async def test_plain_text_may_span_lines(runtime: Bench) -> None:
    text = "-cart.total\n\n# Refund"
    assert await found(runtime, text, literal=True) == "Found 1 file\nsrc/cart.py"
    lines = await found(runtime, text, literal=True, output_mode="content")
    assert lines == "src/cart.py:2:    return -cart.total\nsrc/cart.py:3:\nsrc/cart.py:4:# Refund is final"


async def test_a_pattern_may_span_lines(runtime: Bench) -> None:
    assert await found(runtime, r"cart\):.*total", multiline=True) == "Found 1 file\nsrc/cart.py"


async def test_only_what_matched_is_shown_when_asked(runtime: Bench) -> None:
    assert (
        await found(runtime, "ref[a-z]+", path="src/shop.ts", output_mode="content", **{"-o": True})
        == "src/shop.ts:1:refund"
    )


async def test_a_denied_file_is_not_shown(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret.env": "Read(secret.env)", "vault": "Read(vault)"})
    runtime.write("secret.env", "key=1\n")
    runtime.write("open.env", "key=2\n")
    for mode in ("files_with_matches", "content", "count"):
        text = await found(runtime, "key", output_mode=mode)
        assert ("open.env" in text, "secret" in text) == (True, False)
    assert (await runtime.run("Grep", {"pattern": "x", "path": "vault"})).code == "denied_path"


async def test_a_missing_path_and_a_pipe_are_refused(runtime: Bench) -> None:
    ran = await runtime.run("Grep", {"pattern": "x", "path": "src/cart.p"})
    assert (ran.code, f"{runtime.folder}/src/cart.py" in ran.text) == ("missing", True)
    os.mkfifo(runtime.folder / "pipe")
    assert (await runtime.run("Grep", {"pattern": "x", "path": "pipe"})).code == "not_regular"


async def test_paths_outside_the_working_folder_are_absolute(runtime: Bench) -> None:
    runtime.workspace.cwd = runtime.folder / "src"
    assert await found(runtime, "refund", glob="*.ts") == "Found 1 file\nshop.ts"
    assert await found(runtime, "word", path="../notes.md") == f"Found 1 file\n{runtime.folder}/notes.md"


@pytest.mark.skipif(sys.platform == "darwin", reason="there, names are always text")
@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
async def test_a_name_that_is_no_text_is_told_without_breaking_anything(mode: str, runtime: Bench) -> None:
    Path(os.fsdecode(os.fsencode(runtime.folder) + b"/odd-\xff")).write_text("odd one out\n")
    ran = await runtime.run("Grep", {"pattern": "odd one", "output_mode": mode})
    assert "odd-\ufffd" in ran.text
    json.dumps(ran.data, ensure_ascii=False).encode()


async def test_content_that_is_no_text_is_told_without_breaking_anything(runtime: Bench) -> None:
    runtime.write("latin", "caf\xe9 refunded\r\n".encode("latin-1"))
    runtime.write("zeros", b"refunded\n\0\n", is_read=False)
    ran = await runtime.run("Grep", {"pattern": "refunded", "output_mode": "content"})
    assert ran.text.splitlines()[0] == "latin:1:caf\ufffd refunded"
    assert ran.data["numMatches"] == 1
    ran = await runtime.run("Grep", {"pattern": "refunded", "output_mode": "content", "path": "zeros"})
    assert ran.text == 'zeros:binary file matches (found "\\0" byte around offset 9)'
    json.dumps(ran.data, ensure_ascii=False).encode()


CLOSED = "rg: ./vault: Permission denied (os error 13)"


@pytest.mark.parametrize(
    ("printed", "said", "told"),
    [
        (
            "./notes.md\\0001:refund\\n",
            CLOSED,
            "notes.md:1:refund\n[Not everything could be searched: ./vault: Permission",
        ),
        ("", CLOSED, "No matches found\n[Not everything could be searched: ./vault: Permission"),
        ("", "rg: out of memory", None),
        ("", "", None),
    ],
)
async def test_what_could_not_be_read_is_a_remark_and_what_could_not_be_done_an_error(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch, printed: str, said: str, told: str | None
) -> None:
    program = runtime.write("rg", f"#!/bin/sh\nprintf '{printed}'\necho '{said}' >&2\nexit 2\n", is_read=False)
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    runtime.write("notes.md", "refund\n", is_read=False)
    runtime.write("vault/x", "", is_read=False)
    ran = await runtime.run("Grep", {"pattern": "x", "output_mode": "content"})
    assert (ran.kind, ran.text.startswith(told or "The search failed. ")) == (None if told else "execution", True)


async def test_a_long_line_is_cut(runtime: Bench) -> None:
    runtime.write("f", "x" * 100_000 + "\n")
    assert len(await found(runtime, "x", path="f", output_mode="content")) < 1500


@pytest.mark.parametrize(
    ("line", "pattern", "more", "shown"),
    [
        ("x" * 3000 + " needle " + "y" * 3000, "needle", {}, f"…{'x' * 299} needle {'y' * 299}…"),
        ("needle " + "y" * 3000, "needle", {}, f"needle {'y' * 299}…"),
        ("x" * 3000 + " needle", "needle", {}, f"…{'x' * 299} needle"),
        ("ü" * 3000 + "Needle" + "ß" * 10, "needle", {"-i": True}, f"…{'ü' * 300}Needle{'ß' * 10}"),
        ("x" * 3000 + "f(a.b)[0]" + "y" * 3000, "f(a.b)[0]", {"literal": True}, f"…{'x' * 300}f(a.b)[0]{'y' * 300}…"),
        ("x" * 3000 + "a1b" + "-" * 9 + "a2b", r"(?P<n>a)\d|q", {}, f"…{'x' * 300}a1b{'-' * 9}a2b"),
        ("x" * 3000, "x+", {}, "x" * 400 + "…"),
        ("x" * 3000 + " needle\r", "needle", {}, f"…{'x' * 299} needle"),
        ("x" * 3000 + "\x1f needle", "needle", {}, f"…{'x' * 298}\x1f needle"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["a folder/[x] !#.min.js", "f"])
async def test_of_a_long_line_the_match_is_shown(
    runtime: Bench, place: str, line: str, pattern: str, more: dict[str, Any], shown: str
) -> None:
    runtime.write(place, f"first\n{line}\nlast\n")
    runtime.write("a folder/other.js", "x" * 3000 + "\n")
    for path in ({}, {"path": place}):
        ran = await runtime.run("Grep", {"pattern": pattern, "output_mode": "content", **path, **more})
        (found_line,) = (match for match in ran.data["matches"] if match["file"] == place)
        assert (found_line["line"], found_line["text"]) == (2, shown)


async def test_long_lines_around_a_match_show_their_beginning(runtime: Bench) -> None:
    runtime.write("f", "x" * 3000 + "\nneedle\n" + "y" * 3000 + "\n")
    ran = await runtime.run("Grep", {"pattern": "needle", "path": "f", "output_mode": "content", "-C": 1})
    assert [match["text"] for match in ran.data["matches"]] == ["x" * 1000 + "…", "needle", "y" * 1000 + "…"]


async def test_a_file_in_which_every_line_is_long_is_searched_in_time(runtime: Bench) -> None:
    runtime.write("f", "".join("x" * 5000 + f" needle{number} " + "needle y" * 5000 + "\n" for number in range(60)))
    ran = await runtime.run("Grep", {"pattern": "needle", "path": "f", "output_mode": "content"})
    assert all(f" needle{number} " in match["text"] for number, match in enumerate(ran.data["matches"]))
    assert len(ran.data["matches"]) == 60


SLOW_RIPGREP = "#!/bin/sh\necho $$ > {pid}\nprintf './a.py\\0001:found\\n'\nexec sleep 60\n"


@pytest.fixture
def slow_ripgrep(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ripgrep that finds one line and then goes on for a minute; its process id is in the file that is returned."""
    pid = runtime.folder / "pid"
    runtime.write("a.py", "found\n", is_read=False)
    program = runtime.write("rg", SLOW_RIPGREP.format(pid=pid, folder=runtime.folder), is_read=False)
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    return pid


async def test_a_search_that_takes_too_long_shows_what_it_found_so_far(runtime: Bench, slow_ripgrep: Path) -> None:
    runtime.limits = runtime.limits.__class__(search_timeout_s=0.5)
    ran = await runtime.run("Grep", {"pattern": "x", "output_mode": "content"})
    assert not ran.is_error
    assert ran.text.startswith("a.py:1:found\n[The search took too long")
    assert ran.data["timedOut"] is True
    assert ran.progress[-1].message.endswith("in 1 file so far · a.py")
    await gone(int(slow_ripgrep.read_text()))


async def test_a_search_that_finds_without_end_is_stopped(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    program = runtime.write("rg", "#!/bin/sh\nexec yes 'no path at all but a long line of it'\n", is_read=False)
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    runtime.limits = runtime.limits.__class__(search_timeout_s=0.3)
    assert (await runtime.run("Grep", {"pattern": "x", "output_mode": "content"})).data["timedOut"] is True


async def test_a_search_that_is_cancelled_leaves_no_process(runtime: Bench, slow_ripgrep: Path) -> None:
    task = asyncio.create_task(runtime.run("Grep", {"pattern": "x"}))
    while not (slow_ripgrep.exists() and slow_ripgrep.read_text().strip()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(slow_ripgrep.read_text()))


LINES = st.lists(st.sampled_from(["", "ab", "a b", "b-a:1", "aab", "é“x”", "x:2:y", "--"]), max_size=8)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    contents=st.lists(LINES, min_size=1, max_size=3),
    pattern=st.sampled_from(["a", "b", "a.b", "^$", "x", "zz", "-", ":"]),
    mode=st.sampled_from(["content", "files_with_matches", "count"]),
    context=st.integers(0, 2),
    ignore_case=st.booleans(),
)
def test_what_is_found_is_what_plain_ripgrep_finds(
    contents: list[list[str]], pattern: str, mode: str, context: int, ignore_case: bool, tmp_path: Path
) -> None:
    runtime = Bench(tmp_path)
    for number in range(3):
        lines = contents[number] if number < len(contents) else []
        runtime.write(f"f{number}-1.txt", "".join(line + "\n" for line in lines))
    flags = {
        "content": ["--no-heading", "--line-number", f"--context={context}"],
        "files_with_matches": ["-l"],
        "count": ["-c"],
    }[mode]
    program = find_ripgrep()
    assert program
    plain = subprocess.run(
        [program, "--no-config", "--sort=path", "-H", *flags, *(["-i"] if ignore_case else []), "-e", pattern,
         *(f"f{number}-1.txt" for number in range(3))],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    raw = {"pattern": pattern, "output_mode": mode, "-C": context, "-i": ignore_case, "glob": "*.txt"}
    text = asyncio.run(runtime.run("Grep", raw)).text
    if not plain:
        assert text.startswith("No ")
    elif mode == "content":
        assert text + "\n" == plain
    elif mode == "files_with_matches":
        assert text.split("\n")[1:] == plain.split("\n")[:-1]
    else:
        assert text.split("\n")[:-1] == plain.split("\n")[:-1]


@pytest.mark.skipif(sys.platform != "linux", reason="not covered here: the system does not limit other processes")
@pytest.mark.parametrize("name", [".gitignore", ".ignore", "src/.rgignore"])
async def test_a_device_in_place_of_a_list_of_what_to_ignore_fills_no_memory(runtime: Bench, name: str) -> None:
    (runtime.folder / name).unlink(missing_ok=True)
    (runtime.folder / name).symlink_to("/dev/zero")
    ran = await runtime.run("Grep", {"pattern": "refund"})
    assert ran.is_error
    assert "memory" in ran.text or "is a link to a device" in ran.text, "it ended before its time was up"
    assert name in ran.text


@pytest.mark.parametrize("name", [".gitignore", ".ignore", "src/.rgignore", ".git/info/exclude"])
@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize("tool", ["Grep", "Glob", "LS"])
async def test_a_pipe_in_place_of_a_list_of_what_to_ignore_holds_nothing_up(
    runtime: Bench, name: str, tool: str, *, is_link: bool
) -> None:
    place = runtime.folder / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    pipe = runtime.folder / "src/pipe" if is_link else place
    os.mkfifo(pipe)
    if is_link:
        place.symlink_to(pipe)
    began = time.monotonic()
    ran = await runtime.run(tool, {"Grep": {"pattern": "refund"}, "Glob": {"pattern": "**/*.py"}, "LS": {}}[tool])
    assert time.monotonic() - began < 10, "a search may take 20 seconds"
    assert not ran.is_error
    assert "cart.py" in ran.text
    if tool != "Glob":  # which reads none of them
        assert f"{name} is {'a link to ' * is_link}a pipe" in ran.text


async def test_a_pipe_that_another_program_keeps_open_ends_the_search(runtime: Bench) -> None:
    os.mkfifo(runtime.folder / "src/.ignore")
    handle = os.open(runtime.folder / "src/.ignore", os.O_RDWR)
    try:
        ran = await runtime.run("Grep", {"pattern": "refund"})
    finally:
        os.close(handle)
    assert ran.is_error
    assert "src/.ignore is a pipe" in ran.text


@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude"])
async def test_a_list_that_is_too_long_is_named(runtime: Bench, name: str) -> None:
    (runtime.folder / name).parent.mkdir(exist_ok=True)
    with (runtime.folder / name).open("wb") as file:
        file.truncate(5 << 30)
    ran = await runtime.run("Grep", {"pattern": "refund"})
    assert ran.is_error
    assert f"{name} is a file of 5,368,709,120 bytes" in ran.text
