"""Clients of servers on loopback start sooner: the certificates of the world are read once, not for each client."""

from __future__ import annotations

import ssl
from functools import cache

import httpcore2

__all__ = ["share_certificates"]


def share_certificates() -> None:
    """Let all clients that ask nothing of the environment, as those of loopback addresses, share what they trust."""
    read = httpcore2.default_ssl_context

    @cache
    def read_once() -> ssl.SSLContext:
        return read(_trust_env=False)

    def trusted(*, _trust_env: bool = True) -> ssl.SSLContext:
        return read() if _trust_env else read_once()

    httpcore2.default_ssl_context = trusted
