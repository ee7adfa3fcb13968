"""What signing in to a server leaves: tokens, the client that was registered, and where to renew them.

It is kept in the system's keyring; where there is none, in a file that only the user can read. Everything here blocks.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_agent.settings.standard_paths import state_home
from tui_agent.settings.state_file import change_state, read_state

__all__ = ["CredentialStore"]

_SERVICE: Final = "tui-agent-mcp"
_NAME: Final = "mcp-credentials.json"
_KEY_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class CredentialStore:
    """The record of one server, known by its address and the client that it is asked as. `state` is for tests."""

    url: str
    client_id: str = ""
    state: Path | None = None

    @property
    def key(self) -> str:
        """What the record is known by; tells nothing of the address."""
        text = json.dumps([self.url, self.client_id])
        return hashlib.sha256(text.encode()).hexdigest()[:_KEY_CHARS]

    @property
    def lock_file(self) -> Path:
        """The file that whoever renews tokens holds a lock on."""
        return (self.state or state_home()) / "locks" / f"mcp-{self.key}.lock"

    @property
    def _file(self) -> Path:
        return (self.state or state_home()) / _NAME

    def load(self) -> dict[str, Any]:
        """Return the record, empty where there is none, or it cannot be read.

        One in the file is newer than one in the keyring: it is there only because the keyring did not take it.
        """
        found = read_state(self._file).get(self.key)
        if isinstance(found, Mapping):
            return dict(found)
        text: str | None = None
        if self._has_keyring():
            with contextlib.suppress(Exception):  # a locked keyring: as if nobody had signed in
                text = _keyring().get_password(_SERVICE, self.key)
        with contextlib.suppress(ValueError):
            record = json.loads(text or "{}")
            return record if isinstance(record, dict) else {}
        return {}

    def save(self, record: Mapping[str, Any]) -> None:
        """Replace the record.

        Raises:
            OSError: there is no keyring, and the file cannot be written.
        """
        if self._has_keyring():
            with contextlib.suppress(Exception):  # a locked keyring: the file takes it
                _keyring().set_password(_SERVICE, self.key, json.dumps(dict(record)))
                self._leave_file()
                return
        change_state(self._file, lambda data: {**data, self.key: dict(record)})

    def forget(self) -> bool:
        """Remove the record; False where there was none.

        Raises:
            OSError: the file cannot be written, or the keyring keeps the record.
        """
        had_any = bool(self.load())
        self._leave_file()
        if self._has_keyring():
            try:
                if _keyring().get_password(_SERVICE, self.key) is not None:
                    _keyring().delete_password(_SERVICE, self.key)
            except Exception as error:
                raise OSError(f"the keyring did not remove it: {type(error).__name__}: {error}") from error
        return had_any

    def _leave_file(self) -> None:
        if self.key in read_state(self._file):
            change_state(self._file, lambda data: dict(_without(data, self.key)))

    def _has_keyring(self) -> bool:
        if self.state is not None:
            return False
        try:
            return bool(_keyring().get_keyring().priority > 0)
        except Exception:  # noqa: BLE001 - back ends fail in many ways, all of which mean that there is none
            return False


def _keyring() -> Any:  # noqa: ANN401 - an untyped library
    import keyring

    return keyring


def _without(data: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in data.items() if name != key)
