"""Files by which a repository has code of its own run by whoever asks a tool for its version.

`cargo --version` runs what `rust-toolchain.toml` names, as `cargo` itself is only a switch that looks for it; so do the
switches of asdf with `.tool-versions`. `poetry` loads the plugins of a project, and `ng` hands over to the copy that it finds
there, before either looks at its options.
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
# Of each kind of file, what in it names code; None where it is enough that there is one.
_FILES: Final[tuple[tuple[str, frozenset[str], re.Pattern[str] | None], ...]] = (
    ("rust-toolchain.toml", _RUST, re.compile(r"path|\\", re.IGNORECASE)),  # TOML and JSON may spell it with escapes
    ("rust-toolchain", _RUST, re.compile(r"path|[\\/]", re.IGNORECASE)),
    (".tool-versions", _SWITCHED, re.compile(r"path:", re.IGNORECASE)),
    ("global.json", frozenset({"dotnet"}), re.compile(r"path|\\", re.IGNORECASE)),
    (".poetry", frozenset({"poetry"}), None),
    ("node_modules/@angular/cli", frozenset({"ng"}), None),
    (".rubocop", frozenset({"rubocop"}), None),
    (".bundle", frozenset({"bundle", "bundler"}), None),
)


_CONCERNED: Final = frozenset[str]().union(*(programs for _name, programs, _sign in _FILES))


def why_chosen_here(programs: frozenset[str], folders: Iterable[str], home: str) -> str:
    """Return why one of these programs may run code of the repository's own in these folders; empty where none does.

    Args:
        programs: the names of the programs that run.
        folders: absolute paths of the folders in which they may.
        home: the user's own folder; such files in it are theirs.
    """
    if _CONCERNED.isdisjoint(programs):
        return ""
    concerned = [(name, sign) for name, switched, sign in _FILES if not switched.isdisjoint(programs)]
    own = os.path.realpath(home)
    for folder in folders:
        here = os.path.realpath(folder)
        while here != own:
            for name, sign in concerned:
                path = os.path.join(here, name)  # noqa: PTH118 - of texts
                if os.path.lexists(path) and (sign is None or _holds(path, sign)):
                    return f"`{path}` has code of its own run in its place"
            if here == os.path.dirname(here):  # noqa: PTH120
                break
            here = os.path.dirname(here)  # noqa: PTH120
    return ""


def _holds(path: str, sign: re.Pattern[str]) -> bool:
    """Whether a file holds a sign of code, or cannot be read as one of its kind is."""
    try:
        return sign.search(read_regular(path, _LONGEST).decode()) is not None
    except (OSError, UnicodeDecodeError):
        return True
