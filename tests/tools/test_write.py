"""Write makes files and replaces whole ones: as approved, never over what was not read, and never half."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tool_bench import Bench

FAR = "\n" * 9  # lines enough between two changes that they are two hunks


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def write(path: str, content: str) -> dict[str, Any]:
    return {"file_path": path, "content": content}


async def test_a_new_file_needs_no_reading_and_gets_its_folders(runtime: Bench) -> None:
    ran = await runtime.run("Write", write("a/b/new.py", "x = 1\ny = 2\n"))
    assert (runtime.folder / "a/b/new.py").read_text() == "x = 1\ny = 2\n"
    assert ran.text == f"Created the new file {runtime.folder}/a/b/new.py with 2 lines.\n\n1\tx = 1\n2\ty = 2"
    assert (ran.data["type"], ran.data["content"], ran.data["originalFile"]) == ("create", "x = 1\ny = 2\n", None)


async def test_the_first_thirty_lines_and_the_count_come_back(runtime: Bench) -> None:
    ran = await runtime.run("Write", write("f", "".join(f"line {number}\n" for number in range(1, 101))))
    assert "with 100 lines" in ran.text
    assert ran.text.endswith("30\tline 30\n[… 70 more lines]")


async def test_a_file_that_was_not_read_is_left_alone(runtime: Bench) -> None:
    path = runtime.write("f", "old", is_read=False)
    ran = await runtime.run("Write", write("f", "new"))
    assert (ran.kind, ran.code, path.read_text()) == ("validation", "not_read", "old")


async def test_a_partial_view_is_not_enough_to_replace_it_all(runtime: Bench) -> None:
    runtime.write("f", "a\nb\n", is_read=False)
    await runtime.run("Read", {"file_path": "f", "limit": 1})
    assert (await runtime.run("Write", write("f", "new"))).code == "partial_view"


async def test_lines_of_which_only_the_beginning_was_shown_are_not_written_over(runtime: Bench) -> None:
    path = runtime.write("f", "a\nb\n")
    known = runtime.files.get(str(path))
    assert known is not None
    runtime.files.record(replace(known, is_cut=True))
    assert (await runtime.run("Write", write("f", "new"))).code == "partial_view"
    by_line = {"edits": [{"file_path": "f", "edits": [{"start_line": 1, "new_string": "x"}]}]}
    assert (await runtime.run("MultiEdit", by_line)).code == "partial_view"
    by_text = {"edits": [{"file_path": "f", "edits": [{"old_string": "a", "new_string": "x"}]}]}
    assert not (await runtime.run("MultiEdit", by_text)).is_error
    assert path.read_text() == "x\nb\n"


async def test_other_content_on_disk_is_refused_and_the_same_under_a_new_time_passes(runtime: Bench) -> None:
    path = runtime.write("f", "old\n")
    path.write_text("somebody else's\n")
    assert (await runtime.run("Write", write("f", "new\n"))).code == "changed_on_disk"
    assert path.read_text() == "somebody else's\n"
    path.write_text("old\n")
    assert not (await runtime.run("Write", write("f", "new\n"))).is_error


@pytest.mark.parametrize("path", ["", "a\0b", "//host/f", "folder/"])
async def test_what_is_no_path_is_a_bad_path(runtime: Bench, path: str) -> None:
    assert (await runtime.run("Write", write(path, "x"))).code == "bad_path"


async def test_a_folder_a_file_on_the_way_and_a_link_to_nowhere_are_bad_paths(runtime: Bench) -> None:
    runtime.write("f", "x")
    (runtime.folder / "d").mkdir()
    (runtime.folder / "link").symlink_to("nowhere")
    for path in ("d", "f/g", "link"):
        assert (await runtime.run("Write", write(path, "x"))).code == "bad_path", path


async def test_a_denied_path_is_refused_with_the_rule(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret": "Edit(secret) in the project settings"})
    ran = await runtime.run("Write", write("secret", "x"))
    assert (ran.code, "Edit(secret)" in ran.text, (tmp_path / "secret").exists()) == ("denied_path", True, False)


async def test_a_file_that_became_binary_is_refused(runtime: Bench) -> None:
    runtime.write("f", "a").write_bytes(b"a\0b")
    assert (await runtime.run("Write", write("f", "x"))).code == "binary"


async def test_writing_what_is_there_is_no_change(runtime: Bench) -> None:
    runtime.write("f", "same\r\n")
    assert (await runtime.run("Write", write("f", "same\n"))).code == "no_change"


async def test_encoding_mark_mode_and_line_endings_of_an_existing_file_are_kept(runtime: Bench) -> None:
    path = runtime.write("f.sh", b"\xff\xfe" + "é\r\nb\r\n".encode("utf-16-le"))
    path.chmod(0o754)
    assert not (await runtime.run("Write", write("f.sh", "ü\nc\n"))).is_error
    assert path.read_bytes() == b"\xff\xfe" + "ü\r\nc\r\n".encode("utf-16-le")
    assert stat.S_IMODE(path.stat().st_mode) == 0o754


async def test_endings_that_were_written_on_purpose_and_mixed_ones_are_left(runtime: Bench) -> None:
    path = runtime.write("f", "a\nb\n")
    await runtime.run("Write", write("f", "a\r\nc\r\n"))
    assert path.read_bytes() == b"a\r\nc\r\n"
    path = runtime.write("g", "a\r\nb\n")
    await runtime.run("Write", write("g", "a\nc\n"))
    assert path.read_bytes() == b"a\nc\n"


async def test_a_byte_order_mark_is_never_doubled(runtime: Bench) -> None:
    path = runtime.write("f", b"\xef\xbb\xbfa\n")
    await runtime.run("Write", write("f", "\ufeffb\n"))
    assert path.read_bytes() == b"\xef\xbb\xbfb\n"
    await runtime.run("Write", write("new", "\ufeffb\n"))
    assert (runtime.folder / "new").read_bytes() == b"\xef\xbb\xbfb\n"


async def test_a_character_that_the_encoding_lacks_is_an_error_and_the_file_stays(runtime: Bench) -> None:
    data = "Größe\n".encode("cp1252")
    path = runtime.write("f", data)
    ran = await runtime.run("Write", write("f", "文\n"))
    assert (ran.code, path.read_bytes()) == ("unencodable", data)


async def test_a_link_stays_a_link(runtime: Bench) -> None:
    runtime.write("real", "a\n", is_read=False)
    link = runtime.folder / "link"
    link.symlink_to("real")
    runtime.know(link)
    await runtime.run("Write", write("link", "b\n"))
    assert (link.is_symlink(), (runtime.folder / "real").read_text()) == (True, "b\n")


async def test_only_the_hunks_that_were_taken_are_written_and_the_model_is_told_which(runtime: Bench) -> None:
    path = runtime.write("f", f"a{FAR}b{FAR}c\n")
    ran = await runtime.run("Write", write("f", f"A{FAR}B{FAR}C\n"), accepted={0, 2})
    assert path.read_text() == f"A{FAR}b{FAR}C\n"
    assert "Of its 3 hunks, accepted: 1, 3; refused: 2." in ran.text
    assert "Refused hunk 2, at line 10:\n-b\n+B\n" in ran.text
    assert "+B" not in ran.text.split("@@", 1)[1]
    assert ran.data["content"] == f"A{FAR}b{FAR}C\n"
    assert not (await runtime.run("Edit", {"file_path": "f", "old_string": "b", "new_string": "x"})).is_error


async def test_nothing_taken_of_a_new_file_makes_none(runtime: Bench) -> None:
    ran = await runtime.run("Write", write("sub/f", "a\n"), accepted=set())
    assert ran.text.startswith("Nothing was written to")
    assert not (runtime.folder / "sub").exists()
    assert ran.data["structuredPatch"] == []


async def test_what_the_person_wrote_counts_as_read_only_where_the_model_sees_all_of_it(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, result_chars=400)
    runtime.write("f", "a\n")
    await runtime.run("Write", write("f", "b\n"), edited="c\n")
    assert not (await runtime.run("Edit", {"file_path": "f", "old_string": "c", "new_string": "d"})).is_error
    await runtime.run("Write", write("f", "b\n"), edited="long\n" * 200)
    assert (await runtime.run("Edit", {"file_path": "f", "old_string": "x", "new_string": "d"})).code == "partial_view"


async def test_its_own_file_counts_as_read(runtime: Bench) -> None:
    await runtime.run("Write", write("f", "a\n"))
    assert not (await runtime.run("Write", write("f", "b\n"))).is_error
    assert (runtime.folder / "f").read_text() == "b\n"


async def test_another_name_of_the_old_file_is_told(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    (runtime.folder / "g").hardlink_to(path)
    ran = await runtime.run("Write", write("f", "b\n"))
    assert "another name (a hard link)" in ran.text
    assert ((runtime.folder / "g").read_text(), path.read_text()) == ("a\n", "b\n")


async def test_other_names_of_the_tool_and_its_fields_are_understood(runtime: Bench) -> None:
    assert not (await runtime.run("write_file", {"path": "f", "content": "a"})).is_error
    assert not (await runtime.run("FileWrite", {"file_path": "f", "text": "b"})).is_error
    assert (runtime.folder / "f").read_text() == "b"
