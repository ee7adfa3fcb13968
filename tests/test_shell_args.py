from __future__ import annotations

import re
import shlex
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.shell_args import OPERATORS, MissingPartError, Operator, WordsError, split_words, variables

DATA = {"a": [1, 2]}
ENV: dict[str, object] = {"NAME": "Ada", "BOTH": "two words", "EMPTY": "", "OBJ": DATA, "N": 5, "NONE": None}


def op(text: str) -> Operator:
    return Operator(text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  a \t b\r\nc ", ["a", "b", "c"]),
        ("a '' \"\" b", ["a", "", "", "b"]),
        (r"'a\b' \'c\ d", [r"a\b", "'c d"]),
        (r'"a\"b\\c\$d\`e\f"', [r'a"b\c$d`e\f']),
        ("one\\\ntwo \\\nthree", ["onetwo", "three"]),
        ('"one\\\ntwo" ""\\\n', ["onetwo", ""]),
        ("a#b #c", ["a#b", "#c"]),
        ("a'b'\"c\"d", ["abcd"]),
        ("* ~ $(x) `y`", ["*", "~", "$", op("("), "x", op(")"), "`y`"]),
    ],
)
def test_words_and_quotes_are_those_of_a_shell(line: str, words: list[Any]) -> None:
    assert split_words(line, {}) == words


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_ends_a_word_unless_it_is_quoted(operator: str) -> None:
    assert split_words(f"a{operator}b", {}) == ["a", op(operator), "b"]
    assert split_words(f"a'{operator}'b \"{operator}\"", {}) == [f"a{operator}b", operator]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("|||", ["||", "|"]),
        ("||||", ["||", "||"]),
        ("|&&", ["|&", "&"]),
        ("&&&", ["&&", "&"]),
        (";;;", [";;", ";"]),
        (">>>", [">>", ">"]),
        ("<<", ["<", "<"]),
        ("((;)", ["(", "(", ";", ")"]),
    ],
)
def test_the_longest_operator_is_taken_first(line: str, words: list[str]) -> None:
    assert split_words(line, {}) == [op(word) for word in words]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hello $NAME", ["hello", "Ada"]),
        ("${NAME}x $NAMEx", ["Adax"]),
        ("'$NAME' \"$NAME\" \\$NAME", ["$NAME", "Ada", "$NAME"]),
        ("$BOTH", ["two words"]),
        ("a $UNSET b $EMPTY c", ["a", "b", "c"]),
        ('a "$UNSET" --k=$UNSET', ["a", "", "--k="]),
        ("$ $1 ${ ${a-b} a$", ["$", "$1", "${", "${a-b}", "a$"]),
        ("x$NAME|y", ["xAda", op("|"), "y"]),
    ],
)
def test_variables_expand_outside_single_quotes(line: str, words: list[Any]) -> None:
    assert split_words(line, ENV) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run $OBJ", ["run", DATA]),
        ("run --k=$OBJ --n=\"$N\" '-x='${OBJ}", ["run", "--k", DATA, "--n", 5, "-x", DATA]),
        ("$NONE", [None]),
        ("$OBJ|$OBJ", [DATA, op("|"), DATA]),
        ("file$N.txt", ["file5.txt"]),
        ("a=$N", ["a=5"]),
        ("<$OBJ>", [op("<"), DATA, op(">")]),
        ('"see $OBJ"', ['see {"a": [1, 2]}']),
        ("$N$N", ["55"]),
    ],
)
def test_an_object_comes_out_as_itself_where_it_is_the_whole_word(line: str, words: list[Any]) -> None:
    assert split_words(line, ENV) == words


def test_an_object_comes_out_as_the_same_object() -> None:
    marker = object()
    assert split_words("--k=$X", {"X": marker})[1] is marker


def test_text_that_looks_like_an_object_on_its_way_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _size: "token")
    whole = "\ue000token:0\ue001"
    assert split_words("$OBJ", ENV) == [DATA]
    for damaged in (
        whole[1:],
        whole[:-1],
        whole.replace(":", ""),
        whole.replace("0", "x"),
        whole.replace("tok", "TOK"),
    ):
        assert split_words(f"{damaged} $V $OBJ", {"V": damaged, "OBJ": DATA}) == [damaged, damaged, DATA]
    monkeypatch.undo()
    assert split_words(f"{whole} $OBJ", ENV) == [whole, DATA]


@pytest.mark.parametrize(
    ("line", "position", "text"),
    [
        ("say 'it", 4, "the ' is not closed at character 5"),
        ("say \"it 's", 4, 'the " is not closed at character 5'),
        ("a b\\", 3, "nothing follows the \\ at character 4"),
        ('"a\\"', 0, 'the " is not closed at character 1'),
    ],
)
def test_what_is_not_closed_is_named_with_its_place(line: str, position: int, text: str) -> None:
    with pytest.raises(WordsError, match=re.escape(text)) as caught:
        split_words(line, {})
    assert caught.value.position == position


def test_the_variables_of_a_line_are_named_once_in_order() -> None:
    assert variables("$B '$C' \"${A}\" $B \\$D $1") == ["B", "A"]


@given(st.text(alphabet="ab '\"\\\t\re\u00e9#=-~*"))
def test_without_operators_and_variables_it_is_what_shlex_says(line: str) -> None:
    try:
        expected: list[str] | None = shlex.split(line, comments=False)
    except ValueError:
        expected = None
    try:
        found: list[object] | None = split_words(line, {})
    except WordsError:
        found = None
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab '\"\\$\n`"))
def test_quotes_mean_what_they_mean_to_bash(line: str) -> None:
    # What bash would run, or read as the end of a command, is no question of quotes.
    quoted = re.compile(r"(?:[ab ]|'[^']*'|\"(?:[^\"\\`$]|\\.)*\"|\\.)*", re.DOTALL)
    match = quoted.match(line)
    line = match[0] if match else ""
    if line.endswith("\\"):
        return
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line} end"], capture_output=True, text=True, check=True, timeout=10
    )
    assert [*split_words(line, {}), "end"] == done.stdout.split("\0")[:-1]


@given(st.lists(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.booleans()))))
def test_what_is_quoted_or_put_in_comes_out_again(values: list[Any]) -> None:
    env = {f"V{number}": value for number, value in enumerate(values)}
    line = " ".join(f'"$V{number}"' for number in range(len(values)))
    assert split_words(line, env) == values
    texts = [value for value in values if isinstance(value, str)]
    assert split_words(shlex.join(texts), {}) == texts


RESULTS: dict[str, object] = {
    "R1": {"path": "/a b", "count": 3, "list": [{"x": {"y": 1}}, 2], "a b": 5, "0": "zero", "none": None},
    "L": [1, [2]],
    "S": "text",
}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("$R1.path", ["/a b"]),
        ("--file=$R1.path", ["--file=/a b"]),
        ("--n=$R1.count", ["--n", 3]),
        ("$R1.list.0.x", [{"y": 1}]),
        ("$R1.list[0].x.y", [1]),
        ("$L[1] $L[-1] $L.1.0 $L[1][0]", [[2], [2], 2, 2]),
        ('$R1["a b"] $R1[\'a b\'] ${R1["a b"]}', [5, 5, 5]),
        ("$R1.0", ["zero"]),
        ("$R1.none", [None]),
        ("${R1.path}.txt ${R1.list.1}", ["/a b.txt", 2]),
        ("$R1.path.txt", ["/a b.txt"]),  # behind text a dot is a dot
        ("$S.txt $S[0]", ["text.txt", "text[0]"]),
        ('"there are $R1.count."', ["there are 3."]),
        ('"$R1.list."', ['[{"x": {"y": 1}}, 2].']),
        ("'$R1.path' \\$R1.path", ["$R1.path", "$R1.path"]),
        ("${L}.0", ["[1, [2]].0"]),
        ("$NONE.x ${NONE.x}", [".x"]),
    ],
)
def test_a_part_of_an_object_is_picked(line: str, words: list[object]) -> None:
    assert split_words(line, RESULTS) == words


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x $R1.pth", "$R1 has no .pth; it has path, count, list, a b, 0, none at character 3"),
        ("$R1.list[7]", "$R1.list has no [7]; it has 2 items at character 1"),
        ("$L.first", "$L has no .first; it has 2 items at character 1"),
        ("$R1.list.0.z.y", "$R1.list.0 has no .z; it has x at character 1"),
        ("${R1.count.x}", "$R1.count is no object and has no .x at character 1"),
    ],
)
def test_a_part_that_is_not_there_is_named(line: str, message: str) -> None:
    with pytest.raises(MissingPartError) as caught:
        split_words(line, RESULTS)
    assert str(caught.value) == message


def test_a_variable_that_a_part_is_picked_of_is_used() -> None:
    assert variables("$R1.a ${R2.b[0]} '$R3.c'") == ["R1", "R2"]
