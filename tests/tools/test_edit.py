"""Edit refuses what it must, writes exactly what was approved, and tells the model what came of it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tool_bench import Bench, plan_of

from tui_agent.tools.base import ToolError
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.edit.tool import EditTool
from tui_agent.tools.file_changes import atomic
from tui_agent.tools.files import WHOLE_FILE_LIMIT

FAR = "\n" * 9  # lines enough between two changes that they are two hunks


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def edit(path: str, old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"file_path": path, "old_string": old, "new_string": new, **more}


# --- the checks, in order of cost


async def test_equal_texts_are_no_change(runtime: Bench) -> None:
    ran = await runtime.run("Edit", edit("nowhere", "a", "a"))
    assert (ran.code, ran.kind) == ("no_change", "validation")


@pytest.mark.parametrize(
    "path", ["", "  ", "a\0b", "a\nb", "x" * 5000, "//host/share/f", "\\\\host\\f", "folder/", ".."]
)
async def test_what_is_no_path_is_a_bad_path(runtime: Bench, path: str) -> None:
    assert (await runtime.run("Edit", edit(path, "a", "b"))).code == "bad_path"


async def test_a_denied_path_is_refused_with_the_rule(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret": "Edit(secret) in the project settings"})
    runtime.write("secret", "a")
    ran = await runtime.run("Edit", edit("./x/../secret", "a", "b"))
    assert ran.code == "denied_path"
    assert "Edit(secret)" in ran.text


async def test_a_notebook_is_refused(runtime: Bench) -> None:
    runtime.write("n.ipynb", "{}")
    assert (await runtime.run("Edit", edit("n.ipynb", "{", "["))).code == "is_notebook"


async def test_a_file_that_was_not_read_is_refused(runtime: Bench) -> None:
    runtime.write("f", "a", is_read=False)
    ran = await runtime.run("Edit", edit("f", "a", "b"))
    assert ran.code == "not_read"
    assert "Read it first" in ran.text


async def test_a_partial_view_is_not_enough(runtime: Bench) -> None:
    runtime.write("f", "a\nb\n", is_read=False)
    await runtime.run("Read", {"file_path": "f", "limit": 1})
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "partial_view"


async def test_pages_that_cover_the_file_are_as_good_as_a_whole_read(runtime: Bench) -> None:
    path = runtime.write("f", "a\nb\nc\n", is_read=False)
    await runtime.run("Read", {"file_path": "f", "offset": 2})
    await runtime.run("Read", {"file_path": "f", "limit": 1})
    assert not (await runtime.run("Edit", edit("f", "b", "x"))).is_error
    assert path.read_text() == "a\nx\nc\n"


async def test_a_file_that_is_gone_is_missing(runtime: Bench) -> None:
    runtime.write("f", "a").unlink()
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "missing"


async def test_a_new_file_is_not_made_over_an_old_one(runtime: Bench) -> None:
    path = runtime.write("f", "a")
    assert (await runtime.run("Edit", edit("f", "", "b"))).code == "exists"
    assert path.read_text() == "a"


async def test_a_new_file_is_not_made_over_a_dangling_link(runtime: Bench) -> None:
    (runtime.folder / "link").symlink_to("nowhere")
    assert (await runtime.run("Edit", edit("link", "", "b"))).code == "exists"


async def test_a_file_that_grew_too_large_is_refused_unread(runtime: Bench) -> None:
    path = runtime.write("f", "a")
    os.truncate(path, WHOLE_FILE_LIMIT + 1)
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "too_large"


async def test_a_file_that_became_binary_is_refused(runtime: Bench) -> None:
    runtime.write("f", "a").write_bytes(b"a\0b")
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "binary"


async def test_other_content_on_disk_is_refused_even_if_the_text_is_still_there_once(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    path.write_text("a\nmore\n")
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "changed_on_disk"
    assert path.read_text() == "a\nmore\n"


async def test_the_same_content_under_a_new_time_passes(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    os.utime(path, (1, 1))
    assert not (await runtime.run("Edit", edit("f", "a", "b"))).is_error


@pytest.mark.parametrize(
    ("old", "hint"),
    [("zzz", "copy the text exactly"), ("  if x:\n  y", "spaces or indentation"), ("1\tif x:", "line numbers")],
)
async def test_text_that_is_not_there_is_refused_with_a_hint(runtime: Bench, old: str, hint: str) -> None:
    runtime.write("f", "if x:\n    y\n")
    ran = await runtime.run("Edit", edit("f", old, "b"))
    assert ran.code == "not_found"
    assert hint in ran.text


async def test_text_that_is_there_twice_is_refused_with_the_count(runtime: Bench) -> None:
    runtime.write("f", "“a” 'b' ‘b’ \"a\"\n")
    assert "2 times" in (await runtime.run("Edit", edit("f", "a", "x"))).text
    ran = await runtime.run("Edit", edit("f", "′b′", "x"))
    assert (ran.code, "2 times" in ran.text) == ("not_unique", True)


@pytest.mark.parametrize("folder", [".tui-agent", ".claude"])
@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
async def test_settings_that_would_break_are_refused(runtime: Bench, folder: str, name: str) -> None:
    path = runtime.write(f"{folder}/{name}", '{"a": 1}\n')
    assert (await runtime.run("Edit", edit(str(path), "1}", "1"))).code == "bad_settings"
    assert (await runtime.run("Edit", edit(str(path), '{"a": 1}', "[]"))).code == "bad_settings"
    assert path.read_text() == '{"a": 1}\n'
    assert not (await runtime.run("Edit", edit(str(path), "1}", "2}"))).is_error


async def test_part_of_a_settings_change_is_checked_as_it_would_be_written(runtime: Bench) -> None:
    before = "{\n" + FAR + '"a": 1\n}\n'
    path = runtime.write(".claude/settings.json", before)
    change = edit(str(path), before, '{"b": [\n' + FAR + "1\n]}\n")
    ran = await runtime.run("Edit", change, accepted={0})
    assert ran.code == "bad_settings"
    assert path.read_text() == before
    assert not (await runtime.run("Edit", change)).is_error


async def test_the_checks_from_memory_come_before_the_disk(runtime: Bench) -> None:
    runtime.write("f", "a", is_read=False).unlink()
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "not_read"
    assert (await runtime.run("Edit", edit("f.ipynb", "a", "a"))).code == "no_change"


async def test_a_folder_in_place_of_the_file_is_a_bad_path(runtime: Bench) -> None:
    path = runtime.write("f", "a")
    path.unlink()
    path.mkdir()
    assert (await runtime.run("Edit", edit("f", "a", "b"))).code == "bad_path"


# --- what is written


async def test_a_new_file_is_made_with_its_folders(runtime: Bench) -> None:
    ran = await runtime.run("Edit", edit("a/b/new.txt", "", "x\n"))
    assert (runtime.folder / "a/b/new.txt").read_text() == "x\n"
    assert ran.text.startswith(f"Created the new file {runtime.folder}/a/b/new.txt.")
    assert ran.data["originalFile"] is None
    assert not (await runtime.run("Edit", edit("a/b/new.txt", "x", "y"))).is_error, "its own file counts as read"


async def test_an_edit_goes_on_after_its_own_write(runtime: Bench) -> None:
    path = runtime.write("f", "a b\n")
    await runtime.run("Edit", edit("f", "a", "c"))
    assert not (await runtime.run("Edit", edit("f", "b", "d"))).is_error
    assert path.read_text() == "c d\n"


async def test_file_mode_and_link_are_kept(runtime: Bench) -> None:
    target = runtime.write("real.sh", "a\n", is_read=False)
    target.chmod(0o751)
    link = runtime.folder / "link.sh"
    link.symlink_to("real.sh")
    runtime.know(link)
    await runtime.run("Edit", edit("link.sh", "a", "b"))
    assert (link.is_symlink(), target.read_text(), stat.S_IMODE(target.stat().st_mode)) == (True, "b\n", 0o751)


async def test_a_character_that_the_encoding_lacks_is_an_error_and_the_file_stays(runtime: Bench) -> None:
    data = "Größe é\n".encode("cp1252")
    path = runtime.write("f", data)
    ran = await runtime.run("Edit", edit("f", "é", "文"))
    assert (ran.is_error, ran.code) == (True, "unencodable")
    assert "U+6587" in ran.text
    assert path.read_bytes() == data


async def test_the_result_has_one_line_of_success_and_the_diff(runtime: Bench) -> None:
    runtime.write("f", "one\ntwo\n")
    ran = await runtime.run("Edit", edit("f", "two", "three"))
    assert ran.text == f"The file {runtime.folder}/f has been updated.\n\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"


async def test_a_note_says_that_quotes_were_taken_as_equal(runtime: Bench) -> None:
    path = runtime.write("f", "say “hi”\n")
    ran = await runtime.run("Edit", edit("f", '"hi"', '"bye"'))
    assert path.read_text() == "say “bye”\n"
    assert ran.text.splitlines()[1].startswith("Note: old_string matched only with curly and straight quotes")
    assert ran.data["quotesNormalized"] is True


async def test_the_data_has_lengths_and_the_patch(runtime: Bench) -> None:
    runtime.write("f", "one\ntwo\n")
    ran = await runtime.run("Edit", edit("f", "two", "three"))
    assert (ran.data["lengthBefore"], ran.data["lengthAfter"]) == (8, 10)
    assert ran.data["structuredPatch"] == [
        {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+three"]}
    ]
    assert (ran.data["filePath"], ran.data["oldString"], ran.data["newString"]) == (
        f"{runtime.folder}/f",
        "two",
        "three",
    )
    assert ran.data["originalFile"] == "one\ntwo\n"
    json.dumps(ran.data)


async def test_only_the_hunks_that_were_taken_are_written_and_the_model_is_told_which(runtime: Bench) -> None:
    path = runtime.write("f", f"a{FAR}b{FAR}c\n")
    ran = await runtime.run("Edit", edit("f", f"a{FAR}b{FAR}c", f"A{FAR}B{FAR}C"), accepted={0, 2})
    assert path.read_text() == f"A{FAR}b{FAR}C\n"
    assert "Of its 3 hunks, accepted: 1, 3; refused: 2." in ran.text
    assert "Refused hunk 2, at line 10:\n-b\n+B\n" in ran.text
    assert "+B" not in ran.text.split("@@", 1)[1]
    assert (ran.data["acceptedHunks"], ran.data["refusedHunks"], ran.data["userModified"]) == ([0, 2], [1], True)


async def test_a_proposal_that_the_person_changed_is_written_as_they_left_it(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    ran = await runtime.run("Edit", edit("f", "a", "b"), edited="theirs\n")
    assert path.read_text() == "theirs\n"
    assert "The user changed your proposal" in ran.text
    assert "+theirs" in ran.text


async def test_nothing_taken_writes_nothing(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    before = path.stat()
    ran = await runtime.run("Edit", edit("f", "a", "b"), accepted=set())
    assert path.stat() == before
    assert ran.text.startswith(f"Nothing was written to {path}")


async def test_a_file_that_changed_after_it_was_shown_is_left_alone(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    tool, input = EditTool(), EditInput(file_path="f", old_string="a", new_string="b")
    plan = await plan_of(tool, input, runtime.context())
    (proposal,) = await tool.propose(input, plan, runtime.context())
    path.write_text("a\nsomebody else's\n")
    with pytest.raises(ToolError) as caught:
        [item async for item in tool.call(input, plan, runtime.context(proposal.approve()))]
    assert caught.value.data["code"] == "changed_on_disk"
    assert path.read_text() == "a\nsomebody else's\n"


async def test_a_name_that_was_taken_after_the_proposal_is_left_alone(runtime: Bench) -> None:
    tool, input = EditTool(), EditInput(file_path="f", old_string="", new_string="b")
    plan = await plan_of(tool, input, runtime.context())
    (proposal,) = await tool.propose(input, plan, runtime.context())
    runtime.write("f", "somebody else's")
    with pytest.raises(ToolError) as caught:
        [item async for item in tool.call(input, plan, runtime.context(proposal.approve()))]
    assert caught.value.data["code"] == "changed_on_disk"
    assert (runtime.folder / "f").read_text() == "somebody else's"


async def test_an_approval_of_another_file_is_no_approval(runtime: Bench) -> None:
    runtime.write("f", "a\n")
    other = runtime.write("g", "a\n")
    tool = EditTool()
    f, g = (EditInput(file_path=name, old_string="a", new_string="b") for name in "fg")
    (proposal,) = await tool.propose(g, await plan_of(tool, g, runtime.context()), runtime.context())
    plan = await plan_of(tool, f, runtime.context())
    approved = proposal.approve()
    with pytest.raises(ToolError):
        [_ async for _ in tool.call(f, plan, runtime.context(approved))]
    assert other.read_text() == "a\n"


async def test_a_disk_that_cannot_take_it_leaves_the_file_and_no_remains(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = runtime.write("f", "a\n")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    ran = await runtime.run("Edit", edit("f", "a", "b"))
    assert (ran.kind, "No space left" in ran.text) == ("execution", True)
    assert path.read_text() == "a\n"
    assert [entry.name for entry in runtime.folder.iterdir()] == ["f"]


async def test_other_names_of_the_tool_and_its_fields_are_understood(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    assert not (await runtime.run("edit_file", {"path": "f", "old_text": "a", "new_text": "b"})).is_error
    assert not (await runtime.run("FileEdit", edit("f", "b", "c", replace_all="true"))).is_error
    assert path.read_text() == "c\n"
