"""The named checks of the shell classifier: each with a command that passes it and one that it stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.programs.checks import PROGRAM_CHECKS

__all__ = ["CHECKS", "STRUCTURE", "Check"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `passes` is a command that is read-only as far as this check goes, `stops` one that it does not."""

    id: str
    what: str
    passes: str
    stops: str


STRUCTURE: Final = (
    Check("syntax", "the text is one that the grammar and bash read alike", "ls -la", "ls 'unfinished"),
    Check("too-long", "it is short and shallow enough to be followed to its end", "echo {1..9}", "echo {1..9999}"),
    Check("control-characters", "it holds no characters that a terminal or the shell acts on", "ls '\t'", "ls \x07"),
    Check("invisible", "it holds no characters that nobody sees", "echo 'é'", "echo 'a\u200bb'"),
    Check("unknown-construct", "each construct in it is one that is known", "echo {a,b}", 'echo $"a"'),
    Check("background", "nothing goes on running after it", "ls; pwd", "ls & pwd"),
    Check("function", "no name gets another meaning", "{ ls; }", "ls() { rm x; }"),
    Check("dynamic-command-name", "each program is named where it stands", "ls $x", "$x"),
    Check("escaped-name", "names and options are spelled without disguise", "grep a\\|b f", "l\\s"),
    Check("eval", "no text is run as code, and no code from files", "echo 'ls'", "eval ls"),
    Check("shell-state", "the shell reads what follows as it reads everything", "set -e; ls", "alias ls=rm"),
    Check("assignment", "no variable is set that programs or the shell take notice of", "LC_ALL=C ls", "PATH=. ls"),
    Check("output-redirection", "nothing is written by redirection", "ls 2>/dev/null", "ls > f"),
    Check("network-device", "no redirection opens a connection", "cat < f", "cat < /dev/tcp/localhost/80"),
    Check("descriptor", "no file descriptor but the usual three is used", "ls 2>&1", "ls 3> f"),
    Check(
        "process-output", "nothing is handed to a command beside the pipeline", "diff <(ls a) <(ls b)", "ls > >(cat)"
    ),
    Check("substitution", "each expansion is of a kind that evaluates nothing", "echo ${x%.py}", "echo ${!x}"),
    Check("subscript", "no subscript is evaluated", 'echo "${x[@]}"', "echo ${x[$y]}"),
    Check(
        "arithmetic", "arithmetic is on numbers that are known to be such", "x=1; echo $((x + 1))", "echo $((x + 1))"
    ),
    Check("test-expression", "nothing in a condition can turn into another one", '[ -n "$x" ]', "[ -n $x ]"),
    Check("here-document", "where a here-document ends is clear", "cat <<A\nx\nA", "cat <<A$x\nx\nA$x"),
    Check("loop", "a loop is one that can be followed", "for x in a; do break; done", "for x in a; do break 2; done"),
    Check("cd-unknown", "where each command runs is known", "cd src && ls", 'cd "$x" && ls'),
    Check("cd-git", "git runs where the shell stands", "git status", "cd src && git status"),
    Check("wrapper", "what runs another command is known to do just that", "timeout 5 ls", "timeout $x ls"),
    Check(
        "xargs-option",
        "`xargs` is called in a way that is known to be harmless",
        "ls | xargs -n1 echo",
        "ls | xargs -p echo",
    ),
    Check("xargs-names", "`xargs` runs a program, not a part of the shell", "ls | xargs wc -l", "ls | xargs cd"),
)
"""What is checked about a text's structure, the shell's own commands, and what runs other commands."""

CHECKS: Final = {check.id: check for check in (*STRUCTURE, *(Check(*one) for one in PROGRAM_CHECKS))}
"""All checks by id: of the structure, and of single programs."""
