"""What is read in a command line without running it: interactive programs, answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.rough_parse import is_answer, simple_commands

PIECES = [*"ab |&;<>()'\"\\$#\n-=!{}`", "vim ", "git ", "rm ", "sudo ", "python ", "<<E"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=300)
def test_reading_a_command_line_roughly_never_fails(command: str) -> None:
    simple_commands(command)
    interactive_problem(command)
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
