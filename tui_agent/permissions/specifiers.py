"""What may stand in a rule's brackets, besides commands and paths: a field's value, a host, a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.hosts import canonical_host, host_of

__all__ = ["DomainPattern", "ExactPattern", "ParameterPattern"]


@dataclass(frozen=True)
class ParameterPattern:
    """`name:value`: a top-level field of the input has this value; `*` stands for any text. An absent field never matches."""

    name: str
    value: str

    @property
    def text(self) -> str:
        """The two as they stand in a rule."""
        return f"{self.name}:{self.value}"

    def matches(self, input: Mapping[str, Any]) -> bool:
        """Whether the field is there, is a single value, and is this one."""
        value = input.get(self.name)
        if value is None or isinstance(value, dict | list):
            return False
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return re.fullmatch(_wild(self.value, ".*"), text, re.DOTALL) is not None


_OCTETS: Final = re.compile(r"[0-9*]+")
# Last labels that nobody can register, and second ones below which everybody can.
_NEVER_PUBLIC: Final = frozenset({
    "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost", "private", "test",
})  # fmt: skip
_SHARED: Final = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})


@dataclass(frozen=True)
class DomainPattern:
    """A host: exact, `*.x` for any subdomain of x, `*` for all; elsewhere a `*` stays within one label.

    Both sides are compared in the one spelling of `tui_agent.hosts`.
    """

    regex: re.Pattern[str]
    text: str

    @property
    def is_any(self) -> bool:
        """Whether every host is meant, or every one with so many dots."""
        return not self.text.strip("*.")

    @property
    def names_hosts(self) -> bool:
        """Whether the pattern is about hosts in particular, so that it may also mean one of this machine or network.

        `*`, `*.*` and `*.com` are not: anybody may have such a name lead to any address.
        """
        labels = self.text.split(".")
        if "*" not in self.text:
            return True
        if len(labels) == 4 and labels[0].isdigit() and all(_OCTETS.fullmatch(label) for label in labels):
            return True
        own = len(labels) - max(number for number, label in enumerate(labels) if "*" in label) - 1
        if own == 1:
            return labels[-1] in _NEVER_PUBLIC
        return own > 2 or (own == 2 and not (len(labels[-1]) == 2 and labels[-2] in _SHARED))

    @classmethod
    def parse(cls, host: str) -> DomainPattern:
        """Compile a host pattern."""
        host = host.lower().rstrip(".")
        if host == "*":
            return cls(re.compile(r".+"), host)
        if host.startswith("*."):
            rest = _spelled(host[2:])
            return cls(re.compile(r"[^/]+\." + _wild(rest, r"[^.]*")), f"*.{rest}")
        return cls(re.compile(_wild(_spelled(host), r"[^.]*")), _spelled(host))

    def matches(self, url: str) -> bool:
        """Whether the URL's host is meant."""
        host = host_of(url)
        return host is not None and self.matches_host(host)

    def matches_host(self, host: str) -> bool:
        """Whether this host, in its canonical spelling, is meant."""
        return self.regex.fullmatch(host) is not None


@dataclass(frozen=True)
class ExactPattern:
    """A name, such as that of an agent or a skill, in one field of the input; `default` is what it means when left out.

    `name *` means the name with whatever stands in the field `arguments`; the name alone means it without any, unless
    `is_loose`.
    """

    text: str
    field: str
    default: str = ""
    arguments: str = ""
    is_loose: bool = False

    def matches(self, input: Mapping[str, Any]) -> bool:
        """Whether the input is about this name."""
        name = input.get(self.field) or self.default
        if not isinstance(name, str) or not name:
            return False
        if self.text.endswith(" *"):
            return name == self.text[:-2]
        return name == self.text and (self.is_loose or not input.get(self.arguments))


def _spelled(host: str) -> str:
    return (None if "*" in host else canonical_host(host)) or host


def _wild(text: str, star: str) -> str:
    return star.join(re.escape(part) for part in text.split("*"))
