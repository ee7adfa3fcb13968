"""A `sed -i` that is shown as a change: what is understood is what sed does, and what was approved is what is written."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_bench import Bench, plan_of

from tui_agent.changes import FileChange
from tui_agent.tools.bash.sed import Sed, read_sed
from tui_agent.tools.bash.sed_change import preview
from tui_agent.tools.bash.tool import BashInput, BashTool
from tui_agent.tools.resolved_path import ResolvedPaths

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have another sed")

ATOMS = (
    "a", "b", "ab", "A", ".", "[ab]", "[^a]", "[a-c]", "[[:digit:]]", "1", "_", " ", r"\.", r"\*", r"\/", ",", r"\w", r"\s",
    r"\W", "(", ")", "{", "}", "+", "?", r"\(", r"\)", r"\+", r"\?", r"\{1,2\}", r"\{2\}", "*", "^", "$", r"\$", "[]a]",
    "[^]a]", "-", "&", "{1,2}", "{2,}", r"\t", '"', "#", r"\^", "[*.]", "~", "[[:space:]]*", "[a-b]*", ".*", "[a^]", "|",
    "[[:alpha:]]", "[[:upper:]]", "[[:lower:]]*", "[^[:alnum:]]", "[[:blank:]]", "[[:punct:]]", "[[=u=]]", "[[.a.]]", "[a-ü]",
    "ü", "[ü]", "é", "ß", "🙂", r"\b", r"\<", r"\>", r"\B", r"\1", r"\(a\|b\)*", "(a|b)+", r"\(.\)\1", r"\xc3", r"\n", r"\|",
    r"\`", r"\'", "[", r"\c[", r"\d097",
)  # fmt: skip
REPLACEMENTS = (
    "a", "&", r"\1", r"\2", r"\&", r"\n", "x", r"\/", " ", r"\t", r"\\", ".", r"\.", "$", r"\U&", r"\L&\E!", r"\u&", r"\l\1",
    "ü", r"\x41", r"\o101", r"\cA", r"\U", "é\\E",
)  # fmt: skip
TEXTS = (*'abcA1 .*/_x\n\n,-^$^{}+()\t|&"?üÜéßİıſ🙂\r', "\xa0", "\u2003", "e\u0301", "aaa", "ab\n")
LOCALES = ("C", "C.UTF-8")

FLAGS = ("", "", "g", "g", "i", "gI", "2", "3g", "M", "gM", "p", "Ig2")


async def propose(runtime: Bench, command: str) -> tuple[FileChange, ...]:
    tool, input = BashTool(), BashInput(command=command)
    return await tool.propose(input, await plan_of(tool, input, runtime.context()), runtime.context())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random=st.integers(0, 2**32).map(Random), locale=st.sampled_from(LOCALES))
def test_a_preview_is_what_the_command_then_does(random: Random, locale: str, tmp_path: Path) -> None:
    variables = {"PATH": os.environ["PATH"], "LC_ALL": locale}
    expected: dict[Path, bytes] = {}
    commands: list[str] = []
    for number in range(25):
        file = tmp_path / str(number)
        file.write_text("".join(random.choices(TEXTS, k=random.randrange(120))), newline="")
        pattern = "".join(random.choices(ATOMS, k=random.randrange(1, 4)))
        replacement = "".join(random.choices(REPLACEMENTS, k=random.randrange(4)))
        script = shlex.quote(f"s/{pattern}/{replacement}/{random.choice(FLAGS)}")
        command = f"sed -i {random.choice(('', '-E '))}{script} {number}"
        sed = read_sed(command)
        change = None if sed is None else preview(sed, str(tmp_path), ResolvedPaths(), variables)
        if change is not None:
            expected[file] = change.after.encode()
        commands.append(command)
    subprocess.run(["bash", "-c", "\n".join(commands)], cwd=tmp_path, capture_output=True, env=variables, check=False)
    assert {file: file.read_bytes() for file in expected} == expected


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
        ("sed -i 's/a/b/2' f", "aaa\n", "aba\n"),
        (r"sed -i 's/a\|c/b/g' f", "abc\n", "bbb\n"),
        ("sed -i -E 's/(ab)+/c/' f", "ababa\n", "ca\n"),
        (r"sed -i 's/\(a\)\1/b/' f", "caa", "cb"),
        (r"sed -i 's/\bfoo/\U&/' f", "xfoo foo\n", "xfoo FOO\n"),
        ("sed -i 's/[[:alpha:]]/x/g' f", "für\n", "xxx\n"),
        ("sed -i 's/é/e/' f", "é\r\n", "e\r\n"),
    ],
)
async def test_a_substitution_is_shown_and_written_without_sed(
    tmp_path: Path, command: str, before: str, after: str
) -> None:
    runtime = Bench(tmp_path)
    runtime.environment = {"LC_ALL": "C.UTF-8"}
    file = runtime.write("f", before, is_read=False)
    ran = await runtime.run("Bash", {"command": command})
    assert ran.proposal is not None
    assert ran.proposal.after.encode() == after.encode() == file.read_bytes()
    assert not ran.is_error
    assert ran.text.startswith("(no output)\n")
    assert (ran.data["exitCode"], ran.data["filePath"]) == (0, str(file))


@pytest.mark.parametrize(
    "command",
    [
        "sed 's/a/b/' f", "sed -i 's/a/b/' f g", "sed -i 's/a/b/' f; ls", "sed -i 's/a/b/' f > g", "sed -i 's/a/b/' *",
        "sed -i 's/a/b/' $F", "sed -i.bak 's/a/b/' f", "sed -n -i 's/a/b/p' f", "sed -i 's/a/b/w out' f",
        "sed -i 's/a/b/e' f", "sed -i '1s/a/b/' f", "sed -i 's/a/b/;s/c/d/' f", "sed -i '/a/d' f",
        "A=1 sed -i s/a/b/ f",
        "sudo sed -i s/a/b/ f", "sed -i 's/a/b/' -- f", "sed -i s/a/`id`/ f",
        "sed -i 's/a/b/'", "sed -i", "sed -i 's/a\\/b' f", "sed -i s/a/b/ f\nls", "sed -i s/a/$(id)/ f",
        'sed -i "s/a/$B/" f', "sed -i 's/a/b/' f & ls", "sed -i -s s/a/b/ f", "",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_sed(command: str) -> None:
    assert read_sed(command) is None


async def test_what_cannot_be_shown_for_certain_is_left_to_sed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = Bench(tmp_path)
    (tmp_path / "link").symlink_to("target")
    for name, text in (
        ("target", b"a\n"),
        ("odd", "é\n".encode()),
        ("marked", b"\xef\xbb\xbfa\n"),
        ("latin", b"\xe9a\n"),
    ):
        runtime.write(name, text)
    for command in ("sed -i s/a/b/ link", "sed -i s/a/b/ marked", "sed -i s/a/b/ latin", "sed -i s/z/b/ target"):
        assert (await runtime.run("Bash", {"command": command})).proposals == ()
    assert not (tmp_path / "link").is_symlink()  # as sed does it
    runtime.environment = {"LC_ALL": "C"}
    assert (await runtime.run("Bash", {"command": "sed -i s/.// odd"})).proposals == ()
    assert (tmp_path / "odd").read_bytes() == b"\xa9\n"
    # A substitution that would make far more than there was is stopped: 100,000 times as much, and a line without end.
    runtime.write("long", "a" * 2_000_000)
    assert (await propose(runtime, f"sed -i s/a/{'b' * 50_000}/g long")) == ()


@pytest.mark.parametrize(
    "script", ["s/a/b/w out", "s/a/touch out/e", "s/a/b/W out", "s/a/b/;w out", "s/a/b/;e touch out"]
)
async def test_a_preview_runs_and_writes_nothing(tmp_path: Path, script: str) -> None:
    runtime = Bench(tmp_path)
    file = runtime.write("f", "a\n")
    assert await propose(runtime, f"sed -i {shlex.quote(script)} f") == ()
    # Should the shape of a script ever be misread: sed itself refuses what goes beyond its input and output.
    Sed("f", script).apply(b"a\n", {"PATH": os.environ["PATH"]}, 1000)
    assert ([path.name for path in tmp_path.iterdir()], file.read_text()) == (["f"], "a\n")


async def test_a_sed_of_the_project_is_never_run_for_a_preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = Bench(tmp_path)
    runtime.write("f", "a\n")
    own = runtime.write("sed", "#!/bin/sh\ntouch ran\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert await propose(runtime, "sed -i s/a/b/ f") == ()
    assert not (tmp_path / "ran").exists()


async def test_only_the_hunks_that_were_taken_are_written(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    file = runtime.write("f", "a\n" + "-\n" * 20 + "a\n")
    ran = await runtime.run("Bash", {"command": "sed -i s/a/b/ f"}, accepted={1})
    assert file.read_text() == "a\n" + "-\n" * 20 + "b\n"
    assert "accepted only part of your proposal" in ran.text
    assert "+b" in ran.text
    known = runtime.files.get(str(file))
    assert known is not None
    assert known.size == file.stat().st_size
    assert (await runtime.run("Edit", {"file_path": str(file), "old_string": "b", "new_string": "c"})).is_error is False


async def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    file = runtime.write("f", "a\n")
    tool, input = BashTool(), BashInput(command="sed -i s/a/b/ f")
    plan = await plan_of(tool, input, runtime.context())
    (change,) = await tool.propose(input, plan, runtime.context())
    file.write_text("a a\n")
    with pytest.raises(Exception, match=r"changed|no longer"):
        async for _ in tool.call(input, plan, runtime.context(change.approve())):
            pass
    assert file.read_text() == "a a\n"


async def test_the_call_s_own_folder_counts_and_variables_leave_it_to_sed(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    file = runtime.write("sub/f", "a\n")
    ran = await runtime.run("Bash", {"command": "sed -i s/a/b/ f", "cwd": "sub"})
    assert ran.proposal is not None
    assert (ran.proposal.path, file.read_text()) == (str(file), "b\n")
    ran = await runtime.run("Bash", {"command": "sed -i s/b/c/ f", "cwd": "sub", "env": {"LC_ALL": "C"}})
    assert (ran.proposals, file.read_text()) == ((), "c\n")
