"""What a widget binds to a key, for widgets that take keys before Textual looks for bindings.

Relies on `DOMNode._bindings`: the node's own bindings with those of its base classes, by key.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding
from textual.dom import DOMNode

__all__ = ["bindings_of"]


def bindings_of(node: DOMNode, key: str) -> Sequence[Binding]:
    """Return what a node itself binds to a key, not what its parents bind."""
    return node._bindings.key_to_bindings.get(key, ())
