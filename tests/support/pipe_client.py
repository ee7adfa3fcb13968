"""A front end that knows the engine only by pipes: writes lines of JSON, and reads what comes."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

__all__ = ["PipeClient"]

_PATIENCE_S = 60.0


class PipeClient:
    """`lines` is all that came, in order. What never comes is an error after a minute."""

    def __init__(self, given: BinaryIO, told: BinaryIO) -> None:
        self._given = given
        self._told = told
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self.lines: list[dict[str, Any]] = []
        self.is_over = False
        self._seen = 0
        self._errors = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with self._told:
            for line in self._told:
                with self._changed:
                    self.lines.append(json.loads(line))
                    self._changed.notify_all()
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def write(self, line: str | bytes) -> None:
        self._given.write((line.encode() if isinstance(line, str) else line) + b"\n")

    def command(self, type: str, **fields: Any) -> dict[str, Any]:
        """Give a command and return what it is answered with."""
        return self._answered(command={"type": type, **fields})

    def query(self, type: str, **fields: Any) -> Any:
        """Ask, and return the answer."""
        return self._answered(query={"type": type, **fields})["answer"]

    def _answered(self, **what: Any) -> dict[str, Any]:
        id = next(self._ids)
        self.write(json.dumps({"id": id, **what}))
        return self.wait(lambda: next((line for line in self.lines if line.get("id") == id), None), what)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [line["event"] for line in self.lines if "event" in line]

    def event(self, type: str, **fields: Any) -> dict[str, Any]:
        """Return the next event of a type with these fields, after the one that was returned last."""

        def find() -> dict[str, Any] | None:
            for place in range(self._seen, len(self.lines)):
                event = self.lines[place].get("event", {})
                if event.get("type") == type and all(event.get(name) == value for name, value in fields.items()):
                    self._seen = place + 1
                    return event
            return None

        return self.wait(find, (type, fields))

    def error(self) -> dict[str, Any]:
        """Return the next error, after the one that was returned last."""

        def find() -> dict[str, Any] | None:
            errors = [line["error"] for line in self.lines if "error" in line]
            return errors[self._errors] if len(errors) > self._errors else None

        found: dict[str, Any] = self.wait(find, "an error")
        self._errors += 1
        return found

    def wait(self, find: Callable[[], Any], what: object) -> Any:
        with self._changed:
            found = None

            def is_there() -> bool:
                nonlocal found
                found = find()
                return found is not None or self.is_over

            assert self._changed.wait_for(is_there, _PATIENCE_S), (
                f"{what} never came; the last lines: {self.lines[-5:]}"
            )
            assert found is not None, f"the output ended before {what}; the last lines: {self.lines[-5:]}"
            return found

    def close(self) -> None:
        """End the input, and wait for the end of the output."""
        self._given.close()
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """Wait for the end of the output."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.is_over, _PATIENCE_S), self.lines[-5:]
