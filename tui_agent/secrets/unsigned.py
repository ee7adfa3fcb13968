"""Where a value stands behind a name without `=` or `:`: options of commands, `.netrc`, arguments, `name` and `value` apart."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BACKSLASHES", "NEXT", "value_place"]

BACKSLASHES: Final = r"\\{0,3}"
_DIRECTIVES: Final = frozenset({"requirepass", "masterauth", "bindpw", "rootpw"})  # of servers' files
# The beginning of a next line, with what listings put in front of it.
NEXT: Final = r"[ \t]{0,40}\r?\n(?:[^\s:]{1,120}[:-])?(?:[ \t]{0,8}[0-9]{1,7}[\t→│|:-])?[ \t]{0,60}"
_NAMED_VALUE: Final = re.compile(
    rf"(?P<close>{BACKSLASHES}[\"']?)(?:,?\s{{1,60}}|,?{NEXT}|,)(?:{BACKSLASHES}[\"'])?"
    rf"(?:[Vv]alue|ParameterValue)(?:{BACKSLASHES}[\"'])?[ \t]{{0,8}}[:=][ \t]{{0,8}}"
)
_ARGUMENT: Final = re.compile(r"(?P<close>[\"']),[ \t]{0,30}(?=[\"'])")
_NAMED_ELEMENT: Final = re.compile(r"(?P<close>[\"'])[^<>\n]{0,80}>(?=[^<>\s\"'`]{3,400}</)")
_BLANKS: Final = re.compile(r"(?P<close>)[ \t]{1,8}(?==?[^\s=])=?")
_SSHPASS: Final = re.compile(r"(?P<close>)[ \t]{1,4}-p[ \t]{0,4}")
_OF_SQL: Final = re.compile(r"(?i)\b(?:with|set|encrypted|role|user|login|by)\s(?:[^;\n]{0,60}\s)?\Z")
_BEFORE_QUOTE: Final = re.compile(r"(?P<close>)[ \t]{1,4}(?=['\"])")
_NAME_OF: Final = re.compile(r"\b(?:[Nn]ame|ParameterKey)\\?[\"']?[ \t]{0,8}[:=][ \t]{0,8}\\?[\"']?\Z|\bkey=\"\Z")
_OF_TERRAFORM: Final = re.compile(r"\bvariable[ \t]{1,8}\"\Z")
_DEFAULT: Final = re.compile(r"(?P<close>\")[ \t]{0,8}\{[^{}]{0,200}?\bdefault[ \t]{0,20}=[ \t]{0,20}(?=\")")
_CALL_OF: Final = re.compile(r"\w\([ \t]{0,8}[\"']\Z")
_AFTER_LOGIN: Final = re.compile(rf"(?:\blogin|\baccount|\buser|\bmachine)\s{{1,20}}\S{{1,64}}(?:\s{{1,20}}|{NEXT})\Z")
# Words that set a variable whose value stands behind it without a sign, and options of mounts.
_SETTING: Final = re.compile(
    r"(?:^|[\s:;&|])(?:ENV|setenv|(?i:setx)(?:[ \t]+/[mM])?|set[ \t]+-[gxUlA-Za-z]{1,6}(?:[ \t]+-[gxUl]{1,3}){0,3})[ \t]+\Z"
)


def value_place(text: str, start: int, end: int, before: str, *, is_first: bool) -> tuple[re.Match[str] | None, bool]:
    """Return what stands between a name and its value, and whether it says plainly that one follows; None for no value.

    The name stands from `start` to `end`, behind `before` in its line; `is_first` is that nothing else does.
    """
    given = text[start:end]
    if given in _DIRECTIVES and is_first:
        return _BLANKS.match(text, end), True
    if given == "sshpass":
        return _SSHPASS.match(text, end), True
    if given.endswith(("storepass", "keypass")) and given[0] == "-":
        return _BLANKS.match(text, end), True
    if given.startswith("aws_s") and before.endswith("configure set "):
        return _BLANKS.match(text, end), True
    if given.startswith("--"):
        return _BLANKS.match(text, end), False
    if given.lower() in ("password", "passwd") and _AFTER_LOGIN.search(text[max(0, start - 150) : start]) is not None:
        return _BLANKS.match(text, end), True
    if given.lower() == "password" and _OF_SQL.search(before) is not None:
        return _BEFORE_QUOTE.match(text, end), True
    if given == given.upper() and _SETTING.search(before) is not None:
        return _BLANKS.match(text, end), True
    if _NAME_OF.search(before) is not None:
        return _NAMED_VALUE.match(text, end) or _NAMED_ELEMENT.match(text, end), True
    if _OF_TERRAFORM.search(before) is not None:
        return _DEFAULT.match(text, end), True
    if _CALL_OF.search(before) is not None:
        return _ARGUMENT.match(text, end), "define(" in before or "putenv(" in before
    return None, False
