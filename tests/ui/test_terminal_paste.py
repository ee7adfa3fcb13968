from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from tui_agent.text import clean
from tui_agent.ui.terminal.paste import Pieces, _parser

TYPED = st.text("ab \x1b[2A~\r", max_size=6)
PASTED = st.text("ab \x1b[201mé\x07\n\r\x9b\u202e", max_size=30).filter(lambda text: "\x1b[201~" not in text)


@given(st.lists(st.tuples(TYPED.filter(lambda text: not text.endswith(("\x1b", "["))), PASTED), max_size=4), st.data())
def test_pastes_come_whole_however_they_were_cut(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    stream = "".join(f"{typed}\x1b[200~{pasted}\x1b[201~" for typed, pasted in pieces) + "x"
    keys = {at + behind for at in range(len(stream)) for behind in (1, 2) if stream.startswith("\x1b[200~", at)}
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=8)) - keys)  # where the rest may be a key
    parts = Pieces()
    found = []
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += parts.take(stream[start:stop])
    assert [text for text, is_pasted in found if is_pasted] == [pasted for _, pasted in pieces]
    assert "".join(text for text, is_pasted in found if not is_pasted) == "".join(typed for typed, _ in pieces) + "x"


@given(PASTED)
def test_nothing_in_a_paste_is_a_key(pasted: str) -> None:
    parser = _parser(XTermParser)()
    tokens = list(parser.feed(f"a\x1b[200~{pasted}\x1b[201~b"))
    assert [token.key for token in tokens if isinstance(token, events.Key)] == ["a", "b"]
    assert [token.text for token in tokens if isinstance(token, events.Paste)] == [clean(pasted)]


def test_keys_are_read_as_ever() -> None:
    parser = _parser(XTermParser)()
    tokens = [*parser.feed("\x1b[A"), *parser.feed("\x1b[2"), *parser.feed("~\x1b[B")]
    assert [token.key for token in tokens if isinstance(token, events.Key)] == ["up", "insert", "down"]


def test_a_long_paste_is_one_event() -> None:
    parser = _parser(XTermParser)()
    text = "line\x1b[31m of a log\n" * 60_000
    chunks = [f"\x1b[200~{text}\x1b[201~"[at : at + 4096] for at in range(0, len(text) + 12, 4096)]
    (token,) = [token for chunk in chunks for token in parser.feed(chunk)]
    assert isinstance(token, events.Paste)
    assert token.text == "line of a log\n" * 60_000
