"""What a sign-in leaves, in a keyring that may be locked at any time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.mcp.oauth import credentials
from tui_agent.mcp.oauth.credentials import CredentialStore


class LockableKeyring:
    """The module `keyring`, in memory; while it is locked it takes and gives up nothing, but reading works.

    No back end of the library: it would become the one of every other test.
    """

    priority = 1

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_keyring(self) -> LockableKeyring:
        return self

    def get_password(self, service: str, username: str) -> str | None:
        return self.records.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._change()
        self.records[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._change()
        del self.records[service, username]

    def _change(self) -> None:
        if self.is_locked:
            raise RuntimeError("it is locked")


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LockableKeyring:
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path))
    ring = LockableKeyring()
    monkeypatch.setattr(credentials, "_keyring", lambda: ring)
    return ring


def test_a_record_that_a_locked_keyring_did_not_take_is_the_newer_one(ring: LockableKeyring) -> None:
    store = CredentialStore("https://a.example/mcp")
    store.save({"token": "old"})
    ring.is_locked = True
    store.save({"token": "new"})
    assert store.load() == {"token": "new"}
    ring.is_locked = False
    store.save({"token": "newest"})
    assert store.load() == {"token": "newest"}
    assert list(ring.records.values()) == ['{"token": "newest"}']
    assert not any(b"new" in path.read_bytes() for path in Path(store._file).parent.rglob("*.json"))


def test_signing_out_says_when_the_keyring_keeps_the_tokens(ring: LockableKeyring) -> None:
    store = CredentialStore("https://a.example/mcp")
    assert store.forget() is False
    store.save({"token": "x"})
    ring.is_locked = True
    with pytest.raises(OSError, match="the keyring did not remove it: RuntimeError: it is locked"):
        store.forget()
    ring.is_locked = False
    assert store.forget() is True
    assert (store.load(), ring.records) == ({}, {})
