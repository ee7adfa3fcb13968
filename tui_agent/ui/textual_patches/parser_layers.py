"""How what the terminal sends is read: layers over Textual's parser, put there before its driver makes one.

Relies on the module `textual.drivers.linux_driver` making its parser as `XTermParser` and its decoder by
`getincrementaldecoder`, both looked up in the module when the driver starts to read; and on
`XTermParser._sequence_to_key_events` being the one place where a sequence becomes keys.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from textual.events import Key

__all__ = ["Layer", "ToKeys", "key_layer", "read_by", "replace_undecodable"]

Layer = Callable[[type], type]
"""Makes a parser of the one below it."""


class ToKeys(Protocol):
    """Makes keys of one sequence; `alt` says that Escape came before it."""

    def __call__(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Yield the keys."""


def read_by(layer: Layer) -> None:
    """Have the terminal's driver read by a layer, over those that are there already; each is put there once."""
    from textual.drivers import linux_driver

    below = vars(linux_driver)["XTermParser"]
    layers = getattr(below, "layers", ())
    if layer not in layers:
        parser = layer(below)
        parser.layers = (*layers, layer)  # type: ignore[attr-defined]
        vars(linux_driver)["XTermParser"] = parser


def key_layer(read: Callable[[ToKeys, str, bool], Iterable[Key]]) -> Layer:
    """Return a layer whose keys are what `read` yields: given the parser below, a sequence, and whether Escape came before."""

    def layer(base: type) -> type:
        class KeyParser(base):  # type: ignore[misc]
            """Reads what the terminal sends."""

            def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
                return read(super()._sequence_to_key_events, sequence, alt)

        return KeyParser

    return layer


def replace_undecodable() -> None:
    """Have the driver replace what is no UTF-8: Textual ends the program over it."""
    from textual.drivers import linux_driver

    vars(linux_driver)["getincrementaldecoder"] = _lenient


def _lenient(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), "replace")
