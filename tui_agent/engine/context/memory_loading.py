"""Which memory files count: at the start of a conversation, and later, as the work goes to other folders.

At the start: the policy's, the user's own, then for each folder from the root of the file system down to the working folder
`CLAUDE.md`, `.claude/CLAUDE.md`, `.claude/rules/` and `CLAUDE.local.md`. Where no folder has any of the named files,
`AGENTS.md` files are read instead. Those of folders below count when something there is worked on, rules with `paths` when such
a file is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tui_agent.checkouts import project_root
from tui_agent.engine.context.import_approvals import approved_imports
from tui_agent.engine.context.memory import LoadReason, Memory, MemoryKind, PathRule
from tui_agent.engine.context.memory_reader import MemoryReader, Origin
from tui_agent.engine.context.path_globs import fits

__all__ = ["FolderMemory", "MemoryLoader", "load_memory"]

_NAMES: Final[tuple[tuple[str, MemoryKind], ...]] = (
    ("CLAUDE.md", "Project"),
    (".claude/CLAUDE.md", "Project"),
    ("CLAUDE.local.md", "Local"),
)
_RULES: Final = (".claude/rules", ".tui-agent/rules")
_FALLBACK: Final = "AGENTS.md"
_AUTO_LINES: Final = 200
_AUTO_CHARS: Final = 25_000


class FolderMemory:
    """The memory of one working folder. `load` is for its beginning, `work_on` for what comes later; both block.

    `claude` is the user's `.claude` folder. `policies` are an administrator's files. `notes` is the model's own file of notes,
    the beginning of which is read. The rest is as in `MemoryReader`.
    """

    def __init__(
        self,
        cwd: Path,
        home: Path,
        *,
        is_trusted: bool = False,
        claude: Path | None = None,
        policies: Iterable[Path] = (),
        notes: Path | None = None,
        approved: frozenset[str] = frozenset(),
        excludes: tuple[str, ...] = (),
        denied: Callable[[str], str | None] = lambda _path: None,
    ) -> None:
        self._cwd = cwd.absolute()
        self._home = home
        self._claude = claude or home / ".claude"
        self._policies = tuple(policies)
        self._notes = notes
        self._root = project_root(cwd)
        self._reader = MemoryReader(
            home=home, is_trusted=is_trusted, approved=approved, excludes=excludes, denied=denied
        )
        self._rules: list[PathRule] = []
        self._visited = {self._cwd, *self._cwd.parents}

    def load(self) -> Memory:
        """Read what counts at the start. Never raises: what cannot be read is reported in the result."""
        reader = self._reader
        for path in self._policies:
            reader.read(path, Origin("Managed"))
        user = self._claude / "CLAUDE.md"
        reader.read(user, Origin("User"))
        reader.read_rules(self._claude / "rules", Origin("User", rules_of=self._root))
        folders = [*reversed(self._cwd.parents), self._cwd]
        found_any = [self._read_folder(folder, user, "session_start") for folder in folders]
        if not any(found_any):
            for folder in folders:
                reader.read(folder / _FALLBACK, self._origin(folder / _FALLBACK, "Project", "session_start"))
        self._read_notes()
        found = reader.take()
        self._rules += found.rules
        return found

    def work_on(self, files: Iterable[Path]) -> Memory:
        """Read what counts now that these files were read or changed."""
        for file in files:
            if file.is_relative_to(self._cwd):
                below = [folder for folder in reversed(file.parents) if folder not in self._visited]
                for folder in below:
                    self._visited.add(folder)
                    if not self._read_folder(folder, self._claude / "CLAUDE.md", "nested_traversal"):
                        path = folder / _FALLBACK
                        self._reader.read(path, self._origin(path, "Project", "nested_traversal"))
            for rule in [rule for rule in self._rules if fits(file, rule.globs, rule.base)]:
                self._rules.remove(rule)
                self._reader.read_rule(rule)
        found = self._reader.take()
        self._rules += found.rules
        return found

    def _read_folder(self, folder: Path, user: Path, reason: LoadReason) -> bool:
        found = False
        for name, kind in _NAMES:
            path = folder / name
            if kind == "Local":
                for rules in (folder / name for name in _RULES):
                    if rules != self._claude / "rules":
                        origin = self._origin(rules / _FALLBACK, "Project", reason)
                        self._reader.read_rules(rules, replace(origin, rules_of=folder))
            if path != user and self._reader.read(path, self._origin(path, kind, reason)):
                found = True
        return found

    def _origin(self, path: Path, kind: MemoryKind, reason: LoadReason) -> Origin:
        if path.is_relative_to(self._root):
            return Origin(kind, self._root, reason=reason)
        is_own = path.parent == self._home or self._home / ".claude" in path.parents
        return Origin(kind, is_above=not is_own, reason=reason)

    def _read_notes(self) -> None:
        """Read the beginning of the model's notes."""
        if self._notes is None or self._notes.is_symlink() or not self._reader.read(self._notes, Origin("Auto")):
            return
        for at, file in enumerate(self._reader.files):
            if file.path == str(self._notes):
                lines = file.text.splitlines()
                text = "\n".join(lines[:_AUTO_LINES])[:_AUTO_CHARS]
                is_cut = len(text) < len(file.text.rstrip("\n"))
                self._reader.files[at] = replace(file, text=text, is_cut=is_cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLoader:
    """What the memory of a session is read with; see `FolderMemory`.

    `state` is the program's own folder, for what the user said of files outside of the project (None: where the platform keeps
    it). With `is_off` there is no memory.
    """

    cwd: Path
    home: Path
    claude: Path | None = None
    policies: tuple[Path, ...] = ()
    notes: Path | None = None
    is_trusted: bool = False
    excludes: tuple[str, ...] = ()
    denied: Callable[[str], str | None] = lambda _path: None
    state: Path | None = None
    is_off: bool = False

    def open(self) -> FolderMemory:
        """Return the memory, nothing of it read yet."""
        return FolderMemory(
            self.cwd,
            self.home,
            is_trusted=self.is_trusted,
            claude=self.claude,
            policies=self.policies,
            notes=self.notes,
            approved=approved_imports(project_root(self.cwd), self.state),
            excludes=self.excludes,
            denied=self.denied,
        )

    def places(self) -> list[tuple[str, Path]]:
        """Return the files that a user may want to edit, with what each is for; they may not exist."""
        claude = self.claude or self.home / ".claude"
        places = [
            ("this project, shared", self.cwd / "CLAUDE.md"),
            ("this project, yours alone", self.cwd / "CLAUDE.local.md"),
            ("all your projects", claude / "CLAUDE.md"),
        ]
        return [*places, ("the model's notes on this project", self.notes)] if self.notes is not None else places


def load_memory(cwd: Path, home: Path, *, is_trusted: bool = False) -> Memory:
    """Read the memory files that count in `cwd`. Never raises: what cannot be read is reported in the result."""
    return FolderMemory(cwd, home, is_trusted=is_trusted).load()
