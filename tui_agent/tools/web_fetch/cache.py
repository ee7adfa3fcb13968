"""Pages that were fetched a short while ago, so that reading on, or another question, costs no second download."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tui_agent.tools.web_fetch.client import HttpAnswer
from tui_agent.tools.web_fetch.page import WebPage

__all__ = ["Fetched", "PageCache"]

LIFETIME_S: Final = 15 * 60.0
MAX_PAGES: Final = 50
MAX_CHARS: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page and the answer that it came in, whose body is no longer needed. `size` is that of the body in bytes."""

    answer: HttpAnswer
    page: WebPage
    size: int


class PageCache:
    """Pages by address, the least recently used leaving first. `clock` gives seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: OrderedDict[str, tuple[float, Fetched]] = OrderedDict()
        self._chars = 0

    def get(self, url: str) -> Fetched | None:
        """Return the page, unless it is too old."""
        found = self._pages.get(url)
        if found is None:
            return None
        if self._clock() - found[0] > LIFETIME_S:
            self._remove(url)
            return None
        self._pages.move_to_end(url)
        return found[1]

    def put(self, url: str, fetched: Fetched) -> None:
        """Keep a page; others go where it would be too much."""
        self._remove(url)
        if len(fetched.page.text) > MAX_CHARS:
            return
        self._pages[url] = (self._clock(), fetched)
        self._chars += len(fetched.page.text)
        while len(self._pages) > MAX_PAGES or self._chars > MAX_CHARS:
            self._remove(next(iter(self._pages)))

    def _remove(self, url: str) -> None:
        found = self._pages.pop(url, None)
        if found is not None:
            self._chars -= len(found[1].page.text)
