"""The chips of the prompt: what was pasted or attached, by the label that stands for it in the text.

A chip is kept while its text might come back: undone, taken back, put back from what was cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tui_agent.drafts import Chip, ChipSpan, Draft, Image, chip_spans, highest_number, image_label, pasted_label

__all__ = ["ChipShelf", "is_long"]

_LONG_LINES: Final = 10
_LONG_CHARS: Final = 800
_MOST_CHARS: Final = 64 * 1024 * 1024  # of all chips that are kept


def is_long(text: str) -> bool:
    """Whether a pasted text is better shown as a chip."""
    return len(text) > _LONG_CHARS or text.count("\n") >= _LONG_LINES


class ChipShelf:
    """All chips there are, the oldest first. Labels number them, and none is used for two."""

    def __init__(self) -> None:
        self._chips: dict[str, Chip] = {}

    def __bool__(self) -> bool:
        return bool(self._chips)

    def fold(self, text: str) -> Chip:
        """Return a new chip for a pasted text."""
        return self._add(Chip(pasted_label(highest_number(self._chips, "Pasted text") + 1, text), text))

    def hold(self, image: Image) -> Chip:
        """Return a new chip for a picture."""
        return self._add(Chip(image_label(highest_number(self._chips, "Image") + 1, image.size), image=image))

    def put(self, chips: Iterable[Chip]) -> None:
        """Take in chips that come with a text."""
        for chip in chips:
            self._add(chip)

    def draft(self, text: str) -> Draft:
        """Return a text with the chips that stand in it."""
        return Draft(text, tuple(self._chips.values())).used

    def spans(self, text: str) -> list[ChipSpan]:
        """Return where chips stand in a text."""
        return chip_spans(text, self._chips)

    def _add(self, chip: Chip) -> Chip:
        self._chips.pop(chip.label, None)
        self._chips[chip.label] = chip
        room = _MOST_CHARS - sum(map(_cost, self._chips.values()))
        for label in list(self._chips)[:-1]:
            if room >= 0:
                break
            room += _cost(self._chips.pop(label))
        return chip

    # --- chips are whole ---------------------------------------------------------------------------------------------

    def cut(self, text: str, start: int, stop: int, inserted: str) -> tuple[int, int]:
        """Return from where to where a change has to reach so that no chip is left in pieces.

        What is written within one goes behind it; what takes a part of one away takes it whole. A change that leaves a chip in
        its place is let be.
        """
        for span in self.spans(text):
            if start == stop and span.start < start < span.stop:
                return span.stop, span.stop
            if start < span.stop and span.start < stop and not (start <= span.start and span.stop <= stop):
                changed = text[:start] + inserted + text[stop:]
                if any(other.start <= span.start < other.stop for other in self.spans(changed)):
                    return start, stop
                start, stop = min(start, span.start), max(stop, span.stop)
        return start, stop

    def edge(self, text: str, at: int, before: int) -> int:
        """Return where a cursor that has come to `at` from `before` stands: it goes over a chip in one step."""
        for span in self.spans(text):
            if span.start < at < span.stop:
                return span.stop if before <= span.start else span.start
        return at

    def beside(self, text: str, at: int) -> ChipSpan | None:
        """Return the chip that ends at, or begins at, an offset."""
        spans = self.spans(text)
        ending = next((span for span in spans if span.stop == at), None)
        return ending or next((span for span in spans if span.start == at), None)


def _cost(chip: Chip) -> int:
    return len(chip.text) + (len(chip.image.data) if chip.image is not None else 0)
