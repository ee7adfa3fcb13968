"""Path globs in the syntax of `.gitignore` and ripgrep: split from text, said to ripgrep as an ignore file, and matched here.

`*.py` matches in every folder; a glob with a slash in it starts at the folder that is searched. `*` and `?` stop at a slash,
`**` does not; `{a,b}`, `[a-z]`, `[!a-z]` and `\\` work as they do there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

__all__ = ["MAGIC", "accepts", "ignore_text", "matches", "split_globs"]

MAGIC: Final = re.compile(r"[*?\[\]{}\\]")


def split_globs(text: str) -> list[str]:
    """Split several globs at spaces and commas, though not at the commas inside braces."""
    return re.findall(r"(?:\{[^{}]*\}|[^\s,{}]|[{}])+", text)


def ignore_text(globs: Sequence[str]) -> str:
    """Return an ignore file that leaves only files that match one of `globs` and none of those that begin with `!`.

    As with ripgrep's own option, the last glob that matches a file decides.
    """
    if not globs:
        return ""
    lines = ["*", "!*/"] if any(not glob.startswith("!") for glob in globs) else []
    for glob in globs:
        line = glob[1:] if glob.startswith("!") else f"!{glob}"
        lines.append(f"\\{line}" if line.startswith("#") else line)
    return "".join(f"{_keep_last_space(line)}\n" for line in lines)


def accepts(globs: Sequence[str], path: str) -> bool:
    """Whether `globs` leave the file of this relative path in. What `ignore_text` says, for what gets past it.

    A `.gitignore` that takes files back in (`!name`) wins over every other ignore file; the globs are meant to hold for
    those files too.
    """
    parts = path.split("/")
    folders = ("/".join(parts[:end]) for end in range(1, len(parts)))
    if not all(_verdict(globs, folder, is_folder=True) for folder in folders):
        return False
    return _verdict(globs, path, is_folder=False)


def _verdict(globs: Sequence[str], path: str, *, is_folder: bool) -> bool:
    """Return what the last glob that matches says; folders are gone through unless one says no."""
    verdict = is_folder or all(glob.startswith("!") for glob in globs)
    for glob in globs:
        is_negative = glob.startswith("!")
        if matches(glob[1:] if is_negative else glob, path, is_folder=is_folder):
            verdict = not is_negative
    return verdict


def matches(glob: str, path: str, *, is_folder: bool = False) -> bool:
    """Whether a relative path matches. A glob that ends in a slash matches folders only; one that is none, nothing."""
    if glob.endswith("/") and not is_folder:
        return False
    pattern = _pattern(glob)
    return pattern is not None and pattern.fullmatch(_bytewise(path)) is not None


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str] | None:
    body = _bytewise(glob.removesuffix("/"))
    is_anchored = "/" in body
    body = body.removeprefix("/")
    try:
        return re.compile(("" if is_anchored else "(?:.*/)?") + _translated(body), re.DOTALL)
    except (re.error, IndexError):
        return None


def _translated(glob: str) -> str:
    """Return a regular expression for the glob.

    Raises:
        IndexError: a bracket, brace or backslash has no end.
    """
    out: list[str] = []
    depth = at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            length = 1
            while glob[at : at + 1] == "*":
                at, length = at + 1, length + 1
            is_start, is_end = at == length or glob[at - length - 1] == "/", at == len(glob) or glob[at] == "/"
            if length != 2 or not is_start or not is_end:
                out.append("[^/]*")
            elif at == len(glob):
                out.append(".+" if out else ".*")
            else:
                at += 1
                out.append("(?:.*/)?")
        elif char == "?":
            out.append("[^/]")
        elif char == "[":
            chosen, at = _class(glob, at)
            out.append(chosen)
        elif char == "{":
            depth += 1
            out.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            out.append(")")
        elif char == "," and depth:
            out.append("|")
        else:
            if char == "\\":
                char = glob[at]
                at += 1
            out.append(re.escape(char))
    if depth:
        raise IndexError
    return "".join(out)


def _class(glob: str, at: int) -> tuple[str, int]:
    """Return the regular expression of the class whose text begins at `at`, and where the glob goes on after it.

    As in ripgrep, a class like `[!a]` matches a slash too.
    """
    negation = "^" if glob[at] in "!^" else ""
    at += len(negation)
    end = glob.index("]", at + 1) if "]" in glob[at + 1 :] else len(glob)
    if end == len(glob):
        raise IndexError
    inner = glob[at:end].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
    inner = inner.replace("&&", r"&\&").replace("~~", r"~\~").replace("||", r"|\|")
    return f"[{negation}{inner}]", end + 1


def _bytewise(text: str) -> str:
    """Return a text with one character for each byte, as ripgrep looks at paths."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _keep_last_space(line: str) -> str:
    stripped = line.rstrip(" ")
    return stripped + "\\ " * (len(line) - len(stripped))
