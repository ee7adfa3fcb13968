"""A message as a user writes it: text in which chips stand for what was pasted, and for pictures.

A chip is a label in the text, `[Pasted text #1 +42 lines]` or `[Image #1 320×200]`. The model gets the pasted text in its
place; a picture's label stays, and the picture goes along. A label that was deleted takes what it stood for with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Chip", "ChipSpan", "Draft", "Image", "chip_spans", "highest_number", "image_label", "pasted_label"]

_LABEL: Final = re.compile(r"\[(?:Pasted text|Image) #\d+[^\[\]\n]*\]")


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as it is sent: `data` is Base64, `size` its pixels. `preview` is as `viewkit.thumbnail` takes it."""

    name: str
    media_type: str
    data: str
    size: tuple[int, int]
    preview: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Chip:
    """A label, and what it stands for: a text or a picture."""

    label: str
    text: str = ""
    image: Image | None = None


@dataclass(frozen=True, slots=True)
class ChipSpan:
    """Where in a text a chip stands."""

    start: int
    stop: int
    chip: Chip


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with its chips. Those whose label does not stand in the text do not count."""

    text: str
    chips: tuple[Chip, ...] = ()

    @classmethod
    def of(cls, message: str | Draft) -> Draft:
        """Return a message as a draft; plain text has no chips."""
        return message if isinstance(message, Draft) else cls(message)

    @property
    def spans(self) -> list[ChipSpan]:
        """The chips that stand in the text, in their order."""
        return chip_spans(self.text, {chip.label: chip for chip in self.chips})

    @property
    def whole(self) -> str:
        """The text with what was pasted in the place of its chips; labels of pictures stay."""
        pieces: list[str] = []
        at = 0
        for span in self.spans:
            if span.chip.image is None:
                pieces += (self.text[at : span.start], span.chip.text)
                at = span.stop
        return "".join((*pieces, self.text[at:]))

    @property
    def images(self) -> list[Chip]:
        """The chips of pictures in the text, each once."""
        return list({span.chip.label: span.chip for span in self.spans if span.chip.image is not None}.values())

    @property
    def used(self) -> Draft:
        """The same without chips that do not stand in the text."""
        return Draft(self.text, tuple({span.chip.label: span.chip for span in self.spans}.values()))

    def after(self, earlier: Draft) -> Draft:
        """Return `earlier`, and this on a new line below it."""
        chips = {chip.label: chip for chip in (*earlier.chips, *self.chips)}
        text = f"{earlier.text}\n{self.text}" if self.text else earlier.text
        return Draft(text, tuple(chips.values()))


def chip_spans(text: str, chips: Mapping[str, Chip]) -> list[ChipSpan]:
    """Return where known chips, by label, stand in a text."""
    if not chips or "[" not in text:
        return []
    return [
        ChipSpan(found.start(), found.end(), chips[found[0]]) for found in _LABEL.finditer(text) if found[0] in chips
    ]


def pasted_label(number: int, text: str) -> str:
    """Return the label of a pasted text."""
    breaks = text.count("\n")
    much = f"+{breaks + (not text.endswith(chr(10))):,} lines" if breaks else f"{len(text):,} characters"
    return f"[Pasted text #{number} {much}]"


def image_label(number: int, size: tuple[int, int]) -> str:
    """Return the label of a picture."""
    return f"[Image #{number} {size[0]}×{size[1]}]"


def highest_number(labels: Iterable[str], kind: str) -> int:
    """Return the highest number among labels of a kind (`Image`, `Pasted text`); 0 where there is none."""
    found = (re.match(rf"\[{kind} #(\d+)", label) for label in labels)
    return max((int(match[1]) for match in found if match), default=0)
