"""Whatever a model sends, a tool answers with a result or with an error for the model; nothing else comes out."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_bench import POOL, Bench

from tui_agent.tools.bash.destructive import is_destructive
from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.words import is_answer, simple_commands

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)
PATHS = st.sampled_from(
    ["f", "crlf", "binary", "empty", "folder", "link", "loop", "pipe", "new/one", "", ".", "..", "~", "/", "\0", "f/g"]
)
TEXTS = st.sampled_from(["", "a", "b\n", "“", '"', "\r\n", "x" * 300, "文", "("]) | st.text(max_size=5)
FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "Read": {"file_path": PATHS, "offset": st.integers(-1, 5), "limit": st.integers(-1, 5)},
    "Edit": {"file_path": PATHS, "old_string": TEXTS, "new_string": TEXTS, "replace_all": st.booleans()},
    "Glob": {
        "pattern": TEXTS | st.sampled_from(["*", "**/*.py", "../*", "f*/..", "{a", "[", "folder/", "\\"]),
        "path": PATHS,
    },
    "WebFetch": {
        "url": st.sampled_from(["", "x", "http://127.1/", "https://localhost", "http://[::1", "ftp://a", "http://a@10.1", "\0"]),
        "prompt": TEXTS,
        "max_length": st.integers(-1, 60_000),
        "offset": st.integers(-1, 5),
    },
    "LS": {"path": PATHS, "ignore": st.lists(TEXTS, max_size=2), "depth": st.integers(-1, 3)},
    "Grep": {
        "pattern": TEXTS,
        "path": PATHS,
        "glob": TEXTS,
        "type": TEXTS,
        "-A": st.integers(-1, 3),
        "head_limit": st.integers(-1, 3),
        "output_mode": st.sampled_from(["content", "count", "files_with_matches", "x"]),
        "multiline": st.booleans(),
        "literal": st.booleans(),
    },
}


PIECES = [*"ab |&;<>()'\"\\$#\n-=!{}`", "vim ", "git ", "rm ", "sudo ", "python ", "<<E"]


def some_files(folder: Path) -> Bench:
    bench = Bench(folder, search_timeout_s=0.5)  # it may search anywhere
    for name, content in (("f", b"a\nb\n"), ("crlf", b'a\r\n"b"\r\n'), ("binary", b"\0"), ("empty", b"")):
        bench.write(name, content, is_read=name != "binary")
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("f")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    return bench


@pytest.mark.parametrize("name", sorted(FIELDS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_input_gives_a_result_or_an_error_for_the_model(name: str, data: st.DataObject) -> None:
    fields = FIELDS[name]
    raw = data.draw(
        st.fixed_dictionaries({}, optional=fields)
        | st.fixed_dictionaries(fields)
        | st.dictionaries(st.sampled_from([*fields, "x"]), ANYTHING, max_size=4)
    )
    with tempfile.TemporaryDirectory() as folder:
        bench = some_files(Path(folder))
        ran = asyncio.run(bench.run(name, raw))
    assert ran.text
    assert not ran.is_error or ran.kind in ("invalid_input", "validation", "execution")


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=300)
def test_reading_a_command_line_roughly_never_fails(command: str) -> None:
    simple_commands(command)
    interactive_problem(command)
    is_destructive(command)
    is_answer(command, 1, has_stderr=False)


@pytest.mark.parametrize(
    "command",
    [
        "vim x",
        "/usr/bin/nano f",
        "sudo -E vi f",
        "A=1 timeout 5 emacs f",
        "git log | less",
        "x && top",
        "cd a; htop",
        "ssh host",
        "ssh -p 22 user@host",
        "python",
        "python3.11",
        "python -i x.py",
        "node",
        "psql",
        "psql -U me db",
        "sqlite3 a.db",
        "git rebase -i HEAD~2",
        "git -C sub rebase --interactive main",
        "git add -p",
        "git add -i .",
        "git commit --patch",
        "git mergetool",
        "docker run -it x sh",
        "for f in a; do vim $f; done",
        "(vim)",
        "watch ls",
        "tmux attach",
        "su",
        "python -m pdb x.py",
    ],
)
def test_an_interactive_program_is_refused_with_a_hint(command: str) -> None:
    problem = interactive_problem(command)
    assert problem
    assert "is interactive" in problem


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'open vim'",
        "echo vim",
        "grep vim f",
        "python x.py",
        "python3 -c 'x'",
        "echo 1 | python",
        "python < f",
        "python - <<'E'\nvim\nE",
        "psql -c 'select 1'",
        "psql --command='x'",
        "ssh host uptime",
        "top -b -n 1",
        "emacs --batch -f x",
        "git rebase main",
        "git rebase --continue",
        "git log -p",
        "git log -p add",
        "git add .",
        "sqlite3 a.db 'select 1'",
        "vim --version",
        "docker run x",
        "cat <<E\ntop\nE",
        "echo 'unclosed",
        "case x in vim) echo;; esac",
        "ls # vim",
        "man ls",
    ],
)
def test_what_needs_no_terminal_is_let_through(command: str) -> None:
    assert interactive_problem(command) is None


@pytest.mark.parametrize(
    "command", ["rm x", "ls && rm -rf y", "git push --force", "git reset --hard", "find . -delete", "sudo dd if=a of=b"]
)
def test_what_cannot_be_taken_back_is_known(command: str) -> None:
    assert is_destructive(command)


@pytest.mark.parametrize("command", ["ls", "git push", "git reset", "echo rm", "find . -name x", "git checkout main"])
def test_what_can_be_taken_back_is_not_marked(command: str) -> None:
    assert not is_destructive(command)


def test_every_tool_of_the_pool_is_covered_here() -> None:
    assert {tool.name for tool in POOL.tools} == {*FIELDS, "Bash"}
