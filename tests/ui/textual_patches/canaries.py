"""What a canary says when Textual is no longer what a patch takes it for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import version

__all__ = ["relies_on", "takes"]


def relies_on(name: str, is_so: object, what: str) -> None:
    """Fail, unless it `is_so`, with what the patches rely on about a name of Textual, as `Screen._compositor`."""
    __tracebackhide__ = True
    if not is_so:
        message = f"Textual {version('textual')} changed {name}. tui_agent/ui/textual_patches relies on this: {what}"
        raise AssertionError(message)


def takes(function: Callable[..., object], *parameters: str) -> bool:
    """Whether these are the parameters of a function."""
    return tuple(inspect.signature(function).parameters) == parameters
