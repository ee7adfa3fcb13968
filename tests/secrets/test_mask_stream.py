"""Masking a text that comes in pieces: wherever it is cut, no part of a secret gets out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from corpus import FORMS
from hypothesis import given
from hypothesis import strategies as st
from planted import KEY_BLOCK, SECRETS

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream

VALUE = "canary 9fQw7x-zz with blanks"


def stream(text: str, borders: list[int], masker: Masker) -> list[str]:
    """Feed a text cut at these borders, and return what was given out each time."""
    stream = MaskStream(masker)
    places = sorted({0, *(border % (len(text) + 1) for border in borders), len(text)})
    out = [stream.feed(text[a:b]) for a, b in pairwise(places)]
    return [*out, stream.finish()]


_TEXTS = st.lists(
    st.one_of(
        st.sampled_from([text for _, _, text in SECRETS] + [VALUE, "\n" + KEY_BLOCK + "\n"]),
        st.sampled_from([line.replace("«", "").replace("»", "") for _, lines in FORMS for line in lines]),
        st.text(max_size=20),
        st.sampled_from(["\n", " ", "words and words "]),
    ),
    max_size=6,
).map("\n".join)


@given(_TEXTS, st.lists(st.integers(0, 5000), max_size=12))
def test_the_borders_make_no_difference(text: str, borders: list[int]) -> None:
    masker = Masker({"SHOP_TOKEN": VALUE})
    given_out = stream(text, borders, masker)
    assert "".join(given_out) == "".join(stream(text, [], masker))
    assert VALUE not in "".join(given_out)


@pytest.mark.parametrize(("secret", "label", "text"), SECRETS, ids=[label for _, label, _ in SECRETS])
def test_cut_after_each_character(secret: str, label: str, text: str) -> None:
    masker = Masker()
    whole = f"first line\n{text}\nlast line"
    shown = ""
    for piece in stream(whole, list(range(len(whole))), masker):
        shown += piece
        assert secret[:6] not in shown
    assert shown == whole.replace(secret, f"[secret: {label}]")


def test_a_value_with_blanks_is_held_until_it_is_clear() -> None:
    masker = Masker({"SHOP_TOKEN": VALUE})
    assert "".join(stream(f"x {VALUE} y", list(range(60)), masker)) == "x [secret: SHOP_TOKEN] y"
    almost = VALUE[:-1] + "!"
    assert "".join(stream(f"x {almost} y", list(range(60)), masker)) == f"x {almost} y"


def test_what_has_no_blank_comes_out_all_the_same() -> None:
    masker = Masker({"SHOP_TOKEN": "canary-9fQw7xzz"})
    stream = MaskStream(masker)
    text = "ab" * 20_000 + "canary-9fQw7xzz" + "cd" * 20_000
    out, most_held = "", 0
    for at in range(0, len(text), 777):
        out += stream.feed(text[at : at + 777])
        most_held = max(most_held, at + 777 - len(out))
    out += stream.finish()
    assert out == text.replace("canary-9fQw7xzz", "[secret: SHOP_TOKEN]")
    assert most_held < 20_000


def test_a_flood_is_searched_for_what_is_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.secrets.stream._FLOOD", 100)
    masker = Masker({"SHOP_TOKEN": VALUE})
    common = [secret for secret, label, _ in SECRETS if label in ("Anthropic key", "GitHub token", "AWS key", "JWT")]
    text = "words " * 40 + " ".join([*common, VALUE]) + "\n" + KEY_BLOCK + "\n"
    out = "".join(stream(text, list(range(0, 3000, 50)), masker))
    assert len(common) == 6
    assert not any(secret in out for secret in (*common, VALUE, *KEY_BLOCK.split("\n")[1:-1]))


def test_a_key_goes_on_over_any_number_of_pieces() -> None:
    lines = KEY_BLOCK.split("\n")
    masker = Masker()
    stream = MaskStream(masker)
    out = "".join(
        stream.feed(line + "\n") for line in ["ok", *lines[:-1], *(lines[1:5] * 20), lines[-1], "and so on it goes"]
    )
    out += stream.finish()
    assert all(line[:16] not in out for line in lines[1:-1])
    assert out.endswith("-----END RSA PRIVATE KEY-----\nand so on it goes\n")
