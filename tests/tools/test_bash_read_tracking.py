"""A command that only shows one file counts as having read it: whole, in part, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_bench import Bench

from tui_agent.tools.bash.read_tracking import seen_file

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    runtime = Bench(tmp_path)
    runtime.write("c.txt", TEXT, is_read=False)
    return runtime


async def edited(runtime: Bench, name: str = "c.txt") -> str | None:
    ran = await runtime.run("Edit", {"file_path": name, "old_string": "two", "new_string": "2"})
    return ran.code


@pytest.mark.parametrize("command", ["cat c.txt", "cat -n ./c.txt", "nl -ba 'c.txt'", "cat -- c.txt", " cat  c\\.txt "])
async def test_a_file_that_was_shown_whole_can_be_edited(runtime: Bench, command: str) -> None:
    assert not (await runtime.run("Bash", {"command": command})).is_error
    assert await edited(runtime) is None
    assert (runtime.folder / "c.txt").read_text() == TEXT.replace("two", "2")


@pytest.mark.parametrize(
    "command",
    ["head c.txt", "head -n 9 c.txt", "tail -5 c.txt", "sed -n 1,3p c.txt", "sed -n '1,$p' c.txt", "grep -n o c.txt"],
)
async def test_a_part_is_only_a_part(runtime: Bench, command: str) -> None:
    assert not (await runtime.run("Bash", {"command": command})).is_error
    assert await edited(runtime) == "partial_view"


async def test_a_part_does_not_take_a_whole_view_away(runtime: Bench) -> None:
    await runtime.run("Bash", {"command": "cat c.txt"})
    await runtime.run("Bash", {"command": "head -1 c.txt"})
    assert await edited(runtime) is None


@pytest.mark.parametrize(
    "command",
    [
        "cat c.txt | tail -1", "cat c.txt > out", "cat < c.txt", "cat c.txt; true", "cat $F c.txt", "cat c.*",
        "cat c.txt c.txt", "cat -s c.txt", "sed -n p c.txt", "sed -n '1,2p;w out' c.txt", "grep -c o c.txt",
        "grep -f c.txt c.txt", "cat c.txt && true",
        "wc c.txt", "cat 'c.txt' #", "tail -q c.txt", "grep -rn o .", "echo cat c.txt",
    ],
)  # fmt: skip
async def test_anything_else_shows_nothing_for_certain(runtime: Bench, command: str) -> None:
    await runtime.run("Bash", {"command": command})
    assert await edited(runtime) == "not_read"


@pytest.mark.parametrize("command", ["bat c.txt", "bat -p --paging=never c.txt"])
def test_bat_shows_a_whole_file(runtime: Bench, command: str) -> None:
    seen = seen_file(command, str(runtime.folder))
    assert seen is not None
    assert (seen.path, seen.is_whole) == (str(runtime.folder / "c.txt"), True)


@pytest.mark.parametrize("name", ["\ud800", "x" * 5000, "nowhere", "."])
def test_what_is_no_file_is_not_shown(runtime: Bench, name: str) -> None:
    seen = seen_file(f"cat '{name}'", str(runtime.folder))
    assert seen is None or seen.record() is None


def test_rg_shows_a_part(runtime: Bench) -> None:
    seen = seen_file("rg -n -A 2 'o|t' c.txt", str(runtime.folder))
    assert seen is not None
    assert not seen.is_whole


async def test_variables_of_the_call_may_make_another_program_of_it(runtime: Bench) -> None:
    await runtime.run("Bash", {"command": "cat c.txt", "env": {"LC_ALL": "C"}})
    assert await edited(runtime) == "not_read"


async def test_a_failure_shows_nothing(runtime: Bench) -> None:
    assert "exit code 1" in (await runtime.run("Bash", {"command": "grep nothing c.txt"})).text
    assert await edited(runtime) == "not_read"


async def test_output_that_was_cut_does_not_count(runtime: Bench) -> None:
    runtime.write("long.txt", "two\n" + "line of text\n" * 4000, is_read=False)
    await runtime.run("Bash", {"command": "cat long.txt"})
    assert await edited(runtime, "long.txt") == "not_read"


async def test_the_folder_of_the_call_is_where_the_file_is(runtime: Bench) -> None:
    runtime.write("sub/c.txt", TEXT, is_read=False)
    await runtime.run("Bash", {"command": "cat c.txt", "cwd": "sub"})
    assert await edited(runtime) == "not_read"
    assert await edited(runtime, "sub/c.txt") is None


async def test_two_dots_behind_a_link_lead_elsewhere(runtime: Bench) -> None:
    runtime.write("far/away/c.txt", TEXT, is_read=False)
    runtime.write("far/c.txt", "another", is_read=False)
    (runtime.folder / "link").symlink_to("far/away")
    assert (await runtime.run("Bash", {"command": "cat link/../c.txt"})).text == "another"
    assert await edited(runtime) == "not_read"


def test_a_file_that_moved_meanwhile_does_not_count(runtime: Bench) -> None:
    seen = seen_file("cat c.txt", str(runtime.folder))
    assert seen is not None
    assert seen.record() is not None
    (runtime.folder / "c.txt").write_text(TEXT + "more")
    assert seen.record() is None


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"caf\xe9 two\n"), ("b.bin", b"two\0"), ("n.ipynb", b"{}")])
async def test_what_is_not_plain_text_is_not_shown_as_it_is(runtime: Bench, name: str, content: bytes) -> None:
    runtime.write(name, content, is_read=False)
    await runtime.run("Bash", {"command": f"cat {name}"})
    assert runtime.files.get(str(runtime.folder / name)) is None
