"""Read shows what a file holds, says what it left out, and refuses what is no text file."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tool_bench import Bench

from tui_agent.tools import files
from tui_agent.tools.file_state import FileRecord, FileState
from tui_agent.tools.files import WHOLE_FILE_LIMIT
from tui_agent.tools.resolved_path import ResolvedPath


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_lines_come_with_their_numbers(runtime: Bench) -> None:
    runtime.write("f", "one\r\ntwo\n\nfour")
    ran = await runtime.run("Read", {"file_path": "f"})
    assert ran.text == "1\tone\n2\ttwo\n3\t\n4\tfour"
    assert ran.data == {
        "type": "text",
        "file": {
            "filePath": str(runtime.folder / "f"),
            "content": "one\ntwo\n\nfour",
            "numLines": 4,
            "startLine": 1,
            "totalLines": 4,
        },
    }


async def test_a_part_is_shown_as_a_part(runtime: Bench) -> None:
    runtime.write("f", "".join(f"line {number}\n" for number in range(1, 11)))
    ran = await runtime.run("Read", {"file_path": "f", "offset": "4", "limit": 2})
    assert ran.text == "4\tline 4\n5\tline 5\n\n[PARTIAL view: lines 4–5 of 10. Read on with offset=6.]"
    ran = await runtime.run("Read", {"file_path": "f", "offset": 9})
    assert ran.text == "9\tline 9\n10\tline 10\n\n[PARTIAL view: lines 9–10 of 10.]"


async def test_a_long_file_is_shown_from_its_start(runtime: Bench) -> None:
    runtime.write("f", "x" * 99 + "\n" * 1 + ("y" * 99 + "\n") * 999)
    ran = await runtime.run("Read", {"file_path": "f"})
    shown = ran.data["file"]["numLines"]
    assert 200 < shown < 300
    assert f"[PARTIAL view: lines 1–{shown} of 1000. Read on with offset={shown + 1}.]" in ran.text


async def test_a_file_of_many_short_lines_that_fits_is_shown_whole(runtime: Bench) -> None:
    runtime.write("f", "x\n" * 2500)
    ran = await runtime.run("Read", {"file_path": "f"})
    assert ran.data["file"]["numLines"] == 2500
    assert "PARTIAL" not in ran.text


async def test_a_page_fits_the_conversation(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, result_chars=5000)
    runtime.write("f", f"{'x' * 99}\n" * 100)
    ran = await runtime.run("Read", {"file_path": "f"})
    assert len(ran.text) <= 5000
    assert "PARTIAL view" in ran.text
    assert ran.data["file"]["numLines"] > 30


async def test_a_long_line_is_cut_with_a_mark_only_where_not_everything_fits(runtime: Bench) -> None:
    runtime.write("fits", "x" * 2001 + "\n" + "y" * 2000)
    assert (await runtime.run("Read", {"file_path": "fits"})).text == f"1\t{'x' * 2001}\n2\t{'y' * 2000}"
    runtime.write("f", "x" * 20_000 + "\n" + "y" * 2000 + "\n" + "z" * 90_000, is_read=False)
    lines = (await runtime.run("Read", {"file_path": "f"})).text.split("\n")
    hint = "; offset=1 limit=1 shows all of it"
    assert lines == [
        f"1\t{'x' * 2000}… [line cut: 2,000 of 20,000 characters{hint}]",
        f"2\t{'y' * 2000}",
        f"3\t{'z' * 2000}… [line cut: 2,000 of 90,000 characters]",
    ]
    known = runtime.files.get(str(runtime.folder / "f"))
    assert known is not None
    assert (known.is_partial, known.is_cut) == (False, True)
    alone = await runtime.run("Read", {"file_path": "f", "offset": 1, "limit": 1})
    assert alone.text.startswith(f"1\t{'x' * 20_000}\n\n[PARTIAL")


async def test_a_range_that_does_not_fit_is_refused_with_one_that_does(runtime: Bench) -> None:
    runtime.write("f", f"{'x' * 99}\n" * 1000)
    ran = await runtime.run("Read", {"file_path": "f", "offset": 11, "limit": 500})
    assert ran.code == "too_long"
    (fitting,) = re.findall(r"\(offset=11, limit=(\d+)\)", ran.text)
    again = await runtime.run("Read", {"file_path": "f", "offset": 11, "limit": int(fitting)})
    assert again.data["file"]["numLines"] == int(fitting)
    assert (await runtime.run("Read", {"file_path": "f", "offset": 11, "limit": int(fitting) + 1})).code == "too_long"
    large = await runtime.run("Read", {"file_path": "f", "offset": 11, "limit": 500, "allow_large": True})
    assert large.text == again.text


async def test_an_empty_file_and_an_offset_past_the_end_are_told_apart(runtime: Bench) -> None:
    runtime.write("empty", "")
    runtime.write("f", "a\n")
    assert (await runtime.run("Read", {"file_path": "empty"})).text == "(the file is empty)"
    assert (
        await runtime.run("Read", {"file_path": "f", "offset": 7})
    ).text == "(the file has 1 line; line 7 is past its end)"


async def test_a_missing_file_brings_up_to_three_suggestions(runtime: Bench) -> None:
    for name in ("src/models.py", "src/model.ts", "src/modes.py", "src/mode.py", "other/modle.py"):
        runtime.write(name, "")
    ran = await runtime.run("Read", {"file_path": "src/modle.py"})
    assert (ran.is_error, ran.code) == (True, "missing")
    named = [part for part in ran.text.split() if part.startswith(str(runtime.folder)) and "modle.py" not in part]
    assert f"{runtime.folder}/src/models.py" in ran.text
    assert len(named) <= 3


async def test_a_file_in_another_folder_is_suggested_by_its_name(runtime: Bench) -> None:
    runtime.write("deep/down/config.toml", "")
    assert (
        f"Did you mean {runtime.folder}/deep/down/config.toml?"
        in (await runtime.run("Read", {"file_path": "config.toml"})).text
    )


async def test_a_link_in_a_circle_hides_no_suggestion(runtime: Bench) -> None:
    runtime.write("models.py", "")
    (runtime.folder / "circle").symlink_to("circle")
    ran = await runtime.run("Read", {"file_path": "model.py"})
    assert f"Did you mean {runtime.folder}/models.py?" in ran.text


async def test_another_case_in_a_path_is_the_first_guess(runtime: Bench) -> None:
    for name in ("src/App/Main.py", "main.py", "other/app/main.py"):
        runtime.write(name, "")
    ran = await runtime.run("Read", {"file_path": "SRC/app/main.py"})
    assert f"Did you mean {runtime.folder}/src/App/Main.py or {runtime.folder}/other/app/main.py or " in ran.text


async def test_the_search_for_a_name_ends_in_a_workspace_without_end(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MOST_NAMES", 20)
    for number in range(30):
        (runtime.folder / f"a{number}/b").mkdir(parents=True)
    runtime.write("z/deep/lost.py", "")
    looked: list[object] = []
    real = os.scandir
    monkeypatch.setattr(files.os, "scandir", lambda path: (looked.append(path), real(path))[1])
    assert "Did you mean" not in (await runtime.run("Read", {"file_path": "lost.py"})).text
    assert len(looked) < 25


async def test_a_denied_file_is_neither_read_nor_suggested(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret.txt": "Read(secret.txt)"})
    runtime.write("secret.txt", "x")
    assert (await runtime.run("Read", {"file_path": "secret.txt"})).code == "denied_path"
    assert "secret.txt?" not in (await runtime.run("Read", {"file_path": "secrets.txt"})).text


async def test_a_folder_is_refused(runtime: Bench) -> None:
    ran = await runtime.run("Read", {"file_path": "."})
    assert (ran.code, "folder" in ran.text) == ("folder", True)


async def test_a_pipe_and_a_device_are_refused_without_waiting(runtime: Bench) -> None:
    os.mkfifo(runtime.folder / "pipe")
    assert (await runtime.run("Read", {"file_path": "pipe"})).code == "not_regular"
    assert (await runtime.run("Read", {"file_path": "/dev/zero"})).code == "not_regular"


async def test_a_binary_file_is_refused(runtime: Bench) -> None:
    runtime.write("f", b"\x7fELF\2\1\1\0\0", is_read=False)
    ran = await runtime.run("Read", {"file_path": "f"})
    assert (ran.code, "not text" in ran.text, "base64" in ran.text) == ("binary", True, True)


async def test_a_file_without_permission_is_unreadable(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime.write("f", "x", is_read=False)

    def refuse(*_arguments: object) -> int:  # root, who runs tests in containers, may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ResolvedPath, "open", refuse)
    assert (await runtime.run("Read", {"file_path": "f"})).code == "unreadable"


async def test_a_huge_file_is_read_in_pages_and_never_edited(runtime: Bench) -> None:
    path = runtime.write("f", "first\nsecond\n", is_read=False)
    with path.open("ab") as file:
        for _ in range(WHOLE_FILE_LIMIT // (1 << 20) + 1):
            file.write(b"x" * ((1 << 20) - 1) + b"\n")
    ran = await runtime.run("Read", {"file_path": "f", "limit": 2})
    assert ran.text.startswith("1\tfirst\n2\tsecond\n\n[PARTIAL view")
    assert ran.data["file"]["totalLines"] is None
    ran = await runtime.run("Edit", {"file_path": "f", "old_string": "first", "new_string": "x"})
    assert ran.code == "too_large"


async def test_a_huge_hole_is_binary_and_not_loaded(runtime: Bench) -> None:
    path = runtime.write("f", "", is_read=False)
    os.truncate(path, 1 << 40)
    assert (await runtime.run("Read", {"file_path": "f"})).code == "binary"


async def test_a_file_in_another_encoding_is_shown_as_text(runtime: Bench) -> None:
    runtime.write("f", "Größe\n".encode("utf-16"))
    assert (await runtime.run("Read", {"file_path": "f"})).text == "1\tGröße"


async def test_other_names_of_the_tool_are_understood(runtime: Bench) -> None:
    runtime.write("f", "a")
    for name in ("read_file", "FileRead", "ReadTool"):
        field = "path" if name == "read_file" else "file_path"
        assert (await runtime.run(name, {field: "f"})).text == "1\ta"


def record(content: str, seen: tuple[int, int] | None = None, total: int = 10) -> FileRecord:
    ranges = (seen,) if seen else ()
    return FileRecord("f", content, 0, 0, is_partial=seen is not None, seen=ranges, total_lines=total)


def test_partial_reads_of_other_content_do_not_add_up() -> None:
    known_files = FileState()
    known_files.record(record("old", (0, 5)))
    known_files.record(record("new", (5, 10)))
    known = known_files.get("f")
    assert known is not None
    assert (known.is_partial, known.hash, known.seen) == (True, "new", ((5, 10),))


def test_a_partial_read_does_not_take_a_whole_one_away() -> None:
    known_files = FileState()
    known_files.record(record("same"))
    known_files.record(record("same", (0, 1)))
    known = known_files.get("f")
    assert known is not None
    assert not known.is_partial


def test_pages_with_a_gap_stay_partial() -> None:
    known_files = FileState()
    for seen in ((7, 10), (0, 4), (3, 6)):
        known_files.record(record("same", seen))
    known = known_files.get("f")
    assert known is not None
    assert (known.is_partial, known.seen) == (True, ((0, 6), (7, 10)))
    known_files.record(record("same", (6, 7)))
    known = known_files.get("f")
    assert known is not None
    assert not known.is_partial
