"""Reading a file that nobody pointed at: small, regular, of text and of JSON, or said to be none of that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from tui_agent.regular_files import TooLargeError, read_regular
from tui_agent.settings.problems import Problem
from tui_agent.settings.source_text import MalformedJson

__all__ = ["MAX_BYTES", "UnreadableError", "read_json"]

MAX_BYTES: Final = 2 * 1024 * 1024

T = TypeVar("T")


class UnreadableError(Exception):
    """A file cannot be used at all; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem: Final = problem


def read_json(file: Path, parse: Callable[[str], T]) -> T | None:
    """Return what `parse` makes of a file's text, None where there is no file. `parse` may raise MalformedJson.

    Raises:
        UnreadableError: it cannot be read or parsed.
    """
    try:
        # A link is followed: people keep their settings elsewhere, and whether one may lead out of a folder is asked before.
        return parse(read_regular(file, MAX_BYTES, follow_links=True).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except TooLargeError:
        raise UnreadableError(Problem(str(file), 1, "cannot be read: it is larger than 2 MiB")) from None
    except OSError as error:
        raise UnreadableError(Problem(str(file), 1, f"cannot be read: {error.strerror or error}")) from None
    except UnicodeDecodeError:
        raise UnreadableError(Problem(str(file), 1, "is not UTF-8 text")) from None
    except MalformedJson as error:
        raise UnreadableError(Problem(str(file), error.line, f"column {error.column}: {error.reason}")) from None
