from __future__ import annotations

import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a 'b c' && d",), ["a", "b c", {"op": "&&"}, "d"]),
        (("show --rows=$R $S", "--env", '{"R": [1, {"x": null}], "S": "text"}'), ["show", "--rows", [1, {"x": None}], "text"]),
        (("--env={\"A\": 1}", "--k=$A -v"), ["--k", 1, "-v"]),
        (("--k=$A", "--env", '{"A": 1}'), ["--k", 1]),
        (("--env", '{"A": 1}', "--", "--env $A"), ["--env", 1]),
        (("$U",), []),
        (("$A $B > $C", "--env", '{"A": {"op": "|"}, "B": {"value": 1}, "C": {"op": 1, "value": 2}}'),
         [{"value": {"op": "|"}}, {"value": {"value": 1}}, {"op": ">"}, {"op": 1, "value": 2}]),
    ],
)  # fmt: skip
def test_words_are_printed_as_json(in_process: Run, arguments: tuple[str, ...], words: list[object]) -> None:
    code, out, err = in_process("tools", "words", *arguments)
    assert (code, err) == (0, "")
    assert json.loads(out) == words
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "one LINE is needed"),
        (("a", "b"), "more than one LINE"),
        (("say 'it",), "the ' is not closed at character 5"),
        (("a", "--env", "{"), "--env is not JSON"),
        (("a", "--env", "[]"), "--env must be a JSON object"),
        (("a", "--env"), "--env"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage(in_process: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = in_process("tools", "words", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_help_says_how_words_are_printed(in_process: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        in_process("tools", "words", "--help")
    printed = capsys.readouterr().out
    assert '{"op": "|"}' in printed
    assert '["show","--rows",[1,2],{"op":"|"},"sort"]' in printed


def test_the_example_of_the_help_is_true(in_process: Run) -> None:
    _, out, _ = in_process("tools", "words", "show --rows=$R | sort", "--env", '{"R": [1, 2]}')
    assert out == '["show","--rows",[1,2],{"op":"|"},"sort"]\n'
