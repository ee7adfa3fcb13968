"""Passwords on command lines: options of programs that take one, and passwords that are piped into a program.

A table: what the program is called, and the option with the password in it. What stands in a pipe in front of a program has a
table of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tui_agent.secrets.assigned_values import is_mixed, is_reference, is_spare
from tui_agent.secrets.masks import SecretSpan

__all__ = ["in_commands"]

_NEAR: Final = 150  # characters between a program and its option
_GAP: Final = r"[ \t]{1,4}"
_QUOTE: Final = r"\\?[\"']?"
_VALUE: Final = r"([^\s\"'`$<{-][^\s\"'`$<]{3,200})"
_LOGIN: Final = r"[^\s:\"'$<{]{1,64}:([^\s\"'$<]{3,200})"
_NO_PORTS: Final = r"(?![0-9.:/-]+(?:\s|\Z))"
# Known by these alone, whatever the value; those below have to look like a password and not like another option's value.
_SURE: Final[tuple[tuple[str, str], ...]] = (
    (
        "curl",
        r"(?:-u|-U|--user|--proxy-user)(?:=|[ \t]{0,4})\\?[\"']?[^\s:\"'$<{]{0,64}:(?![$<%{\[])([^\s\"'`\\]{3,200})",
    ),
    ("mysql", r"-p[\"']?([^\s\"'$<=-][^\s\"'$<]{3,100})"),
    ("mariadb", r"-p[\"']?([^\s\"'$<=-][^\s\"'$<]{3,100})"),
    ("redis-cli", r"-a[ \t]{1,4}[\"']?([^\s\"'$<-][^\s\"'$<]{3,200})"),
    (" login ", r"-p[ \t]{1,4}[\"']?([^\s\"'$<-][^\s\"'$<]{3,200})"),
)
_LIKELY: Final[tuple[tuple[str, str], ...]] = (
    ("ldap", rf"-w[ \t]{{0,4}}{_QUOTE}{_VALUE}"),
    ("smbclient", rf"(?:-U|--user=)[ \t]{{0,4}}{_QUOTE}[^\s%\"'$]{{1,64}}%{_VALUE}"),
    ("mongo", rf"-p{_GAP}{_QUOTE}{_NO_PORTS}{_VALUE}"),
    ("zip -", rf"-P{_GAP}{_QUOTE}{_VALUE}"),
    ("7z ", rf"-p{_QUOTE}{_VALUE}"),
    ("7za ", rf"-p{_QUOTE}{_VALUE}"),
)
_OPTIONS: Final = tuple(
    (anchor, len(anchor.partition(" -")[0].rstrip()), is_sure,
     re.compile(rf"\w*(?:\.exe)?\b[^\n|;]{{0,{_NEAR}}}?[ \t](?:{option})"))
    for rows, is_sure in ((_SURE, True), (_LIKELY, False))
    for anchor, option in rows
)  # fmt: skip
# The rest is found by a piece of it: that, how far in front of it the whole begins, and the whole.
_HTPASSWD: Final = r"htpasswd[ \t]{1,4}(?:-[a-zA-Z0-9]{1,8}[ \t]{1,4}){0,3}"
_TO_OUTPUT: Final = r"-[a-zA-Z]{0,6}(?:n[a-zA-Z]{0,6}b|b[a-zA-Z]{0,6}n)[a-zA-Z]{0,6}"
_TO_FILE: Final = r"-(?![a-zA-Z]{0,12}n)[a-zA-Z]{0,6}b[a-zA-Z]{0,6}"
_PIECES: Final = tuple(
    (anchor, back, re.compile(whole))
    for anchor, back, whole in (
        ("http -a ", 0, rf"http -a{_GAP}{_QUOTE}{_LOGIN}"),
        ("ttps -a ", 1, rf"https -a{_GAP}{_QUOTE}{_LOGIN}"),
        ("htpasswd", 0, rf"{_HTPASSWD}{_TO_OUTPUT}{_GAP}\S{{1,64}}{_GAP}{_QUOTE}{_VALUE}"),
        ("htpasswd", 0, rf"{_HTPASSWD}{_TO_FILE}{_GAP}(?:-\S{{1,20}}{_GAP})?\S{{1,100}}{_GAP}\S{{1,64}}{_GAP}{_QUOTE}{_VALUE}"),
        ("from-literal", 2, rf"--from-literal[= \t]{_QUOTE}[\w.-]{{0,60}}(?:pw|psw|pass|auth|cred|creds|pin)={_VALUE}"),
    )
)  # fmt: skip
# What prints a password into a program, up to the program's own name.
_PRINTED: Final = (
    rf"(?:echo|printf)[ \t]{{1,4}}(?:-[neE]{{1,3}}{_GAP})?(?:[\"']?%s(?:\\n)?[\"']?{_GAP})?{_QUOTE}@@(?:\\n)?{_QUOTE}"
    r"[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t])?"
)
_PIPED: Final = tuple(
    (anchor, re.compile(_PRINTED.replace("@@", value) + rf"{between}\Z"))
    for anchor, value, between in (
        ("chpasswd", r"[^\s:\"'$|]{1,64}:([^\s\"'$|\\]{3,100})", ""),
        ("--password-stdin", r"([^\s\"'$|\\<]{4,200})", r"[^\n|]{0,100}"),
        ("passwd --stdin", r"([^\s\"'$|\\<]{4,200})", ""),
        ("sudo -S", r"([^\s\"'$|\\<]{4,200})", ""),
    )
)
_SPARE: Final = frozenset(
    {"password", "pass", "passwd", "secret", "token", "pwd", "changeme", "x-oauth-basic", "xxx", "***", "..."}
)


def in_commands(text: str) -> Iterator[SecretSpan]:
    """Yield the passwords on command lines."""
    for anchor, size, is_sure, option in _OPTIONS:
        at = text.find(anchor)
        while at >= 0:
            found = option.match(text, at + size) if is_sure or _begins_word(text, at) else None
            if found is not None and found[1].lower() not in _SPARE and (is_sure or _is_password(found[1])):
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(anchor, at + len(anchor))
    for anchor, back, whole in _PIECES:
        at = text.find(anchor)
        while at >= 0:
            found = whole.match(text, max(0, at - back))
            if found is not None and _is_password(found[1]):
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(anchor, at + len(anchor))
    for anchor, piped in _PIPED:
        at = text.find(anchor)
        while at >= 0:
            start = max(0, at - 2 * _NEAR)
            found = piped.search(text, text.rfind("\n", start, at) + 1 or start, at)
            if found is not None and _is_password(found[1]):
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(anchor, at + len(anchor))


def _begins_word(text: str, at: int) -> bool:
    if text.startswith("un", max(0, at - 2)):  # `unzip`
        at = max(0, at - 2)
    return not at or not (text[at - 1].isalnum() or text[at - 1] in "_-.")


def _is_password(value: str) -> bool:
    """Whether an option's value is a password: no reference, no word that stands for one, no name of a constant."""
    if is_reference(value) or is_spare(value):
        return False
    return is_mixed(value) or (len(value) >= 8 and not value.isupper())
