"""Letters and signs that pass for plain ASCII ones: a Cyrillic `с` in a program's name, a division slash in a path.

They are shown as what they are, so nothing in a text hides them from a program; they hide from a user. Whole words of another
alphabet are nobody's disguise and are left alone: what counts is a foreign letter among Latin ones, a word that could be read
as Latin throughout, and a sign that means something to a shell.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["Homoglyph", "find_homoglyphs"]


def _pairs(foreign: str, plain: str) -> dict[str, str]:
    return dict(zip(foreign, plain, strict=True))


_LETTERS: Final = {
    **_pairs("аеорсухіјѕһԁԛԝӏүкАВЕКМНОРСТХІЈЅҮ", "aeopcyxijshdqwlykABEKMHOPCTXIJSY"),  # Cyrillic
    **_pairs("οανιρυκϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oavipukcjABEZHIKMNOPTYX"),  # Greek
    **_pairs("օսհոցզ", "ouhngq"),  # Armenian
    **_pairs("ıɡɑℓⅰⅴⅹⅼⅽⅾⅿⅠⅤⅩⅬⅭⅮⅯ", "igalivxlcdmIVXLCDM"),  # Latin's own relatives and Roman numerals
}
# Signs that a path, an address or a command means something by; a user's prose has no use for these.
_SIGNS: Final = _pairs("∕⁄⧸∖⧵∣ǀ꞉ː։․\u037e", "///\\\\||:::.;")
# Signs that prose is full of: worth a word only where a shell would have read the plain one.
_PROSE: Final = _pairs("‐‑‒–—−‘’“”„″′∗⁎˜∼", '------\'\'""""\'**~~')
# A quoted text, or what stands between blanks.
_UNIT: Final = re.compile(r'"[^"]*"|\'[^\']*\'|[^\s"\']+|["\']')
_RUN: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Homoglyph:
    """A character that passes for another: its place in the text, itself, and the one it looks like."""

    at: int
    character: str
    like: str

    @property
    def words(self) -> str:
        """What to call it: `U+0441, Cyrillic`."""
        script = unicodedata.name(self.character, "").partition(" ")[0].capitalize()
        number = f"U+{ord(self.character):04X}"
        return f"{number}, {script}" if script in {"Cyrillic", "Greek", "Armenian", "Fullwidth"} else number


@lru_cache(maxsize=64)
def find_homoglyphs(text: str) -> tuple[Homoglyph, ...]:
    """Return the characters of `text`, a command or a rule, that pass for plain ASCII ones, in order."""
    if text.isascii():
        return ()
    found: dict[int, Homoglyph] = {}
    for unit in _UNIT.finditer(text):
        word, start = unit[0], unit.start()
        if word.isascii():
            continue
        is_quoted = word[0] in "\"'"
        for at, character in enumerate(word, start):
            like = _sign(character) or ("" if is_quoted else _PROSE.get(character, ""))
            if like:
                found[at] = Homoglyph(at, character, like)
        foreign = [character for character in word if not character.isascii() and character.isalpha()]
        is_disguise = bool(foreign) and all(_letter(character) for character in foreign)
        for run in _RUN.finditer(word):
            letters = run[0]
            if is_disguise or (not letters.isascii() and any(map(str.isascii, letters))):
                for at, character in enumerate(letters, start + run.start()):
                    like = _letter(character)
                    if like:
                        found[at] = Homoglyph(at, character, like)
    return tuple(found[at] for at in sorted(found))


def _letter(character: str) -> str:
    """Return the ASCII letter that a letter looks like, empty where it looks like none."""
    return "" if character.isascii() else _LETTERS.get(character) or _styled(character)


def _sign(character: str) -> str:
    """Return the ASCII sign that means something to a shell and that `character` looks like."""
    if character.isascii():
        return ""
    plain = _SIGNS.get(character) or _styled(character)
    return plain if plain and not plain.isalpha() else ""


def _styled(character: str) -> str:
    """Return the ASCII character that this one is another make of: fullwidth, or of a mathematical alphabet."""
    if unicodedata.decomposition(character).startswith(("<wide>", "<font>")):
        plain = unicodedata.normalize("NFKC", character)
        return plain if len(plain) == 1 and plain.isascii() else ""
    return ""
