"""Where a command's words go: data to standard output, messages to standard error, each whole and at once.

Messages are one line, cleaned. Data goes out as it is, unless somebody looks at it: text for a terminal is cleaned as well,
and JSON for a terminal has what is odd in it written as escapes of JSON, so that it stays the same JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from tui_agent.text import clean, clean_line, escaped_json

__all__ = ["CliOutput"]


class CliOutput:
    """The two streams of one command.

    Writing data raises BrokenPipeError when the reader has gone, and, having said why, when the data cannot be written for
    another reason; `abandon` then keeps quiet. Messages that nobody can read are left out.
    """

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out: TextIO | None = out or sys.stdout  # None: it was closed before the program began
        self._err: TextIO | None = err or sys.stderr
        for stream in (self._out, self._err):
            if hasattr(stream, "reconfigure"):
                # File names may hold bytes that are no text; `\udcXX` is also how JSON writes them.
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    @property
    def is_terminal(self) -> bool:
        """Whether a user reads the data directly."""
        return self._out is not None and self._out.isatty()

    def json(self, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """Write one line of JSON."""
        self._put_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def json_document(self, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """Write JSON in lines, as people read it."""
        self._put_json(json.dumps(value, ensure_ascii=False, indent=2))

    def text(self, text: str) -> None:
        """Write lines of text; a line break is added where there is none."""
        if text:
            self.write(text if text.endswith("\n") else text + "\n")

    def write(self, text: str) -> None:
        """Write text as it is."""
        self._put(clean(text) if self.is_terminal else text)

    def message(self, text: str, hint: str = "") -> None:
        """Tell the user something, on one line, without secrets."""
        from tui_agent.secrets.process import process_masker  # most commands have nothing to tell

        text, hint = process_masker().mask(text), process_masker().mask(hint)
        line = clean_line(text, 2000)
        if hint:
            line = f"{line if line.endswith(('.', '?', '!')) else line + '.'} {clean_line(hint, 500)}"
        if self._err is None:
            return
        try:
            self._err.write(f"tui-agent: {line}\n")
            self._err.flush()
        except OSError:
            self._err = None

    def abandon(self) -> None:
        """Make what is still buffered vanish: the reader has gone, and the interpreter would complain at its end."""
        if self._out is None:
            return
        try:
            number = self._out.fileno()
        except (OSError, ValueError):
            return
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)

    def _put_json(self, text: str) -> None:
        self._put((escaped_json(text) if self.is_terminal else text) + "\n")

    def _put(self, data: str) -> None:
        if self._out is None:
            self.message("standard output is closed", "Send it somewhere, for example >/dev/null.")
            raise BrokenPipeError
        try:
            self._out.write(data)
            self._out.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            self.message(f"standard output cannot be written: {error.strerror or error}")
            raise BrokenPipeError from error
