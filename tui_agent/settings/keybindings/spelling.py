"""Keys as people write them and as Textual calls them: `ctrl+K` and `ctrl+k`, `?` and `question_mark`, `^o`."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["UnknownKey", "character", "read_keys", "spell", "written"]

_MODIFIERS: Final = {
    "ctrl": "ctrl", "control": "ctrl", "alt": "alt", "opt": "alt", "option": "alt", "meta": "alt", "shift": "shift",
    "cmd": "super", "command": "super", "super": "super", "win": "super",
}  # fmt: skip
_NAMED: Final = {
    "enter": "enter", "return": "enter", "esc": "escape", "escape": "escape", "tab": "tab", "space": "space",
    "backspace": "backspace", "delete": "delete", "del": "delete", "insert": "insert", "up": "up", "down": "down",
    "left": "left", "right": "right", "home": "home", "end": "end", "pageup": "pageup", "pgup": "pageup", "page_up": "pageup",
    "pagedown": "pagedown", "pgdn": "pagedown", "page_down": "pagedown",
    **{f"f{number}": f"f{number}" for number in range(1, 25)},
}  # fmt: skip
_SIGNS: Final = {"solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at", "hyphen_minus": "minus",
                 "plus_sign": "plus", "low_line": "underscore"}  # fmt: skip
_SHOWN: Final = {
    "escape": "esc", "left_square_bracket": "[", "right_square_bracket": "]", "question_mark": "?", "slash": "/",
    "pageup": "pgup", "pagedown": "pgdn", "up": "↑", "down": "↓", "left": "←", "right": "→", "exclamation_mark": "!", "at": "@",
    "left_curly_bracket": "{", "right_curly_bracket": "}", "plus": "+", "minus": "-", "equals_sign": "=", "comma": ",",
    "full_stop": ".", "less_than_sign": "<", "greater_than_sign": ">", "backslash": "\\", "percent_sign": "%", "colon": ":",
    "underscore": "_",
}  # fmt: skip


class UnknownKey(ValueError):  # noqa: N818 - the name says what is wrong
    """The text is not a key; the message says which part and what may have been meant."""


def read_keys(text: str) -> tuple[str, ...]:
    """Return the keys of a text such as `ctrl+k ctrl+s`, to be pressed one after the other, in Textual's spelling.

    Raises:
        UnknownKey: it names none.
    """
    keys = tuple(map(_read_key, text.split()))
    if not keys:
        raise UnknownKey("an empty text is not a key; write a blank as space")
    return keys


def _read_key(text: str) -> str:
    parts = text.split("+")
    if text.endswith("+"):  # the sign itself: `ctrl++`
        parts = [*parts[:-2], "+"] if len(parts) > 1 else ["+"]
    *before, last = parts
    modifiers = set()
    for word in before:
        modifier = _MODIFIERS.get(word.lower())
        if modifier is None:
            raise UnknownKey(f"{word!r} in {text!r} is not a modifier; use ctrl, alt, shift and cmd")
        modifiers.add(modifier)
    name = _name(last, text)
    if len(name) == 1 and name.isalpha():
        if modifiers == {"shift"}:
            return name.upper()
        if modifiers:
            name = name.lower()  # `ctrl+K` is how people write `ctrl+k`
    return "+".join([*sorted(modifiers), name])


def _name(word: str, text: str) -> str:
    if len(word) == 1:
        if word.isalnum():
            return word
        sign = unicodedata.name(word, "").lower().replace("-", "_").replace(" ", "_")
        if sign:
            return _SIGNS.get(sign, sign)
    found = _NAMED.get(word.lower()) or (word.lower() if word.lower() in _SHOWN else None)
    if found is None:
        import difflib

        near = difflib.get_close_matches(word.lower(), [*_NAMED], n=1)
        raise UnknownKey(f"{word!r} in {text!r} is not a key" + (f"; did you mean {near[0]}?" if near else ""))
    return found


def written(keys: str) -> str:
    """Return Textual's spelling of a key as it is written in a file of bindings; `read_keys` reads it back."""
    *modifiers, name = keys.split("+")
    sign = _SHOWN.get(name, name)
    return "+".join([*modifiers, sign if len(sign) == 1 and sign.isascii() else name])


def character(key: str) -> str | None:
    """Return the character that a key of Textual's spelling writes; None where it writes none."""
    if len(key) == 1:
        return key
    if key == "space":
        return " "
    sign = _SHOWN.get(key, "")
    return sign if len(sign) == 1 and sign.isascii() else None


def spell(key: str) -> str:
    """Return a key of Textual's spelling as people see it: `^o`, `⇧⇥`, `esc`."""
    if key == "shift+tab":
        return "⇧⇥"  # as the status line has it
    *modifiers, name = key.split("+")
    name = _SHOWN.get(name, name.upper() if name[1:].isdecimal() else name)
    signs = {"ctrl": "^", "shift": "⇧", "alt": "alt+"}
    return "".join(signs.get(modifier, modifier + "+") for modifier in modifiers) + name
