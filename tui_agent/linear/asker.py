"""What is asked at the prompt: choices by number or word, a line, a text of several lines."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_agent.linear.wrapping import wrapped
from tui_agent.text import clean, clean_line, strip_escapes

if TYPE_CHECKING:
    from tui_agent.linear.console import ConsoleLike

__all__ = ["Asker", "Choice", "EndOfInputError"]

_GRACE_S: Final = 0.35  # nobody has read a question that quickly: what comes by then was meant for the prompt
_END: Final = "."
_ANSWER_AND_WORDS: Final = re.compile(r"\s*([^,:]{1,40}?)\s*[,:]\s*(\S.*)", re.DOTALL)
_BACK: Final = "/back"


class EndOfInputError(Exception):
    """There will be no answer: the input has ended, or Ctrl+D was pressed in place of one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. `value` is what is returned for it, and may be typed; so may its number and `also`.

    One that is missing keeps its number, so that those after it have the ones they always have, and cannot be chosen.
    """

    value: str
    words: str
    also: tuple[str, ...] = ()
    is_missing: bool = False


class Asker:
    """Asks at `console`. `on_early` takes what was typed before a question can have been read, and is no answer to it.

    With `has_grace` nothing that is typed so early answers.
    """

    def __init__(
        self, console: ConsoleLike, on_early: Callable[[str], object] = lambda _text: None, *, has_grace: bool = True
    ) -> None:
        self._console = console
        self._on_early = on_early
        self._has_grace = has_grace
        self._asked_at = 0.0  # 0: by something that the user did
        self._entry_at = 0.0

    @property
    def console(self) -> ConsoleLike:
        """The terminal."""
        return self._console

    def begin(self) -> None:
        """A question comes up by itself, maybe in the middle of something that is being typed."""
        self._asked_at = asyncio.get_running_loop().time() if self._has_grace else 0.0

    def say(self, text: str = "") -> None:
        """Write lines, broken at blanks."""
        for line in clean(text).split("\n"):
            for piece in wrapped(line, self._console.width):
                self._console.line(piece)

    def say_all(self, lines: Iterable[str]) -> None:
        """Write lines as they are: those of code are not broken."""
        for line in lines:
            self._console.line(line)

    async def choose(
        self,
        choices: Sequence[Choice],
        *,
        show: Callable[[], object] = lambda: None,
        prompt: str = "Answer",
        is_brief: bool = False,
    ) -> str:
        """Show what there is to choose from and return what was chosen; `?` shows it again, with what it is about.

        `is_brief` names the answers on one line at first: for what is asked again and again.

        Raises:
            EndOfInputError: there will be no answer.
        """
        value, _ = await self._choose(choices, show, prompt, is_brief=is_brief)
        return value

    async def choose_and_say(
        self, choices: Sequence[Choice], *, show: Callable[[], object] = lambda: None, prompt: str = "Answer"
    ) -> tuple[str, str]:
        """Return what was chosen, as `choose` does, and the words for the model that followed it; empty where none did.

        Raises:
            EndOfInputError: there will be no answer.
        """
        return await self._choose(choices, show, prompt, takes_words=True)

    async def _choose(
        self,
        choices: Sequence[Choice],
        show: Callable[[], object],
        prompt: str,
        *,
        is_brief: bool = False,
        takes_words: bool = False,
    ) -> tuple[str, str]:
        show()
        if is_brief:
            names = ", ".join(f"{number} {choice.value}" for number, choice in enumerate(choices, 1))
            self.say(f"{names}; ? explains")
        else:
            self._list(choices)
        if takes_words:
            self.say("Words for the model may follow an answer: yes, but keep the names.")
        while True:
            typed = await self._typed(f"{prompt} (1 to {len(choices)}): ")
            found, words = _match(choices, typed), ""
            if found is None and takes_words and (parts := _ANSWER_AND_WORDS.fullmatch(typed)):
                found, words = _match(choices, parts[1]), parts[2].strip()
            is_early = self._is_early
            self._asked_at = 0.0
            if is_early:
                if found is None and typed.strip():
                    self._on_early(typed)
                self.say("That came before the question can have been read, and does not answer it. Please answer now.")
            elif found is not None:
                return found, words
            elif typed.strip() == "?":
                show()
                self._list(choices)
            elif typed.strip():
                self.say(
                    f"“{clean_line(typed, 60)}” is none of the answers. Type a number from 1 to {len(choices)}, or ?."
                )

    async def confirm(self, question: str) -> bool:
        """Return whether the user says yes.

        Raises:
            EndOfInputError: there will be no answer.
        """
        while True:
            match (await self._typed(f"{question} (yes or no): ")).strip().lower():
                case "yes" | "y":
                    return True
                case "no" | "n":
                    return False
                case _:
                    self.say("Type yes or no.")

    async def text(self, prompt: str) -> str:
        """Return one line; what was pasted keeps its lines. Empty where just Enter was pressed.

        Raises:
            EndOfInputError: there will be no answer.
        """
        return (await self._typed(prompt)).strip()

    async def secret(self, prompt: str) -> str:
        """Return one line that is not shown while it is typed.

        Raises:
            EndOfInputError: there will be no answer.
        """
        with self._console.hidden():
            return (await self._typed(prompt)).strip()

    async def block(self, about: str) -> str | None:
        """Return a text of any number of lines, which ends with a line of a single full stop; None: the user went back.

        Raises:
            EndOfInputError: there will be no answer.
        """
        self.say(f"{about} End with a line that holds only a full stop; {_BACK} alone on a line goes back.")
        lines: list[str] = []
        while True:
            for line in (await self._typed("| ")).split("\n"):
                if line.strip() == _BACK:
                    return None
                if line == _END:
                    return "\n".join(lines)
                lines.append(line)

    @property
    def _is_early(self) -> bool:
        return bool(self._asked_at) and self._entry_at < self._asked_at + _GRACE_S

    async def _typed(self, prompt: str) -> str:
        self._console.prompt(prompt)
        try:
            entry = await self._console.entry()
        except asyncio.CancelledError:
            self._console.end_prompt()
            raise
        if entry.text is None:
            raise EndOfInputError
        self._entry_at = entry.at
        return strip_escapes(entry.text)

    def _list(self, choices: Sequence[Choice]) -> None:
        for number, choice in enumerate(choices, 1):
            self.say(f"{number}. {choice.words}")


def _match(choices: Sequence[Choice], typed: str) -> str | None:
    word = typed.strip().lower().rstrip(".")
    if word.isascii() and word.isdigit():
        number = int(word)
        found = choices[number - 1] if 1 <= number <= len(choices) else None
    else:
        found = next((choice for choice in choices if word in (choice.value.lower(), *choice.also)), None)
    return found.value if found is not None and not found.is_missing else None
