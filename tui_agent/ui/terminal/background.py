"""The ground of the terminal, light or dark: asked for, and read in what it answers.

A terminal answers in the stream of the keys. Textual types answers that it does not know into the prompt; so those that tell
colours are taken out here, whoever asked: what a shell or an editor asked before may be answered late.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from textual.message import Message

from tui_agent.ui.textual_patches.parser_layers import read_by

__all__ = ["ASK", "Answers", "BackgroundReported", "read_answers"]

ASK: Final = "\x1b]11;?\x1b\\"
"""What asks for the ground (xterm's control sequences, OSC 11)."""

_ANSWER: Final = re.compile(r"\x1b\](4;\d{1,3}|1\d);(?:rgba?:([0-9a-fA-F/]{1,40}))(?:\x07|\x1b\\)")
# As much of one as may stand at the end of a chunk. Escape, or Alt and a bracket, may be keys of their own.
_BEGINNING: Final = re.compile(r"\x1b\](?:\d{1,2}|4;\d{0,3}|(?:4;\d{1,3}|1\d);[rgba:]{0,5}[0-9a-fA-F/]{0,40}\x1b?)\Z")


class BackgroundReported(Message):
    """The terminal has told its ground."""

    def __init__(self, *, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


def read_answers() -> None:
    """Have the terminal's driver read answers this way."""
    read_by(_parser)


def _parser(base: type) -> type:
    class AnswerParser(base):  # type: ignore[misc]
        """Reads what the terminal sends."""

        _answers: Answers | None = None

        def feed(self, data: str) -> Iterable[Message]:
            if not data:  # the end
                yield from super().feed(data)
                return
            if self._answers is None:
                self._answers = Answers()
            typed, told = self._answers.take(data)
            if typed:
                yield from super().feed(typed)
            yield from told

    return AnswerParser


class Answers:
    """Parts what comes from a terminal, in chunks, into what was typed and what it answers."""

    def __init__(self) -> None:
        self._held = ""  # it may be the beginning of an answer

    def take(self, data: str) -> tuple[str, list[BackgroundReported]]:
        """Return what was typed, and what of the ground was told."""
        data, self._held = self._held + data, ""
        if "\x1b]" not in data:
            return data, []
        told = [
            BackgroundReported(is_light=_lightness(answer[2]) > 0.5)
            for answer in _ANSWER.finditer(data)
            if answer[1] == "11"
        ]
        data = _ANSWER.sub("", data)
        if match := _BEGINNING.search(data):
            data, self._held = data[: match.start()], match[0]
        return data, told


def _lightness(colour: str) -> float:
    """Return how light a colour as `rrrr/gggg/bbbb` is, in any number of digits, from 0 to 1 (the weights of ITU-R BT.709)."""
    parts = [int(part, 16) / (16.0 ** len(part) - 1) for part in colour.split("/") if part][:3]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=False))
