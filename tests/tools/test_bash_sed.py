"""A `sed -i` that is shown as a change: what is understood is what sed does, and what was approved is what is written."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_bench import Bench

from tui_agent.tools.bash.sed import read_sed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have another sed")

ATOMS = (
    "a", "b", "ab", "A", ".", "[ab]", "[^a]", "[a-c]", "[[:digit:]]", "1", "_", " ", r"\.", r"\*", r"\/", ",", r"\w", r"\s",
    r"\W", "(", ")", "{", "}", "+", "?", r"\(", r"\)", r"\+", r"\?", r"\{1,2\}", r"\{2\}", "*", "^", "$", r"\$", "[]a]",
    "[^]a]", "-", "&", "{1,2}", "{2,}", r"\t", '"', "#", r"\^", "[*.]", "~", "[[:space:]]*", "[a-b]*", ".*", "[a^]", "|",
)  # fmt: skip
REPLACEMENTS = ("a", "&", r"\1", r"\2", r"\&", r"\n", "x", r"\/", " ", r"\t", r"\\", ".", r"\.", "$")
TEXTS = tuple('abcA1 .*/_x\n,-é$^{}+()\t|&"?')


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pattern=st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5).map("".join),
    replacement=st.lists(st.sampled_from(REPLACEMENTS), max_size=3).map("".join),
    flags=st.sampled_from(["", "g", "i", "gI"]),
    is_extended=st.booleans(),
    text=st.lists(st.sampled_from(TEXTS), max_size=30).map("".join),
    locale=st.sampled_from(["C", "C.UTF-8"]),
)
def test_what_is_understood_is_what_sed_does(
    pattern: str, replacement: str, flags: str, is_extended: bool, text: str, locale: str, tmp_path: Path
) -> None:
    command = f"sed -i {'-E ' * is_extended}{shlex.quote(f's/{pattern}/{replacement}/{flags}')} f"
    sed = read_sed(command)
    if sed is None or not sed.suits(text):
        return
    file = tmp_path / "f"
    file.write_bytes(text.encode())
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, env={**os.environ, "LC_ALL": locale}, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert sed.apply(text).encode() == file.read_bytes()


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("sed -i 's/a/b/' f", "aa\naa\n", "ba\nba\n"),
        ("sed -i 's/a/b/g' f", "aa\na", "bb\nb"),
        ("sed -i -e 's/^/# /' f", "x\n\ny\n", "# x\n# \n# y\n"),
        ("sed -i 's/ *$//' f", "a  \nb\t \n", "a\nb\t\n"),
        ("sed --in-place s,/usr/lib,/opt, f", "p=/usr/lib\n", "p=/opt\n"),
        (r"sed -i 's/\(a\)\(b\)/\2\1/g' f", "abab\n", "baba\n"),
        ("sed -i -E 's/([a-z]+)=([0-9]+)/\\2=\\1/' f", "x=1\n", "1=x\n"),
        ("sed -i \"s/it's/it is/I\" 'f'", "It's\n", "it is\n"),
        ("sed -i 's/x*/-/g' f", "baaac\n", "-b-a-a-a-c-\n"),
        ("sed -i 's/a*/x/g' f", "baaac\n", "xbxcx\n"),
        (r"sed -i 's/foo/foo\nbar/' f", "foo\n", "foo\nbar\n"),
    ],
)
async def test_a_substitution_is_shown_and_written_without_sed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, before: str, after: str
) -> None:
    bench = Bench(tmp_path)
    file = bench.write("f", before, is_read=False)
    monkeypatch.setenv("PATH", "/nowhere")  # no program is run
    ran = await bench.run("Bash", {"command": command})
    assert ran.proposal is not None
    assert ran.proposal.after == after == file.read_text()
    assert not ran.is_error
    assert ran.text.startswith("(no output)\n")
    assert (ran.data["exitCode"], ran.data["filePath"]) == (0, str(file))


@pytest.mark.parametrize(
    "command",
    [
        "sed 's/a/b/' f", "sed -i 's/a/b/' f g", "sed -i 's/a/b/' f; ls", "sed -i 's/a/b/' f > g", "sed -i 's/a/b/' *",
        "sed -i 's/a/b/' $F", "sed -i.bak 's/a/b/' f", "sed -n -i 's/a/b/p' f", "sed -i 's/a/b/w out' f",
        "sed -i 's/a/b/e' f", "sed -i 's/a/b/2' f", "sed -i '1s/a/b/' f", "sed -i 's/a/b/;s/c/d/' f", "sed -i '/a/d' f",
        "sed -i 's/a\\|b/c/' f", "sed -i -E 's/(ab)+/c/' f", "sed -i 's/a/\\U&/' f", "sed -i 's/é/e/' f", "A=1 sed -i s/a/b/ f",
        "sudo sed -i s/a/b/ f", "sed -i 's/\\(a\\)\\1/b/' f", "sed -i 's//b/' f", "sed -i 's/a/b/' -- f", "sed -i s/a/`id`/ f",
        "sed -i 's/a/b/'", "sed -i", "sed -i 's/[/]/b/' f", "sed -i 's/a\\/b' f", "sed -i s/a/b/ f\nls", "sed -i s/a/$(id)/ f",
        'sed -i "s/a/$B/" f', "sed -i 's/a/b/' f & ls", "sed -i -s s/a/b/ f", "sed -i 's/\\bfoo/b/' f", "",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_sed(command: str) -> None:
    assert read_sed(command) is None


async def test_what_is_not_certain_of_the_file_is_left_to_sed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("target", "a\n")
    (tmp_path / "link").symlink_to("target")
    bench.write("odd", "é.\n")
    bench.write("marked", b"\xef\xbb\xbfa\n")
    bench.write("long", "a" * 6000 + "\n")
    for command in (
        "sed -i s/a/b/ link", "sed -i s/./x/ odd", "sed -i s/a/b/ marked", "sed -i s/b*c/d/ long", "sed -i s/z/b/ target",
    ):  # fmt: skip
        ran = await bench.run("Bash", {"command": command})
        assert (ran.proposals, ran.is_error) == ((), False)
    assert not (tmp_path / "link").is_symlink()  # as sed does it


async def test_only_the_hunks_that_were_taken_are_written(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    file = bench.write("f", "a\n" + "-\n" * 20 + "a\n")
    ran = await bench.run("Bash", {"command": "sed -i s/a/b/ f"}, accepted={1})
    assert file.read_text() == "a\n" + "-\n" * 20 + "b\n"
    assert "took only a part of your proposal" in ran.text
    assert "+b" in ran.text
    known = bench.files.get(str(file))
    assert known is not None
    assert known.size == file.stat().st_size
    assert (await bench.run("Edit", {"file_path": str(file), "old_string": "b", "new_string": "c"})).is_error is False


async def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    file = bench.write("f", "a\n")
    from tui_agent.tools.bash.tool import BashInput, BashTool

    tool, input = BashTool(), BashInput(command="sed -i s/a/b/ f")
    (change,) = await tool.propose(input, bench.context())
    file.write_text("a a\n")
    with pytest.raises(Exception, match=r"changed|no longer"):
        async for _ in tool.call(input, bench.context(change.approve())):
            pass
    assert file.read_text() == "a a\n"


async def test_the_call_s_own_folder_counts_and_variables_leave_it_to_sed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    file = bench.write("sub/f", "a\n")
    ran = await bench.run("Bash", {"command": "sed -i s/a/b/ f", "cwd": "sub"})
    assert ran.proposal is not None
    assert (ran.proposal.path, file.read_text()) == (str(file), "b\n")
    ran = await bench.run("Bash", {"command": "sed -i s/b/c/ f", "cwd": "sub", "env": {"LC_ALL": "C"}})
    assert (ran.proposals, file.read_text()) == ((), "c\n")
