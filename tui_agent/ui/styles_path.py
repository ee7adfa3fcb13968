"""Where the style sheets are: inside the package once it is built, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["style_sheet"]


def style_sheet(name: str) -> str:
    """Return the path of the style sheet called `name`.

    Raises:
        FileNotFoundError: neither place has it; the installation is broken.
    """
    package = Path(__file__).parent.parent
    for folder in (package / "styles", package.parent / "styles"):
        sheet = folder / f"{name}.tcss"
        if sheet.is_file():
            return str(sheet)
    raise FileNotFoundError(f"no style sheet {name} in {package / 'styles'}: reinstall tui-agent")
