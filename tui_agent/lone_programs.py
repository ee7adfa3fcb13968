"""Programs of ours that run alone in a Python of their own, started from code that is compiled already.

Python compiles the file that it is started with each time, which takes about as long as its own start does.
"""

from __future__ import annotations

import marshal
import sys
from functools import cache
from importlib.util import find_spec
from types import CodeType
from typing import Final

__all__ = ["is_startable", "lone_argv", "lone_order"]

_START: Final = """\
import marshal, sys
with open(int(sys.argv[2]), "rb") as given:
    code, order = marshal.load(given)
exec(code)
main(order)
"""


def is_startable(module: str) -> bool:
    """Whether a module of this name can be started: there is a Python to start, and the code is where it can be read."""
    return bool(sys.executable) and _code(module) is not None


def lone_order(module: str, order: tuple[object, ...]) -> bytes:
    """Return what a program reads at its start: its code and its order.

    Args:
        module: the dotted name of the module that is the program. It is read, not imported.
        order: the argument of its function `main`, made of what can be marshalled.
    """
    return marshal.dumps((_code(module), order))  # type: ignore[arg-type]


def lone_argv(name: str, fd: int, *more: int) -> tuple[str, ...]:
    """Return what starts a program that reads its order from the descriptor `fd`.

    Args:
        name: what it is called in lists of processes.
        fd: the descriptor of what `lone_order` returned. The program closes it.
        more: further descriptors that the program finds in `sys.argv[3:]`.
    """
    return (sys.executable, "-I", "-S", "-E", "-c", _START, name, str(fd), *map(str, more))


@cache
def _code(module: str) -> CodeType | None:
    spec = find_spec(module)
    get_code = getattr(spec.loader, "get_code", None) if spec is not None else None
    code: CodeType | None = get_code(module) if get_code is not None else None
    return code
