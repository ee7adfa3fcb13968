"""Files by which a repository chooses the folder that a language's own programs are taken from.

`cargo --version` runs whatever `rust-toolchain.toml` names, as `cargo` itself is only a switch that looks for it; so do the
switches of asdf with `.tool-versions`. Asked for its version or not, such a program is one of the repository's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from tui_agent.regular_files import read_regular

__all__ = ["why_chosen_here"]

_LONGEST: Final = 16_384  # bytes
_RUST: Final = frozenset({"cargo", "rustc", "rustfmt", "rustup", "rustdoc", "clippy-driver", "rust-analyzer"})
_SWITCHED: Final = frozenset({
    "node", "nodejs", "npm", "npx", "python", "python3", "pip", "pip3", "ruby", "gem", "bundle", "go", "gofmt", "java", "javac",
    "php", "perl", "lua", "elixir", "mix", "deno", "bun", "yarn", "pnpm", "terraform", "kubectl", "helm", "poetry", "uv",
    "ruff", "gradle", "mvn", "kotlin", "swift", "dart", "erl", "zig", "nim", "crystal",
}) | _RUST  # fmt: skip
# Of each kind of file, what in it names a folder instead of a version.
_FILES: Final[tuple[tuple[str, frozenset[str], re.Pattern[str]], ...]] = (
    ("rust-toolchain.toml", _RUST, re.compile(r"path|\\", re.IGNORECASE)),  # TOML may spell it with escapes
    ("rust-toolchain", _RUST, re.compile(r"path|[\\/]", re.IGNORECASE)),
    (".tool-versions", _SWITCHED, re.compile(r"path:", re.IGNORECASE)),
)


def why_chosen_here(programs: Iterable[str], folders: Iterable[str]) -> str:
    """Return why one of these programs may be one of the repository's own in these folders; empty where none is.

    Args:
        programs: the names of the programs that run.
        folders: absolute paths of the folders in which they may.
    """
    concerned = [(name, sign) for name, switched, sign in _FILES if not switched.isdisjoint(programs)]
    for folder in folders if concerned else ():
        here = os.path.realpath(folder)
        while True:
            for name, sign in concerned:
                path = os.path.join(here, name)  # noqa: PTH118 - of texts
                if os.path.lexists(path) and _names_folder(path, sign):
                    return f"`{path}` says which programs are run in its place"
            if here == os.path.dirname(here):  # noqa: PTH120
                break
            here = os.path.dirname(here)  # noqa: PTH120
    return ""


def _names_folder(path: str, sign: re.Pattern[str]) -> bool:
    """Whether a file names a folder, or cannot be read as one of its kind is."""
    try:
        return sign.search(read_regular(path, _LONGEST).decode()) is not None
    except (OSError, UnicodeDecodeError):
        return True
