"""The checks made here, each with a call that it lets through and one that it stops; `shell.checks` lists them all."""

from __future__ import annotations

from typing import Final

__all__ = ["PROGRAM_CHECKS"]

PROGRAM_CHECKS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("unknown-program", "the program is in the table of those known to only read", "ls", "gulp"),
    ("program-path", "a program named with a folder is the system's own", "/bin/ls", "./ls"),
    ("subcommand", "the subcommand is known to only read", "git status", "git push"),
    ("version-only", "a program that runs code is only asked for its version", "python3 --version", "python3 a.py"),
    ("unknown-option", "each option is known to be harmless", "ls -la", "ls --like-nothing-known"),
    ("option-order", "options stand where every system takes them for options", "git config --get a.b", "git config a.b --get"),
    ("output-option", "no option makes the program write a file", "sort -u a", "sort -o a a"),
    ("program-option", "no option makes the program run another", "rg foo", "rg --pre ./x foo"),
    ("needed-option", "the option is there without which the program does more than read", "tar -tf a", "gzip a"),
    ("argument-file", "no word stands for options read from a file", "nm a.o", "nm @a"),
    ("operand", "each operand is one that the program only reads", "hostname -f", "hostname new"),
    ("extra-operand", "there is no operand more than the program only reads", "uniq a", "uniq a b"),
    ("unknown-word", "no word may turn into an option that does harm", 'echo "$x"', 'sort "$x"'),
    ("unquoted-glob", "no unquoted glob may turn into what changes the call", "find . -name '*.ts'", "find . -name *.ts"),
    ("names-unknown", "names that are handed over are harmless as options, and lie where the work is",
     "find . -name '*.py' | xargs wc -l", "ls | xargs sort"),
    ("network-path", "no file is one that the network is asked for", "tar -tf a.tar", "tar -tf host:a.tar"),
    ("find-action", "find only looks and prints", "find . -type f", "find . -delete"),
    ("sed-script", "the sed script is understood to its last character", "sed -n '1,5p' a", "sed 'v' a"),
    ("sed-write", "the sed script writes no file and runs nothing", "sed 's/a/b/g' a", "sed 's/a/b/w out' a"),
    ("awk-script", "the awk program only prints", "awk '$3 > 10 {print $1}' a", "awk '{print > \"out\"}' a"),
    ("interpreter", "the filter reads no other files and runs nothing", "jq .a a.json", "jq 'import \"m\" as m; .' a.json"),
    ("pager", "nothing is shown through another program", "bat -p a", "bat --paging=always a"),
    ("git-config", "settings for git are only printed, or cannot run anything", "git config --get user.name",
     "git -c core.fsmonitor=./x status"),
    ("git-format", "no field of a format makes git run a program", "git log --format=%h", "git log --format=%G?"),
    ("date-set", "date prints the time", "date +%F", "date 010100002030"),
    ("process-variables", "the variables of other programs are not shown", "ps aux", "ps auxe"),
    ("edits-files", "the program changes no files", "ls build", "mkdir build"),
)  # fmt: skip
"""Id, what is checked, a command that passes, one that is stopped."""
