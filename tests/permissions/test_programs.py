"""The table of programs, against calls taken from daily use and calls that do harm."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from call_lists import listed

from tui_agent.permissions.shell.analysis import analyse
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.programs import judge, judge_program
from tui_agent.permissions.shell.programs.checks import PROGRAM_CHECKS
from tui_agent.permissions.shell.programs.table import entry_for, has_subcommands, names
from tui_agent.permissions.shell.words import read_word

HARMLESS = listed("calls_harmless.txt")
HARMFUL = listed("calls_harmful.txt")


def is_read_only(command: str) -> bool:
    analysis = analyse(command)
    return (
        analysis.is_understood
        and bool(analysis.parts)
        and all(part.judgement.kind == "read_only" for part in analysis.parts)
        and not any(redirect.is_output for part in analysis.parts for redirect in part.redirects)
    )


def reads_of(command: str) -> list[str]:
    (part,) = analyse(command).parts
    assert part.judgement.kind == "read_only", part.judgement
    return [word.value for word in part.judgement.reads]


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(HARMLESS) > 900
    assert len(HARMFUL) > 900
    assert not set(HARMLESS) & set(HARMFUL)


def test_what_people_run_all_day_is_read_only() -> None:
    assert [command for command in HARMLESS if not is_read_only(command)] == []


def test_nothing_harmful_is_read_only() -> None:
    assert [command for command in HARMFUL if is_read_only(command)] == []


def test_nothing_harmful_is_read_only_with_its_words_as_they_stand() -> None:
    """The table alone, without what the analysis of the whole text adds, lets no single harmful command through."""
    let_through = []
    for command in HARMFUL:
        script = parse(command)
        if script.single is None or script.redirects or script.single.assignments:
            continue
        if judge_program(script.single.words).kind == "read_only":
            let_through.append(command)
    assert let_through == []


@pytest.mark.parametrize("check", PROGRAM_CHECKS, ids=[check[0] for check in PROGRAM_CHECKS])
def test_each_check_passes_and_stops_what_it_says(check: tuple[str, str, str, str]) -> None:
    name, _what, passes, stops = check
    assert is_read_only(passes)
    assert not is_read_only(stops)
    assert name in [part.judgement.check for part in analyse(stops).parts]
    assert all(part.judgement.reason for part in analyse(stops).parts if part.judgement.check == name)


def _used() -> set[str]:
    """Return the entries that the harmless calls use."""
    used: set[str] = set()
    for command in HARMLESS:
        words = [word.value for word in parse(command).commands[0].words] or [""]  # or it only sets a variable
        entry = entry_for(words[0].rpartition("/")[2])
        if entry is None:
            continue
        used.add(entry.name)
        for word in words[1:]:
            inner = entry_for(f"{entry.name} {word}") if has_subcommands(entry.name) else None
            if inner is not None:
                entry = inner
                used.add(entry.name)
    return used


def test_each_entry_has_a_call_from_daily_use() -> None:
    rare = {
        "dust", "getfacl", "difft", "diffstat", "look", "c++filt", "zstdcat", "shopt", "kill", "ulimit", "umask", "jobs",
        "dirs", "history", "modinfo", "procs", "diskutil", "diskutil list", "git sparse-checkout", "git sparse-checkout list",
        "apk", "snap", "snap list", "uv version", "bc", "go help", "pip config", "pip config list", "svn diff",
    }  # fmt: skip
    assert set(names()) - _used() - rare == set()


def test_each_entry_tells_why_and_lists_no_option_twice() -> None:
    for name in names():
        entry = entry_for(name)
        assert entry is not None
        assert entry.why, name
        assert not set(entry.options) & (entry.writes | entry.runs), name
        assert not (entry.is_safe and (entry.writes or entry.runs)), name


def test_no_program_stands_in_the_table_twice() -> None:
    text = (Path(judge.__file__).parent / "read_only.toml").read_text("utf-8")
    found: list[str] = []
    for name, fields in tomllib.loads(text).items():
        found.append(name)
        found.extend(f"{name.rpartition(' ')[0]} {other}".strip() for other in str(fields.get("also", "")).split())
    assert [name for name, count in Counter(found).items() if count > 1] == []


def test_options_left_out_on_purpose_stop_a_call_and_are_told() -> None:
    for name in names():
        entry = entry_for(name)
        assert entry is not None
        for option in entry.writes | entry.runs:
            for shown in (option, f"{option}=x") if option.startswith("--") else (option,):
                found = judge_program([read_word(word) for word in (*name.split(), shown, "x")])
                assert found.kind == "unknown", (name, shown)
                assert found.check in {"output-option", "program-option"}, (name, shown, found)


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("ls", ["."]),
        ("ls -la src", ["src"]),
        ("cat a b", ["a", "b"]),
        ("grep -rn foo src lib", ["src", "lib"]),
        ("grep -rn -e foo src", ["src"]),
        ("grep -f list a", ["list", "a"]),
        ("grep --file=list a", ["list", "a"]),
        ("grep -flist a", ["list", "a"]),
        ("rg foo", ["."]),
        ("rg --files src", ["src"]),
        ("find src lib -newer x", ["src", "lib", "x"]),
        ("find -name x", ["."]),
        ("git -C sub log", ["sub", "."]),
        ("git diff a.py", ["a.py"]),
        ("git diff --no-index /etc/passwd b", ["/etc/passwd", "b"]),
        ("git blame -S revs a", ["revs", "a"]),
        ("sed -n 1p a b", ["a", "b"]),
        ("sed -e p -e d a", ["a"]),
        ("awk '{print}' a", ["a"]),
        ("jq --slurpfile x b.json . a.json", ["b.json", "a.json"]),
        ("diff -u a /etc/passwd", ["a", "/etc/passwd"]),
        ("sort -k 2 a --random-source b", ["b", "a"]),
        ("date -r a", ["a"]),
        ("echo /etc/passwd", []),
        ("basename /etc/passwd", []),
        ("docker compose -f x.yml ps", ["x.yml"]),
        ("tar -tf a.tar", ["a.tar"]),
        ("head -n 5 -- -x", ["-x"]),
        ("tail -5 a", ["a"]),
    ],
)
def test_what_a_call_reads_is_told(command: str, reads: list[str]) -> None:
    assert reads_of(command) == reads


@pytest.mark.parametrize(
    "command",
    [
        "sort --files0-from=list", "sort --files0-from list", "sort -z --files0-from=-", "wc -l --files0-from=list",
        "du -ch --files0-from=list", "find -files0-from list", "file -f list", "file --files-from=list",
        "tar -tf a.tar -T list", "xargs cat < list", "xargs -a list head",
    ],
)  # fmt: skip
def test_what_is_read_where_a_file_says_so_is_not_known(command: str) -> None:
    """A list of names may name any file at all; that the list itself lies where the work is says nothing."""
    assert not is_read_only(command)


@pytest.mark.parametrize("database", ["shadow", "gshadow", "shadow root"])
def test_what_passwords_are_checked_by_is_not_looked_up(database: str) -> None:
    assert is_read_only("getent passwd root")
    assert not is_read_only(f"getent {database}")


@pytest.mark.parametrize("words", ["-a up", "-a down", "-l up", "-av arp", "-a -s promisc"])
def test_what_follows_all_interfaces_may_be_done_to_them(words: str) -> None:
    assert is_read_only("ifconfig -a")
    assert is_read_only("ifconfig -v eth0")
    assert not is_read_only(f"ifconfig {words}")


@pytest.mark.parametrize("option", ["--format=%G?", "--pretty='%h %GK'", "--group=%GS", "--group 'format:%an %G?'"])
def test_no_option_that_takes_a_format_has_git_check_signatures(option: str) -> None:
    assert is_read_only("git shortlog --group='format:%an %ad' HEAD")
    assert not is_read_only(f"git shortlog {option} HEAD")


@pytest.mark.parametrize(
    ("command", "reads", "writes"),
    [
        ("mkdir -p a/b", [], ["a/b"]),
        ("touch a b", [], ["a", "b"]),
        ("touch -r old a", ["old"], ["a"]),
        ("rm -rf build", [], ["build"]),
        ("rmdir a", [], ["a"]),
        ("mv a b", [], ["a", "b"]),
        ("cp -r src dst", ["src"], ["dst"]),
        ("cp a b dir", ["a", "b"], ["dir"]),
        ("sed -i s/a/b/ x y", [], ["x", "y"]),
        ("sed -i.bak s/a/b/ x", [], ["x", "x.bak"]),
        ("sed -i '' s/a/b/ x", [], ["x"]),
        ("sed -E -i -e s/a/b/ x", [], ["x"]),
        ("sed --in-place=.orig s/a/b/ x", [], ["x", "x.orig"]),
    ],
)
def test_programs_that_only_change_the_files_they_name(command: str, reads: list[str], writes: list[str]) -> None:
    (part,) = analyse(command).parts
    assert part.judgement.kind == "edit"
    assert [word.value for word in part.judgement.reads] == reads
    assert [word.value for word in part.judgement.writes] == writes


@pytest.mark.parametrize(
    "command",
    [
        *("mv -t /etc a", "cp --target-directory=/etc a", "cp -t /etc a", "cp -l a b", "cp -s a b", "cp -b a b"),
        *(
            "mv --backup a b",
            "cp -S .x a b",
            "rm --no-preserve-root -rf /",
            "touch",
            "mkdir -Z x",
            "sed -i -f script x",
        ),
        *(
            "sed -i 's/a/b/w out' x",
            "sed -i 's/a/b/e' x",
            "sed -i/tmp/x s/a/b/ y",
            "sed -i'../*' s/a/b/ y",
            "sed -i s/a/b/",
        ),
        *("ln -s a b", "chmod 644 a", "ls | xargs rm", "rm $x", 'mv "$x" $y', "cp a $b"),
    ],
)
def test_other_calls_that_change_files_are_not_understood(command: str) -> None:
    assert analyse(command).parts[-1].judgement.kind == "unknown"


@pytest.mark.parametrize(
    "command",
    [
        'echo "$x"', "echo $x $y", 'printf "%s\\n" "$x"', "basename $x", 'dirname "$x"', "seq $n", 'cat "$x"', "ls $x",
        'grep "$x" a', 'grep -n "$x" src', 'awk -v x="$x" 1 a', 'head -n "$n" a', 'git log -n 5 --author="$x"',
        'jq --arg x "$x" . a', "ls *.ts", "cat *.md", "wc -l src/*.py", "head -5 *", "grep foo *.py", 'date -d "$x" +%F',
        "grep -r --include=*.py foo .", "ls {a,b}", "cat src/{a,b}.py", "rg foo src/*.py", 'tail -n "$n" a',
    ],
)  # fmt: skip
def test_unknown_words_where_they_can_do_no_harm(command: str) -> None:
    assert is_read_only(command)


def test_words_that_are_unknown_are_told_among_what_is_read() -> None:
    assert [word.raw for word in analyse('cat "$x"').parts[0].judgement.reads] == ['"$x"']
    assert [word.raw for word in analyse("grep $x src").parts[0].judgement.reads] == ["$x", "src"]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("wc -l", "read_only"), ("cat", "read_only"), ("grep foo", "read_only"), ("ls -la", "read_only"),
        ("head -5", "read_only"), ("grep -l foo --", "read_only"), ("rg foo --", "read_only"), ("file", "unknown"),
        ("sed -n 1p", "unknown"), ("sort", "unknown"), ("rg foo", "unknown"), ("uniq", "unknown"), ("comm", "unknown"),
        ("git log", "unknown"), ("find", "unknown"), ("rm", "unknown"), ("date", "unknown"), ("hostname", "unknown"),
    ],
)  # fmt: skip
def test_names_that_xargs_hands_over(command: str, kind: str) -> None:
    words = [read_word(word) for word in command.split()]
    assert judge_program(words, names_from="work").kind == kind
    anywhere = judge_program(words, names_from="anywhere")
    assert anywhere.kind == "unknown"
    assert judge_program([read_word("basename")], names_from="anywhere").kind == "read_only"
    assert judge_program([read_word("echo")], names_from="anywhere").kind == "read_only"


def test_no_word_at_all_is_no_program() -> None:
    assert judge_program([]).check == "unknown-program"
    assert judge_program([read_word("")]).kind == "unknown"


def test_a_judgement_takes_far_less_than_a_millisecond() -> None:
    scripts = [parse(command) for command in HARMLESS]
    commands = [script.single.words for script in scripts if script.single is not None]
    for words in commands:
        judge_program(words)
    began = time.process_time()
    for words in commands:
        judge_program(words)
    assert (time.process_time() - began) / len(commands) < 0.0003


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("git show HEAD:.env", [".env", "HEAD:.env"]),
        ("git show 'HEAD~2:a dir/b'", ["a dir/b", "HEAD~2:a dir/b"]),
        ("git cat-file -p HEAD:.env", [".env"]),
        ("git show :0:.env", [".env", ":0:.env"]),
        ("git log -p -- ':(top).env'", [".env", ":(top).env"]),
        ("git show $(git rev-parse HEAD):.env", [".env"]),
        ("git show HEAD:", ["HEAD:"]),
        ("git config --get-urlmatch http.x https://a.b/c", []),
    ],
)
def test_a_file_in_a_commit_is_read_like_the_file(command: str, files: list[str]) -> None:
    *_, part = analyse(command).parts
    assert part.judgement.kind == "read_only"
    assert [word.value for word in part.judgement.reads] == files
