"""The part of `doctor` that is about ways to models: for each provider its key, and whether its endpoint can be reached."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tui_agent.headless.findings import Finding
from tui_agent.text import clean_line

if TYPE_CHECKING:
    from tui_agent.settings.schema import ProviderValues

__all__ = ["examine_models"]

_TIMEOUT_S: Final = 3.0
_DEFAULT_URL: Final = "https://api.anthropic.com"
_KEY_VARIABLES: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_PROXY_VARIABLES: Final = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY")


def examine_models(providers: Mapping[str, ProviderValues], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a key and an endpoint for each way to models: the usual one, then the others that settings name.

    `providers` are those of the user's own settings. `environment` holds the variables of the process and of these settings.
    Only a connection is opened, and closed again: no request is sent.
    """
    from tui_agent.model.providers.resolve import USUAL

    yield from _usual(providers.get(USUAL), environment)
    for name, values in providers.items():
        if name != USUAL:
            yield _key_of(name, values, environment)
            yield _endpoint(
                values.base_url or _DEFAULT_URL, f"providers.{name}.baseUrl", about=f"{clean_line(name, 40)}: "
            )


def _usual(values: ProviderValues | None, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check models without a provider in their names. What settings say of them is outweighed by variables for the address."""
    from tui_agent.model.providers.resolve import USUAL

    own_variable = values.api_key_env if values is not None else None
    own_url = values.base_url if values is not None else None
    variables = (own_variable, *_KEY_VARIABLES) if own_variable else _KEY_VARIABLES
    url = environment.get("ANTHROPIC_BASE_URL")
    if name := next((name for name in variables if environment.get(name)), None):
        yield Finding("ok", "key", f"{clean_line(name)} is set")
    elif url or own_url:
        yield Finding("warning", "key", "none is set; fine if your endpoint asks for none")
    else:
        yield Finding("problem", "key", f"none is set; set {clean_line(variables[0])}, or try `tui-agent --demo`")
    said_by = f"providers.{USUAL}.baseUrl" if own_url and not url else "ANTHROPIC_BASE_URL"
    yield _endpoint(url or own_url or _DEFAULT_URL, said_by)


def _key_of(name: str, values: ProviderValues, environment: Mapping[str, str]) -> Finding:
    """Check the key of a provider that settings name; it has no other than the one in its own variable."""
    provider, variable = clean_line(name, 40), values.api_key_env
    if variable and environment.get(variable):
        return Finding("ok", "key", f"{provider}: {clean_line(variable)} is set")
    problem = f"{clean_line(variable)} is not set" if variable else "`apiKeyEnv` names no variable"
    if values.base_url is not None:
        return Finding(
            "warning" if variable else "ok", "key", f"{provider}: {problem}; fine if the endpoint asks for none"
        )
    return Finding("problem", "key", f"{provider}: {problem}, and the Messages API needs a key")


def _endpoint(url: str, said_by: str, *, about: str = "") -> Finding:
    """Return whether a connection to an endpoint can be made. `said_by` names the setting or variable of its address."""
    source = clean_line(said_by)
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}[parts.scheme]
        host = parts.hostname
    except (KeyError, ValueError):
        text = f"{clean_line(url)} is not an address; {source} starts with https:// or http://"
        return Finding("problem", "endpoint", about + text)
    if not host:
        return Finding("problem", "endpoint", f"{about}{clean_line(url)} names no server; check {source}")
    shown = clean_line(f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else ""))
    try:
        with socket.create_connection((host, port), _TIMEOUT_S):
            return Finding("ok", "endpoint", f"{about}{shown} can be reached")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if any(os.environ.get(name) for name in _PROXY_VARIABLES):
            text = f"{shown} cannot be reached directly ({reason}); a proxy is set and may reach it"
            return Finding("warning", "endpoint", about + text)
        return Finding("problem", "endpoint", f"{about}{shown} cannot be reached ({reason}); check the network")
