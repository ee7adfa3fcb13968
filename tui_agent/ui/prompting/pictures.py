"""Pictures for a message: from files whose paths were pasted or dropped, and from the clipboard.

What blocks says so, and is called in a thread.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tui_agent.drafts import Image

__all__ = [
    "ImageClipboard",
    "PictureError",
    "clipboard_programs",
    "picture_of",
    "picture_paths",
    "read_clipboard",
]

_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_LONGEST_PASTE: Final = 4_000  # characters in which names of files are looked for
_MOST_BYTES: Final = 64 * 1024 * 1024
_READ_S: Final = 4.0
_DRIVE: Final = re.compile(r"/[A-Za-z]:/")
_MAC_PICTURE: Final = "the clipboard as «class PNGf»"
_MAC_DATA: Final = re.compile(rb"\xc2\xabdata PNGf([0-9A-Fa-f]+)\xc2\xbb")


class PictureError(Exception):
    """There is no picture to be had; the message says why, in a sentence."""


class ImageClipboard:
    """What the clipboard holds: a picture's bytes, or text. One of them is empty."""

    def __init__(self, *, picture: bytes = b"", text: str = "") -> None:
        self.picture = picture
        self.text = text


# --- paths -----------------------------------------------------------------------------------------------------------


def picture_paths(pasted: str) -> list[str]:
    r"""Return the files of pictures that a pasted text names, and nothing but names: quoted, with `\ `, or as `file://`.

    Terminals write a file so that is dropped on them. Nothing where the text is anything else.
    """
    text = pasted.strip()
    if not text or len(text) > _LONGEST_PASTE or not any(suffix in text.lower() for suffix in _SUFFIXES):
        return []
    for words in _as_words(text):
        paths = [_plain(word) for word in words]
        if paths and all(path.lower().endswith(_SUFFIXES) and _is_path(path) for path in paths):
            return paths
    return []


def _as_words(text: str) -> list[list[str]]:
    ways = [text.splitlines()]
    with contextlib.suppress(ValueError):  # a quote that is not closed
        ways.insert(0, shlex.split(text))
    return ways


def _plain(word: str) -> str:
    if word.startswith("file://"):
        return unquote(urlsplit(word).path)
    return word.strip()


def _is_path(path: str) -> bool:
    return path.startswith(("/", "~/", "./", "../")) or _DRIVE.match(f"/{path}") is not None


def read_picture(path: str, root: Path) -> bytes:
    """Return the bytes of a picture's file. Blocks.

    Raises:
        PictureError: it cannot be read, or is no picture by its beginning.
    """
    from tui_agent.media import image_size
    from tui_agent.tools.files import FileProblem
    from tui_agent.tools.resolved_path import resolve
    from tui_agent.tools.shared_read.cached_files import read_whole

    place = resolve(os.path.abspath(root / Path(path).expanduser()))  # noqa: PTH100 - `resolve` follows links
    try:
        data, _ = read_whole(place, _MOST_BYTES)
    except FileProblem as problem:
        raise PictureError(f"{path} was not attached: {problem.message}.") from problem
    if image_size(data) is None:
        raise PictureError(f"{path} was not attached: it is not a PNG, JPEG, GIF or WebP image.")
    return data


def picture_of(data: bytes, name: str = "") -> Image:
    """Return these bytes as a picture that can be sent, made smaller where it is too large. Blocks.

    Raises:
        PictureError: they are none that can be sent.
    """
    from tui_agent.tools.shared_read.images import ImageProblem, fit_image

    try:
        picture = fit_image(data)
    except ImageProblem as problem:
        raise PictureError(f"{name or 'The picture'} was not attached: {problem}.") from problem
    preview = picture.to_data()["preview"]
    return Image(name, picture.media_type, b64encode(picture.data).decode("ascii"), picture.original_size, preview)


# --- clipboard -------------------------------------------------------------------------------------------------------


def clipboard_programs(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> list[tuple[str, list[str]]]:
    """Return the programs that give what the clipboard of this desktop holds, in the order to ask them: kind and command."""
    if platform == "darwin":
        picture = ["pngpaste", "-"] if shutil.which("pngpaste") else ["osascript", "-e", _MAC_PICTURE]
        return [("picture", picture), ("text", ["pbpaste"])]
    if environment.get("WAYLAND_DISPLAY") and shutil.which("wl-paste"):
        return [
            *(
                ("picture", ["wl-paste", "--no-newline", "--type", kind])
                for kind in ("image/png", "image/jpeg", "image/webp")
            ),
            ("text", ["wl-paste", "--no-newline", "--type", "text"]),
        ]
    if environment.get("DISPLAY") and shutil.which("xclip"):
        out = ["xclip", "-selection", "clipboard", "-o", "-t"]
        return [
            *(("picture", [*out, kind]) for kind in ("image/png", "image/jpeg", "image/webp")),
            ("text", [*out, "UTF8_STRING"]),
        ]
    if environment.get("DISPLAY") and shutil.which("xsel"):
        return [("text", ["xsel", "--clipboard", "--output"])]
    return []


def read_clipboard(programs: list[tuple[str, list[str]]] | None = None) -> ImageClipboard:
    """Return what the clipboard holds: a picture, where there is one, else text; empty where it holds neither. Blocks.

    Raises:
        PictureError: it cannot be read from here.
    """
    from tui_agent.media import image_type

    if programs is None:
        programs = clipboard_programs()
    if not programs:
        raise PictureError(_no_program(os.environ))
    for kind, command in programs:
        data = _output(command)
        if kind == "text" and data:
            return ImageClipboard(text=data.decode("utf-8", "replace"))
        if (found := _MAC_DATA.search(data)) is not None:
            data = bytes.fromhex(found[1].decode())
        if kind == "picture" and image_type(data):
            return ImageClipboard(picture=data)
    return ImageClipboard()


def _no_program(environment: Mapping[str, str]) -> str:
    if environment.get("SSH_CONNECTION") or not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        return "The clipboard cannot be read from here: there is no desktop. Paste with the terminal, or give the path."
    needed = "wl-clipboard" if environment.get("WAYLAND_DISPLAY") else "xclip"
    return f"The clipboard cannot be read: install {needed}, or paste the path of the picture."


def _output(command: list[str]) -> bytes:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_READ_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return done.stdout if done.returncode == 0 and len(done.stdout) <= _MOST_BYTES else b""
