"""The key that a user asked to be kept, in the system's own keyring. Blocking: call it in a thread.

A machine without a keyring (a bare server) has none to offer, and nothing is ever written to a file instead.
"""

from __future__ import annotations

from typing import Final

__all__ = ["can_keep", "forget", "keep", "kept"]

_SERVICE: Final = "tui-agent"
_NAME: Final = "anthropic-api-key"


def can_keep() -> bool:
    """Whether there is a keyring that would keep a key."""
    try:
        import keyring

        return bool(keyring.get_keyring().priority > 0)
    except Exception:  # noqa: BLE001 - back ends fail in many ways, all of which mean that there is none
        return False


def kept() -> str | None:
    """Return the key that was kept, None where there is none or the keyring does not answer."""
    try:
        import keyring

        return keyring.get_password(_SERVICE, _NAME) or None
    except Exception:  # noqa: BLE001
        return None


def keep(key: str) -> str:
    """Keep the key; return what went wrong, empty when nothing did."""
    try:
        import keyring

        keyring.set_password(_SERVICE, _NAME, key)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return ""


def forget() -> bool:
    """Remove the key that was kept; False where there was none, or it could not be removed."""
    try:
        import keyring

        if keyring.get_password(_SERVICE, _NAME) is None:
            return False
        keyring.delete_password(_SERVICE, _NAME)
    except Exception:  # noqa: BLE001
        return False
    return True
