"""How what the terminal sends is read: layers over Textual's parser, put there before its driver makes one."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["read_by"]


def read_by(layer: Callable[[type], type]) -> None:
    """Have the terminal's driver read by a layer, over those that are there already; each is put there once.

    `layer` makes a parser of the one below it.
    """
    from textual.drivers import linux_driver

    below = vars(linux_driver)["XTermParser"]
    layers = getattr(below, "layers", ())
    if layer not in layers:
        parser = layer(below)
        parser.layers = (*layers, layer)  # type: ignore[attr-defined]
        vars(linux_driver)["XTermParser"] = parser
