"""An app that reports its own end in its own words, and writes to the terminal past the screen.

Relies on `App._fatal_error` (called with the error as the current exception), `App._exit_renderables` (printed when the app has
ended), `App._close_messages_no_wait` (ends the app) and `App._driver` (what has the terminal; None before and after).
"""

from __future__ import annotations

import traceback

from rich.segment import Segment, Segments
from textual.app import App

__all__ = ["ReportingApp", "write_to_terminal"]


class ReportingApp(App[object]):
    """An app whose last words, after a fault that ends it, are `fault_report()`: Textual's show the values of variables."""

    def fault_report(self) -> str:
        """Return what to print about the exception that is being handled."""
        return traceback.format_exc()

    def _fatal_error(self) -> None:
        self.bell()
        self._exit_renderables.append(Segments([Segment(self.fault_report())]))
        self._close_messages_no_wait()


def write_to_terminal(app: App[object], text: str) -> None:
    """Write a sequence to the app's terminal, between two frames; nothing happens while the app has none."""
    driver = app._driver
    if driver is not None:
        driver.write(text)
        driver.flush()
