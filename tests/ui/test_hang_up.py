"""What has the terminal goes on when the terminal goes away, so that the app can end in order."""

from __future__ import annotations

import inspect
import io
import os
import pty

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread
from textual.drivers.linux_driver import LinuxDriver

from tui_agent.ui.terminal.hang_up import TerminalOutput, surviving


@pytest.mark.filterwarnings("error")
def test_what_is_written_to_a_terminal_that_has_gone_goes_nowhere_and_stops_nobody() -> None:
    master, slave = pty.openpty()
    file = os.fdopen(slave, "w")
    writer = WriterThread(TerminalOutput(file))  # type: ignore[arg-type]
    writer.start()
    writer.write("here\n")
    assert os.read(master, 100).startswith(b"here")
    os.close(master)
    for _ in range(3 * MAX_QUEUED_WRITES):  # without anybody to take them the second third would wait for ever
        writer.write("x" * 10_000)
    writer.stop()
    file.close()


def test_the_drivers_file_is_where_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def init(self: LinuxDriver, app: object) -> None:
        made.append(app)
        self._file = io.StringIO()  # type: ignore[assignment]

    assert "self._file = sys.__stderr__" in inspect.getsource(LinuxDriver)
    monkeypatch.setattr(LinuxDriver, "__init__", init)
    driver = surviving(LinuxDriver)("the app")  # type: ignore[arg-type]
    assert isinstance(driver._file, TerminalOutput)  # type: ignore[attr-defined]
    assert made == ["the app"]
