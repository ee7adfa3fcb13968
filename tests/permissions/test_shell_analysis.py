# ruff: noqa: E501 - commands stand whole, many on a line
"""Commands that people and models run all day, which only read, and what the analysis tells of them."""

from __future__ import annotations

import itertools
import time

import pytest
from call_lists import listed
from shell_stand_in import judged, only_reads

from tui_agent.permissions.shell.analysis import Part

LINES = [
    "# just a comment",
    "ls\npwd", "ls\n\n\npwd\n", "\nls", "ls \\\n  -la", "ls \\\n | head", "ls |\n head", "ls &&\n pwd", "ls ||\n\n pwd",
    "# one\nls # two\n# three\npwd", "ls # 'quote\npwd", "ls;\npwd;\n", "  ls  \n  pwd  ", "\tls\t-l", "ls\n# end",
    "for f in *.py\ndo\n  echo \"$f\"\ndone", "for f in a \\\n b; do\n ls\ndone", "for f in a b\n\ndo ls; done",
    "for f in *.py; do # each\n  ls\n  # nothing\ndone", "while read -r x\ndo\n  echo \"$x\"\ndone < f",
    "if [ -f x ]\nthen\n  cat x\nelse\n  ls\nfi", "if ls; then\n  pwd # x\n  ls\nelif pwd; then\n  ls\nelse\n  pwd\nfi",
    "case \"$x\" in\n  a|b)\n    ls\n    ;;\n  *)\n    pwd\n    ;;\nesac", "case x in\n a) ls\n ;;\n *) pwd\nesac",
    "(\n  ls\n  pwd\n)", "{\n  ls\n  pwd\n}", "{ ls\n}", "(ls\n)", "if ls; then\n\n  pwd\n\nfi\n\nls",
    "cat <<EOF\nhi\nEOF", "cat <<EOF\nhi $USER $(date)\nEOF", "cat <<'EOF'\n$(evil) `evil` ${x:-$(evil)}\nEOF",
    "cat <<\"EOF\"\n$(evil)\nEOF", "cat <<\\EOF\n$(evil)\nEOF", "cat <<-EOF\n\thi\n\tEOF", "cat <<EOF | grep h\nhi\nEOF",
    "cat <<'EOF' | wc -l\na\nb\nEOF\nls", "cat <<EOF && ls\nhi\nEOF", "cat << EOF\nhi\nEOF\nls", "grep x <<EOF\nx\ny\nEOF",
    "cat <<EOF\na\\b \\$x\nEOF", "cat <<EOF\nit's \"quoted\"\nEOF", "cat <<EOF\nEOF", "cat <<'END-1'\nx\nEND-1",
    "x=$(cat <<'EOF'\nhi\nEOF\n)\necho \"$x\"", "echo \"$(cat <<'EOF'\nhi; evil\nEOF\n)\"", "while read -r x; do echo \"$x\"; done <<EOF\na\nEOF",
    "cat <<EOF 2>/dev/null\nhi\nEOF", "cat <<EOF\n${x:-y} $((1+1)) $1\nEOF", "echo 'a\nb'", "echo \"a\n$x\n\"", "echo \"a\\\nb\"",
    "x=1\ny=2\necho $x $y", "echo $(\n  ls\n  pwd\n)", "ls \\\n  && pwd \\\n  || ls", "! ls &&\npwd", "[[ -f x &&\n -f y ]]",
    "for f in a b; do\n  case $f in\n    a) ls ;;\n  esac\ndone", "if true; then for f in a; do ls; done; fi",
    "set -e\ncd src\nls", "echo one; echo two # three\necho four", "((\n1 + 1\n))",
]  # fmt: skip

ALL = [*listed("scripts_harmless.txt"), *LINES]


@pytest.mark.parametrize("command", ALL)
def test_what_people_run_all_day_only_reads(command: str) -> None:
    assert judged(command).doubts == ()


def the_only_part(command: str, name: str) -> Part:
    [part] = [part for part in judged(command).parts if part.words and part.words[0].value == name]
    return part


def values(command: str, name: str) -> list[str]:
    return [word.value for word in the_only_part(command, name).words[1:]]


def folders(command: str, name: str) -> list[list[str]]:
    return [[word.value for word in chain] for chain in the_only_part(command, name).folders]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("x=a; cat $x", ["a"]),
        ("x='a b'; cat $x", ["a", "b"]),
        ("x='a b'; cat \"$x\"", ["a b"]),
        ("x=a; x=b; cat $x", ["b"]),
        ('x=a y=$x; cat "$y$x"', ["aa"]),
        ("x=; cat $x b", ["b"]),
        ('x=; cat "$x" b', ["", "b"]),
        ("cat {a,b{c,d}}", ["a", "bc", "bd"]),
        ("cat {3..1}", ["3", "2", "1"]),
        ("cat a{1,2}b", ["a1b", "a2b"]),
        ("cat {a} {} {a", ["{a}", "{}", "{a"]),
        ("cat '{a,b}' \"{a,b}\" \\{a,b}", ["{a,b}", "{a,b}", "{a,b}"]),
        (r"cat $'a\tb\x41\101'", ["a\tbAA"]),
        (r"cat a\ b 'c d' e'f'\''g'", ["a b", "c d", "ef'g"]),
        ("x=a; (x=b); cat $x", ["a"]),
        ("x=a; ls | x=b; cat $x", ["a"]),
        ("x=a; { x=b; }; cat $x", ["b"]),
        ("cat $PWD/a", ["./a"]),
        ("x=5; x=$((x)); cat a b", ["a", "b"]),
    ],
)
def test_known_values_are_put_in(command: str, expected: list[str]) -> None:
    assert values(command, "cat") == expected
    assert all(word.is_known for word in the_only_part(command, "cat").words)


@pytest.mark.parametrize(
    "command",
    [
        "cat $x", "x=$(ls); cat $x", "x=a; x=$y; cat $x", "if ls; then x=a; fi; cat $x", "x=a; read -r x; cat $x",
        "x=a; for i in 1 2; do x=$i$x; done; cat $x", "x=a; unset x; cat $x", "x=$(ls) cat $x", "x=a; eval y; cat $x",
        "readonly x; x=a; cat $x", ". f; x=a; cat $x", "if ls; then eval y; fi; x=a; cat $x",
        "x='a\\b'; cat $x", "cat ~root", "x=a; while ls; do x=$y; done; cat $x",
    ],
)  # fmt: skip
def test_what_may_have_changed_is_not_known(command: str) -> None:
    word = the_only_part(command, "cat").words[1]
    assert not word.is_known
    assert not word.is_literal
    assert "$" in word.value


@pytest.mark.parametrize(
    ("word", "splits"), [("$x", True), ('"$x"', False), ("$@", True), ('"$@"', True), ('"a$x"', False), ("$(ls)", True)]
)
def test_an_unknown_word_tells_whether_it_is_one(word: str, splits: bool) -> None:
    assert the_only_part(f"cat {word}", "cat").words[1].may_split is splits


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("wc -l f", [[]]),
        ("cd a && wc -l f", [["a"]]),
        ("cd a; wc -l f", [[], ["a"]]),
        ("cd a && cd b && wc -l f", [["a", "b"]]),
        ("cd a || exit 1; wc -l f", [["a"]]),
        ("cd a || ls; wc -l f", [[], ["a"]]),
        ("(cd a); wc -l f", [[]]),
        ("(cd a && wc -l f)", [["a"]]),
        ("{ cd a; } && wc -l f", [["a"]]),
        ("cd a | ls; wc -l f", [[]]),
        ("if cd a; then wc -l f; fi", [["a"]]),
        ("if cd a; then ls; fi; wc -l f", [[], ["a"]]),
        ("! cd a && wc -l f", [[]]),
        ("x=a; cd $x && wc -l f", [["a"]]),
        ("for d in a b; do (cd $d && wc -l f); done", [["a"], ["b"]]),
        ("echo $(cd a); wc -l f", [[]]),
        ("while ls; do cd a; break; done; wc -l f", [[], ["a"]]),
        ("time cd a && wc -l f", [["a"]]),
        ("cd a && wc -l f && cd b", [["a"]]),
    ],
)
def test_where_a_command_may_run(command: str, expected: list[list[str]]) -> None:
    assert sorted(folders(command, "wc")) == expected


def test_each_part_has_its_own_redirections_and_a_group_has_a_part_for_its() -> None:
    parts = judged("{ ls > a; pwd; } 2> b < c").parts
    assert [[one.operator + one.target.value for one in part.redirects if one.target] for part in parts] == [
        [">b", "<c"], [">a"], [],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        "~/.ssh/id", "~", '"$HOME/.ssh/id"', "$HOME/.ssh/id", "${HOME}/.ssh/id", '""$HOME/.ssh', '"${HOME}"/.ssh', "{${HOME},${HOME}}/.ssh",
        '"$HOME"/.ssh/*', "~/{.ssh,.aws}", "$HOME",
    ],
)  # fmt: skip
def test_what_begins_with_the_home_folder_says_so(word: str) -> None:
    words = the_only_part(f"cat {word}", "cat").words[1:]
    assert words
    assert all(one.raw == one.value and (one.value == "~" or one.value.startswith("~/")) for one in words)


@pytest.mark.parametrize("word", ["'~/.ssh'", '"~/.ssh"', "\\~/.ssh", "'~'/x", "x=~; cat $x", "'~'*", "./~"])
def test_a_protected_tilde_is_a_tilde(word: str) -> None:
    [one] = the_only_part(word if "cat" in word else f"cat {word}", "cat").words[1:]
    assert not one.raw.startswith("~")


@pytest.mark.parametrize(
    "word",
    [
        "--file=$HOME/x",
        '"--file=$HOME/x"',
        "a/$HOME",
        '-f"$HOME"/x',
        "--file=~/x",
        "a:~/x",
        "~root/x",
        "x{,~}",
        "{~,a}/x",
        "{a,~}/x",
        "a{b,{c,~}}",
    ],
)
def test_a_home_folder_inside_a_word_is_not_taken_for_a_name(word: str) -> None:
    words = the_only_part(f"cat {word}", "cat").words[1:]
    assert any(not one.is_literal and "$" in one.value for one in words)


def test_commands_in_substitutions_are_parts_that_say_so() -> None:
    found = [(part.words[0].value, part.is_inside) for part in judged('echo "$(ls)" `pwd` <(cat f)').parts]
    assert sorted(found) == [("cat", True), ("echo", False), ("ls", True), ("pwd", True)]


def test_a_loop_reads_each_of_its_words() -> None:
    [part] = [part for part in judged('for f in a b; do cat "$f"; done').parts if part.command.words]
    assert {word.value for word in part.judgement.reads} == {"a", "b"}
    assert part.judgement.kind == "read_only"


def test_a_loop_over_a_glob_reads_what_it_stands_for() -> None:
    [part] = judged('for f in src/*.py; do cat "$f"; done').parts
    [word] = part.judgement.reads
    assert (word.value, word.known, word.has_glob) == ("src/*.py", "src/", True)


def test_a_text_that_is_not_understood_has_the_commands_that_can_be_seen() -> None:
    analysis = judged("ls & rm x")
    assert analysis.check == "background"
    assert [part.command.words[0].value for part in analysis.parts] == ["ls", "rm"]
    assert all(part.judgement.kind == "unknown" and not part.is_certain for part in analysis.parts)


@pytest.mark.parametrize(
    "command",
    [
        "ls; " * 3000, "(" * 3000 + "ls" + ")" * 3000, "$(" * 3000, "echo " + "$(echo " * 900 + ")" * 900, "`" * 9000,
        "{a,b}" * 1500, "echo " + "{a,b}" * 60, "echo " + "{" * 4000, "if " * 3000, "for x in a b c d; do " * 60 + "ls; " + "done; " * 60,
        "x=1; " + "while ls; do x=$((x+1)); " * 30 + "done; " * 30, "ls && " * 1600 + "ls", "ls | " * 1900 + "ls",
        "[[ " + "( " * 2000 + "x" + " )" * 2000 + " ]]", "cat " + "{a," * 1500 + "b" + "}" * 1500, "cat " + "{a,b,c}" * 30,
        "x=a; " + 'x="$x$x"; ' * 600 + "echo $x", "for x in a b c d e; do for y in a b c d e; do " + "echo $x$y$x$y; " * 300 + "done; done",
        "echo " + '"$x' * 2000, "[[ " + "( " * 3000, "echo $((" + "(" * 4000, "<<E " * 2000, "case x in " + "a) ls;; " * 1000 + "esac",
    ],
    ids=itertools.count(),
)  # fmt: skip
def test_a_long_command_takes_no_long_time(command: str) -> None:
    started = time.process_time()
    judged(command[:10_000])
    assert time.process_time() - started < 2


def test_a_usual_command_is_analysed_within_a_few_milliseconds() -> None:
    commands = [f"git log --oneline -{count} | head -{count}; ls src/{count} 2>/dev/null" for count in range(60)]
    only_reads(commands[0])
    times = []
    for command in commands:
        started = time.process_time()
        only_reads(command)
        times.append(time.process_time() - started)
    assert sorted(times)[len(times) // 2] < 0.005


@pytest.mark.parametrize(
    "text", ["cat - <<E", "cat a - << E", "cat - 2>&1 <<E", "cat - <<-E", "cat - <<'E' | wc", "cat > o - <<E"]
)
def test_a_dash_before_a_here_document_is_a_word(text: str) -> None:
    assert the_only_part(f"{text}\n- << x\nE", "cat").words[-1].value == "-"


@pytest.mark.parametrize("text", ["echo $((16#$(touch x)))", "cat $((16#$(ls))) - <<E\nE"])
def test_what_the_grammar_passes_over_is_not_understood(text: str) -> None:
    assert not judged(text).is_understood
