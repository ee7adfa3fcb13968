"""Values that a name gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `<password>…`, `--token …`, `define('KEY', '…')`.

How much it takes to believe it depends on where the value stands. What looks random is hidden behind every secret name. A line
of a settings file (`DB_PASSWORD=…`, `"password": "…"`, `password: …`) says plainly that a password follows, so any word is
hidden there. In code the same words are most often names of something else, so a password has to look like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from tui_agent.secrets.assigned_names import Strength, names_in, strength
from tui_agent.secrets.assigned_values import is_reference, is_spare, is_uuid
from tui_agent.secrets.judged_values import (
    BEHIND_WORDS,
    CALLS,
    JOINED,
    in_quotes,
    is_bare_password,
    is_coded_login,
    is_label,
    is_named_plainly,
    is_numbered,
    is_odd,
    is_shaped,
    looks_random,
)
from tui_agent.secrets.masks import SecretSpan
from tui_agent.secrets.shapes import ELEMENT, behind_marks, is_open_element, next_line, shaped
from tui_agent.secrets.unsigned import BACKSLASHES, NEXT, value_place

__all__ = ["assigned", "open_value"]

_LINE: Final = 160  # characters in front of a name in which its line has to begin
_LONGEST: Final = 8_000  # characters of a value
_LONGEST_QUOTED: Final = 400  # of one in quotes that may hold blanks
_TAIL: Final = 800  # characters in which a value stands whose end is still to come
_MOST_INSIDE: Final = 4  # names looked at within what was taken for a value

# What stands between a name and its value.
_SIGN: Final = re.compile(
    rf"(?P<close>(?:{BACKSLASHES}[\"'`])?\]?)(?P<gap>[ \t]{{0,20}})"
    r"(?P<sign>=>|:=|\?=|=(?![=~>])|:(?![:=]))(?P<space>[ \t]{0,20})"
    r"(?P<type>[A-Za-z_][\w.\[\]| ?]{0,30}=[ \t]{0,8}(?=[\"']))?"
)
_PLIST: Final = re.compile(rf"</key>(?:\s{{0,60}}|{NEXT})<string>(?=[^<>\s]{{3,400}}</string>)")
_OPEN: Final = re.compile(rf"(?:[bBrRuU]|\$(?='))?(?P<quote>{BACKSLASHES}[\"'`])(?!\\?[\"'])")
_RUN: Final = re.compile(rf"[A-Za-z0-9+/=_.\-~!@#$%^*]{{1,{_LONGEST}}}")
_WIDE_RUN: Final = re.compile(rf"[^\s\"'`<>\\]{{1,{_LONGEST}}}")
# What makes `PWD` a password.
_UID: Final = re.compile(r"(?i)\b(?:uid|user id|user|username)[ \t]{0,4}=[^;\n=]{1,64}(?:;[ \t]?|\r?\n)\Z")
_BASE64: Final = re.compile(r"::[ \t]{1,4}([A-Za-z0-9+/]{1,4000}={0,2})(?=\s|\Z)")
_SHAPES: Final = frozenset("|>[\"'\n\r")
_MARKS: Final = frozenset("&!")
_LINE_ENDS: Final = frozenset("\n\r")
_BOOTSTRAP: Final = re.compile(r"(?=[a-z.]{0,22}[0-9])[a-z0-9]{6}\.[a-z0-9]{16}")  # of Kubernetes
_MACHINE: Final = re.compile(r"\b(?:login|machine|account)[ \t]")  # of `.netrc`
_SEED_WORDS: Final = re.compile(r"((?:[a-z]{3,8} ){11,23}[a-z]{3,8})[ \t]*(?=\r?\n|\Z)")
_LOGIN_HEADER: Final = re.compile(r"[Xx]-[\w-]{1,60}-(?:[Tt]oken|[Kk]ey|[Ss]ecret)$")
_HINTED: Final = re.compile(r"(?:.*_)?(?:AUTH|SALT)|.*(?:SESSION|JWT|HMAC|CRYPTO|DECRYPTION|COOKIE)_KEY")
_TAG: Final = re.compile(r"(?:[ \t][^<>\n]{0,120})?>")
_TAG_START: Final = re.compile(r"<(?:[\w-]{1,20}:)?\Z")
_REST: Final = re.compile(r"[ \t]{0,40}(?:\r?\n|[ \t]#|\Z)")
# What may stand in front of a name that begins its line: numbers and signs of listings, words that declare it.
_PREFIX: Final = re.compile(
    r"(?:[^\s:]{1,80}[:-][0-9]{1,7}[:-])?[ \t]*(?:[0-9]{1,7}[\t→│|:]?[ \t]*)?(?:[+\-#;>*|/]{1,3}[ \t]*){0,2}"
    r"(?:(?:export|set|setx|setenv|ENV|ARG|env|local|declare|readonly|typeset|const|let|var|val|final|public|private|static|string"
    r"|String|define)[ \t]+(?:-\w+[ \t]+)?){0,4}(?:\$[Ee]nv:|[$@])?\\?[\"']?\Z"
)
_NAME_SERVICES: Final = frozenset(
    ["files", "compat", "sss", "systemd", "ldap", "nis", "winbind", "x", "altfiles", "mymachines", "nisplus", "hesiod"]
)
_BEHIND_NAMES: Final = frozenset("\"'`\\]>=: \t\n\r,?<")
# Of these, what no value follows without a sign: of `]` in particular, at which each mask ends.
_BEFORE_SIGNS: Final = frozenset("]=:?")


class _Found(NamedTuple):
    """A value behind a secret name. `seen` is how far the text was read to judge it; `is_secret` what came of it."""

    start: int
    end: int
    seen: int
    label: str
    is_secret: bool


def assigned(text: str) -> Iterable[SecretSpan]:
    """Yield the values in `text` that a name gives away; each is called as the name."""
    for found in _values_in(text):
        if found.is_secret:
            yield SecretSpan(found.start, found.end, found.label)


def open_value(text: str) -> int | None:
    """Return where a value behind a secret name begins of which the end of `text` may show only a part."""
    tail = max(0, len(text) - _TAIL)
    starts = [found.start for found in _values_in(text[tail:]) if found.seen >= len(text) - tail]
    return min(starts) + tail if starts else None


def _values_in(text: str) -> Iterable[_Found]:
    """Return the values in a text; of a short one they are remembered, as a stream asks for them twice in a row."""
    return _values_in_short(text) if len(text) <= _TAIL else _values(text)


@lru_cache(maxsize=1)
def _values_in_short(text: str) -> tuple[_Found, ...]:
    return tuple(_values(text))


def _values(text: str) -> Iterator[_Found]:
    judged = inside = 0
    for start, end in names_in(text):
        following = text[end : end + 1]
        if following and following not in _BEHIND_NAMES:
            continue
        if text[start - 1 : start] == "[" and text[start:end] == "secret":
            continue  # a mask
        name = text[start:end].strip("-.")
        kind = strength(name)
        if name == "PWD" and _UID.search(text, max(0, start - 100), start) is not None:
            kind = Strength.PASSWORD  # of a connection, and not the folder that a shell is in
        if kind is Strength.NOTHING:
            continue
        inside = inside + 1 if start < judged else 0
        if inside > _MOST_INSIDE:
            continue
        for found in _values_of(text, start, end, name, kind):
            if found.end > found.start:
                judged = max(judged, found.end)
                yield found


def _values_of(text: str, start: int, end: int, name: str, kind: Strength) -> Iterable[_Found]:
    """Return the values behind the name that stands from `start` to `end`: most often one."""
    sign = _SIGN.match(text, end)
    if sign is not None and text[sign.end() : sign.end() + 1] in _SHAPES:
        _, is_first = _line_before(text, start)
        is_quoted_name = bool(sign["close"]) and not sign["close"].endswith("]")
        places = shaped(
            text, sign.end(), start, is_first=is_first, is_quoted_name=is_quoted_name, sign=sign["sign"]
        )  # fmt: skip
        is_settings = (is_first or is_quoted_name) and sign["sign"] in (":", "=")
        found = [
            _Found(place.start, place.end, place.seen, _label(name),
                   place.is_whole and is_shaped(text[place.start : place.end], kind, is_settings=is_settings))
            for place in places
        ]  # fmt: skip
        if found:
            return found
    one = _value(text, start, end, name, kind)
    return () if one is None else (one,)


def _line_before(text: str, start: int) -> tuple[str, bool]:
    """Return what stands in front of a name in its line, and whether only listings and declarations do."""
    line = text.rfind("\n", max(0, start - _LINE), start) + 1
    before = text[max(line, start - _LINE) : start]
    return before, (line > 0 or start <= _LINE) and _PREFIX.match(before) is not None


def _value(text: str, start: int, end: int, name: str, kind: Strength) -> _Found | None:
    """Return the value behind the name that stands from `start` to `end`; None where there is none."""
    if text[end : end + 1] == ">" or (text[end : end + 1] == " " and text[start - 1 : start] in "<:"):
        found = _element(text, start, end, name, kind)
        if found is not None or text[end : end + 1] == ">":
            return found
    if text[end : end + 1] == "<":
        return _in_plist(text, start, end, name, kind)
    sign = _SIGN.match(text, end)
    if sign is None and text[end : end + 1] in _BEFORE_SIGNS and not text.startswith("::", end):
        return None
    before, is_first = _line_before(text, start)
    if sign is None and text.startswith("::", end):
        return _in_ldif(text, end, name)
    if sign is None:
        return _without_sign(text, start, end, name, kind, before)
    if sign["sign"] != "=" and name.lower().endswith("cookie"):
        return None  # a header, which holds names and values of its own
    if sign["sign"] == ":" and name == "PASS":
        return None  # what came of a test
    begin = _begin_of(text, sign, is_first=is_first)
    if begin is None:
        return None
    at, may_be_name = begin
    if (special := _special(text, at, sign, name, before)) is not None:
        return special
    opening = _OPEN.match(text, at)
    is_tight = not sign["gap"] and not sign["space"]
    if opening is not None:
        return _behind_sign(text, opening, sign, name, kind, before=before, is_first=is_first)
    if sign["type"]:
        return None
    found = _unquoted(text, at, name, kind, sign["sign"], is_first=is_first, is_tight=is_tight, before=before)
    if found is not None and found.is_secret and may_be_name:
        return found._replace(is_secret=is_numbered(text[found.start : found.end]))
    return found


def _behind_sign(
    text: str, opening: re.Match[str], sign: re.Match[str], name: str, kind: Strength, *, before: str, is_first: bool
) -> _Found:
    """Judge a value in quotes."""
    is_tight = not sign["gap"] and not sign["space"]
    is_upper = name == name.upper()
    value, close, is_whole = _quoted(text, opening)
    is_attribute = is_tight and before.rfind("<") > before.rfind(">")
    is_config = bool(sign["close"]) or is_first or is_attribute or before.endswith((";", "&", "?"))
    is_config = is_config or (is_tight and sign["sign"] == "=" and JOINED.search(before) is not None)
    is_plain_line = is_upper and is_tight and sign["sign"] == "="
    is_secret = in_quotes(value, kind, is_config=is_config, is_env=is_plain_line, name=name)
    if not is_secret and is_config and is_upper and kind is Strength.SECRET:
        is_secret = is_named_plainly(value)
    return _Found(opening.end(), opening.end() + len(value), close + is_whole, _label(name), is_secret)


def _special(text: str, at: int, sign: re.Match[str], name: str, before: str) -> _Found | None:
    """Judge the words of a wallet, and a password as openssl is given it: `-passin pass:…`."""
    if name.lower() == "mnemonic" and (words := _SEED_WORDS.match(text, at)) is not None:
        return _Found(*words.span(1), words.end() + 1, _label(name), is_secret=True)
    if before.endswith(("-passin ", "-passout ", "-pass ", "-k ")) and sign["sign"] == ":":
        run = _WIDE_RUN.match(text, sign.end())
        return (
            _Found(at, at, at, "", is_secret=False)
            if run is None
            else _Found(*run.span(), run.end(), "password", not is_reference(run[0]))
        )
    return None


def _begin_of(text: str, sign: re.Match[str], *, is_first: bool) -> tuple[int, bool] | None:
    """Return where a value begins, behind marks of YAML or on the next line, and whether it may be the name of one.

    None where it is a name for sure.
    """
    at = sign.end()
    if sign["sign"] == ":" and text[at : at + 1] in _MARKS and is_first:
        return behind_marks(text, at)
    if sign["sign"] == ":" and sign["close"] and text[at : at + 1] in _LINE_ENDS:
        at = next_line(text, at)
    return at, False


def _unquoted(
    text: str, at: int, name: str, kind: Strength, sign: str, *, is_first: bool, is_tight: bool, before: str
) -> _Found | None:
    """Judge a value without quotes."""
    is_env = (
        name == name.upper()
        and any(map(str.isalpha, name))
        and ((sign == "=" and is_tight) or (is_first and sign == ":"))
    )
    run = (_WIDE_RUN if is_env or is_first else _RUN).match(text, at)
    if run is None:
        return None
    end = _end_of(text, at, run.end())
    value, following = text[at:end], text[end : end + 1]
    rest = _REST.match(text, run.end())
    seen = rest.end() if rest is not None else run.end() + 1
    is_last = is_first and rest is not None and end == run.end()
    if (following and following in CALLS) or "(" in value:
        is_secret = False
    elif kind is not Strength.NOTHING and looks_random(value, following):
        is_secret = True
    elif kind is Strength.HINT:
        is_secret = is_coded_login(value) or (
            is_env and sign == "=" and is_odd(value) and _HINTED.fullmatch(name) is not None and not is_reference(value)
        )
    elif sign == ":" and is_uuid(value) and _LOGIN_HEADER.match(name) is not None:
        is_secret = True
    elif (
        (name == "passwd" and sign == ":" and value.partition(":")[0] in _NAME_SERVICES)
        or is_reference(value)
        or is_reference(run[0])
        or is_spare(value)
        or any(sign in value for sign in "([{")
    ):
        is_secret = False
    elif is_env:
        is_secret = len(value) >= 4 and (kind is Strength.PASSWORD or not value.isdigit())
    elif kind is Strength.PASSWORD:
        is_secret = is_bare_password(value, following, sign, before, is_tight=is_tight, is_last=is_last)
    else:
        is_secret = (is_last or (is_tight and following in BEHIND_WORDS)) and is_odd(value)
    return _Found(at, end, seen, _label(name), is_secret)


def _element(text: str, start: int, end: int, name: str, kind: Strength) -> _Found | None:
    """Judge what stands in an element of XML that is called so: `<password>…</password>`."""
    opened = _TAG.match(text, end)
    if opened is None or _TAG_START.search(text[max(0, start - 30) : start]) is None:
        return None
    end = opened.end()
    found = ELEMENT.match(text, end)
    if found is None:
        run = is_open_element(text, end)
        return None if run is None else _Found(*run.span("value"), len(text), _label(name), is_secret=False)
    value = found["value"]
    is_free = not is_reference(value) and not is_spare(value)
    is_secret = looks_random(value, "") or (
        is_free and (kind is Strength.PASSWORD or (kind is Strength.SECRET and is_odd(value)))
    )
    return _Found(*found.span("value"), found.end() + 2, _label(name), is_secret)


def _in_ldif(text: str, end: int, name: str) -> _Found | None:
    """Judge what stands behind two colons: base64 in LDIF."""
    found = _BASE64.match(text, end)
    if found is None:
        return None
    return _Found(
        *found.span(1), found.end() + 1, _label(name), is_secret=len(found[1]) >= 8 and len(found[1]) % 4 == 0
    )


def _in_plist(text: str, start: int, end: int, name: str, kind: Strength) -> _Found | None:
    """Judge what follows a name that is a key in a list of properties: `<key>password</key><string>…</string>`."""
    found = _PLIST.match(text, end)
    value = None if found is None else _WIDE_RUN.match(text, found.end())
    if value is None or text[start - 5 : start] != "<key>":
        return None
    is_free = not is_reference(value[0]) and not is_spare(value[0]) and not is_label(value[0])
    is_secret = looks_random(value[0], "") or (
        is_free and (kind is Strength.PASSWORD or (kind is Strength.SECRET and is_odd(value[0])))
    )
    return _Found(value.start(), value.end(), value.end() + 2, _label(name), is_secret)


def _without_sign(text: str, start: int, end: int, name: str, kind: Strength, before: str) -> _Found | None:
    """Judge what follows a name without `=` or `:`: options of commands, `.netrc`, arguments, `name` and `value` apart."""
    found, is_sure = value_place(text, start, end, before, is_first=_PREFIX.match(before) is not None)
    if found is None:
        return None
    opening = _OPEN.match(text, found.end())
    if opening is not None:
        value, close, is_whole = _quoted(text, opening)
        is_secret = in_quotes(value, kind, is_config=is_sure, is_env=is_sure and name == name.upper(), name=name)
        if found[0].isspace() and is_sure and _MACHINE.search(before) is not None:
            is_secret = not is_reference(value) and not is_spare(value)
        return _Found(opening.end(), opening.end() + len(value), close + is_whole, _label(name), is_secret)
    run = _WIDE_RUN.match(text, found.end())
    if run is None:
        return None
    value = run[0]
    if text[found.end() - 1] == ">" and is_label(value):
        return None
    if is_reference(value) or is_spare(value) or value.startswith("-") or value.isupper():
        is_secret = looks_random(value, "")
    elif name == "token" and _BOOTSTRAP.fullmatch(value) is not None:
        is_secret = True
    elif kind is Strength.PASSWORD:
        is_secret = len(value) >= 3 if is_sure else len(value) >= 6 and is_numbered(value)
    else:
        is_secret = looks_random(value, "") or (
            kind is Strength.SECRET and (is_odd(value) or (is_sure and len(value) >= 4))
        )
    return _Found(run.start(), run.end(), run.end(), _label(name), is_secret)


def _quoted(text: str, opening: re.Match[str]) -> tuple[str, int, bool]:
    """Return what stands between quotes, where that ends, and whether the closing quote is there."""
    quote, at = opening["quote"], opening.end()
    line = text.find("\n", at, at + _LONGEST)
    limit = line if line >= 0 else min(len(text), at + _LONGEST)
    end = text.find(quote, at, limit)
    while quote in "\"'" and end > at and text[end - 1] == "\\" and text[end - 2 : end - 1] != "\\":
        end = text.find(quote, end + 1, limit)
    if end >= 0:
        return text[at:end], end, True
    run = _WIDE_RUN.match(text, at)
    value = run[0] if run is not None else ""
    is_open = limit == len(text) and limit - at < _LONGEST_QUOTED
    return value, (limit if is_open else at + len(value)), False


def _end_of(text: str, start: int, end: int) -> int:
    """Return where the value ends: `&` parts parameters of an address, and a dot ends a sentence."""
    for sign in "&;":
        cut = text.find(sign, start, end)
        end = cut if cut > start else end
    while end > start and text[end - 1] in ".,;)]}":
        end -= 1
    return end


def _label(name: str) -> str:
    return name.strip("-.")[-40:]
