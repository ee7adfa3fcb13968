"""Log files without secrets: what libraries write of requests and errors is masked as it is formatted."""

from __future__ import annotations

import logging

from tui_agent.secrets.masker import Masker

__all__ = ["hide_in_logs"]


class _Masked(logging.Formatter):
    """Formats as another formatter does, and masks what comes out, tracebacks included."""

    def __init__(self, inner: logging.Formatter, masker: Masker) -> None:
        super().__init__()
        self._inner = inner
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        return self._masker.mask(self._inner.format(record))


def hide_in_logs(handler: logging.Handler, masker: Masker) -> None:
    """Let a handler write nothing but masked lines from now on."""
    handler.setFormatter(_Masked(handler.formatter or logging.Formatter(), masker))
