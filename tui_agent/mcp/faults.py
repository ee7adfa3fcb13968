"""What goes wrong with servers. The texts are clauses on the server; foreign text in them was cleaned."""

from __future__ import annotations

__all__ = [
    "CallTimeoutError", "ConnectionLostError", "McpFault", "ServerError", "SessionExpiredError", "SignInNeededError",
]  # fmt: skip


class McpFault(Exception):  # noqa: N818 - the base of what the errors below have in common
    """Something that a server does not do."""


class ConnectionLostError(McpFault):
    """There is no connection, or no longer."""


class SessionExpiredError(ConnectionLostError):
    """The server knows nothing of the session any more, and has not looked at the request."""


class SignInNeededError(ConnectionLostError):
    """The server wants to know who asks: the user has to sign in."""


class ServerError(McpFault):
    """The server answered with an error, or with what is against the protocol."""


class CallTimeoutError(McpFault):
    """A call took too long."""
