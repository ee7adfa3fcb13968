"""Every kind of secret that is known, in the texts it turns up in; and what looks alike and is none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from corpus import FORMS, ISSUED
from test_mask_stream import stream

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.masks import MASK

HARMLESS = Path(__file__).with_name("harmless_lines.txt").read_text("utf-8").splitlines()


def in_lines(text: str) -> list[tuple[str, str]]:
    """Return lines in which a key stands with nothing to say what it is, and what each has to become."""
    if "@@" in text:
        before, hidden, after = re.fullmatch(r"(.*?)@(.*)@(@.*)", text).groups()  # type: ignore[union-attr]
    else:
        before, hidden = text.split("@", 1) if "@" in text else ("", text)
        after = ""
    shown, masked = before + hidden + after, f"{before}[]{after}"
    shapes = ("VALUE={}", '{{"id": 7, "value": "{}"}}', "2026-01-01 12:00:00 INFO calling upstream with {} (retry 2)")
    return [(shape.format(shown), shape.format(masked)) for shape in shapes]


def blanked(text: str) -> str:
    """Return a masked text without what the masks say."""
    return MASK.sub("[]", text)


def test_there_are_enough_of_them() -> None:
    assert len({kind for kind, _ in ISSUED}) + len({kind for kind, _ in FORMS}) >= 200
    assert len(set(HARMLESS)) >= 300


@pytest.mark.parametrize(("kind", "text"), ISSUED, ids=[kind for kind, _ in ISSUED])
def test_a_key_is_hidden_wherever_it_stands(kind: str, text: str) -> None:
    for shown, masked in in_lines(text):
        assert blanked(Masker().mask(shown)) == masked


@pytest.mark.parametrize(("kind", "lines"), FORMS, ids=[kind for kind, _ in FORMS])
def test_a_value_is_hidden_for_its_name(kind: str, lines: tuple[str, ...]) -> None:
    assert len(lines) >= 3
    for line in lines:
        shown = line.replace("«", "").replace("»", "")
        assert blanked(Masker().mask(shown)) == re.sub("«.*?»", "[]", line)


def test_what_looks_alike_is_seen() -> None:
    masker = Masker()
    assert [line for line in HARMLESS if masker.mask(line) != line] == []
    assert masker.mask("\n".join(HARMLESS)) == "\n".join(HARMLESS)


@pytest.mark.parametrize("kind", [kind for kind, _ in (*ISSUED, *FORMS)])
def test_no_border_lets_a_part_of_it_through(kind: str) -> None:
    issued, forms = dict(ISSUED), dict(FORMS)
    if kind in issued:
        texts = [in_lines(issued[kind])[len(kind) % 3][0]]
    else:
        texts = [line.replace("«", "").replace("»", "") for line in forms[kind]]
    for line in texts:
        text = f"one\n{line}\ntwo"
        masker = Masker()
        whole = masker.mask(text)
        places = list(range(len(text)))
        step = max(1, len(text) // 12)
        assert all("".join(stream(text, [place], masker)) == whole for place in places[len(kind) % step :: step])
        if len(text) < 120:
            assert "".join(stream(text, places, masker)) == whole


def test_a_long_text_hides_what_its_lines_hide() -> None:
    """In long texts keys are looked for another way."""
    rng = Random(3)
    masker = Masker()
    lines = [shown for _, text in ISSUED for shown, _ in in_lines(text)]
    lines += [line.replace("«", "").replace("»", "") for _, some in FORMS for line in some]
    lines += HARMLESS
    rng.shuffle(lines)
    text = "\n\n".join(lines)
    assert len(text) > 50_000
    assert masker.mask(text) == "\n\n".join(masker.mask(line) for line in lines)


def test_what_is_data_is_hidden_too() -> None:
    masker = Masker()
    data = json.loads(json.dumps({"lines": [shown for _, text in ISSUED[:40] for shown, _ in in_lines(text)]}))
    masked = masker.mask_data(data)
    assert all("[secret: " in line for line in masked["lines"])
