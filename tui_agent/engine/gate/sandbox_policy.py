"""What a confined command may do in this session, from its settings and rules.

Two kinds of confinement come out of a decision. A command that is known to only read may write nothing but a folder that goes
with it, and has no network. With the sandbox enabled, others may write in the working folders and a temporary folder of the
session, less what other programs obey: settings, hooks, files that shells read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from tui_agent.engine.gate.sandbox_protection import SandboxProtection, repositories
from tui_agent.engine.gate.sandbox_rules import denied_files, named_paths
from tui_agent.engine.gate.sandbox_status import no_sandbox
from tui_agent.engine.gate.secrets_in_work import GitAttributes, SecretFilesHidden
from tui_agent.git_config import git_folders
from tui_agent.permissions.hard_links import HardLinkFinder, OutsideLinkFinder
from tui_agent.permissions.matching_files import MatchingFiles, TooManyFilesError
from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import Confinement, PerCommand, ReadOnlyWithSockets, SingleConfinement
from tui_agent.sandbox.confined import Confined, Unconfined
from tui_agent.sandbox.find import find_sandbox
from tui_agent.sandbox.launchers import ConfinedCommands
from tui_agent.sandbox.limits import Sandbox, SandboxLimits
from tui_agent.sandbox.path_overlays import outermost
from tui_agent.sandbox.visible import home_secrets, system_secrets, visible_places
from tui_agent.settings.load import Settings
from tui_agent.settings.schema import SandboxValues
from tui_agent.tools.base import ToolError

__all__ = ["SandboxPolicy"]

_READ_ONLY: Final = (
    "nothing could be written, there was no network, and outside of the working folders only the system could be read"
)
_EDITS: Final = "only the working folders could be changed, without what is protected there, and there was no network"


class SandboxPolicy:
    """Works out the limits of commands. `where` and `rules` are those of the moment.

    `on_cannot_hide` is told why not every file that rules forbid to read can be hidden, when that is found out.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        rules: Callable[[], RuleSet],
        where: Callable[[], PathContext],
        find: Callable[[], Sandbox | None] = find_sandbox,
        on_cannot_hide: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._where = where
        self._find = find
        self._temp = ""
        self._denied = MatchingFiles()
        self._kept = MatchingFiles()
        self._denied_again = HardLinkFinder()
        self._kept_again = HardLinkFinder()
        self._outside = OutsideLinkFinder()
        self._protecting = SandboxProtection()
        self._secrets_in_work = SecretFilesHidden()
        self._attributes = GitAttributes()
        self._on_cannot_hide = on_cannot_hide
        self._others: weakref.WeakSet[SandboxPolicy] = weakref.WeakSet()

    def elsewhere(self, where: Callable[[], PathContext]) -> SandboxPolicy:
        """Return the policy for work that has folders and a shell of its own; it changes with the settings as this one does."""
        other = SandboxPolicy(
            self._settings, rules=self._rules, where=where, find=self._find, on_cannot_hide=self._on_cannot_hide
        )
        self._others.add(other)
        return other

    def replace(self, settings: Settings) -> None:
        """Take settings that were read anew."""
        self._settings = settings
        for other in self._others:
            other.replace(settings)

    def confine(
        self, confinement: Confinement | None, readable: tuple[str, ...] | None = None, is_searching: bool = False
    ) -> Confined | ConfinedCommands | Unconfined | None:
        """Return how a command that was let through is to run; None for with the user's own rights. Blocks for a moment.

        `readable` is what it may read besides the working folders, where that is limited, and `is_searching` that it names not
        all that it reads: see `Verdict`.

        Raises:
            ToolError: it must not run like that, or not at all, for want of a sandbox.
        """
        values = self._settings.values.sandbox
        sandbox = self._find()
        if sandbox is None:
            if values.enabled and values.fail_if_unavailable:
                raise ToolError(f"The command was not run: {no_sandbox()} and `sandbox.failIfUnavailable` is set.")
            return self._unheld(confinement, is_agreed=values.read_only_without)
        if confinement is None:
            return None
        rules, where = self._rules(), self._where()
        if not isinstance(confinement, PerCommand):
            return self._single(confinement, sandbox, rules, where, readable, is_searching=is_searching)
        known = {
            one: self._single(one, sandbox, rules, where, readable, is_searching=is_searching)
            for _, one in confinement.confined
        }
        commands = tuple((start, known[one]) for start, one in confinement.confined)
        return ConfinedCommands(confinement.source, commands)

    def _unheld(self, confinement: Confinement | None, *, is_agreed: bool) -> ConfinedCommands | Unconfined | None:
        """Return how a command runs where there is no sandbox; `is_agreed` is that what only reads may run all the same.

        Raises:
            ToolError: it was let through only as it would be held.
        """
        if confinement is None:
            return None
        parts = confinement.confined if isinstance(confinement, PerCommand) else ((0, confinement),)
        if not is_agreed or not all(one == "read_only" or isinstance(one, ReadOnlyWithSockets) for _, one in parts):
            raise ToolError(f"The command was not run: {no_sandbox()}.")
        unheld = Unconfined(self._where().folders, self._attributes.file())
        if not isinstance(confinement, PerCommand):
            return unheld
        return ConfinedCommands(confinement.source, tuple((start, unheld) for start, _ in parts))

    def _single(
        self,
        confinement: SingleConfinement,
        sandbox: Sandbox,
        rules: RuleSet,
        where: PathContext,
        readable: tuple[str, ...] | None,
        *,
        is_searching: bool,
    ) -> Confined:
        values = self._settings.values.sandbox
        if confinement == "edits":
            return self._editing(sandbox, rules, where, readable)
        if confinement != "workspace":
            limits = self._read_only_limits(confinement, rules, where, readable)
            if is_searching and readable is not None:
                hidden = self._secrets_in_work.find(outermost((*where.folders, *_project(where))), rules, where)
                emptied = tuple(path for path in hidden if path not in limits.unreadable)  # no rule forbids these
                limits = replace(limits, unreadable=(*limits.unreadable, *emptied), emptied=emptied)
            return Confined(
                sandbox=sandbox,
                limits=limits,
                git_attributes="" if readable is None else self._attributes.file(),
                summary=_READ_ONLY,
                neutral_in=where.folders,
                places=lambda command: visible_places(where.home, os.environ, command),
                may_leave=values.allow_unsandboxed_commands,
            )
        limits, summary = self._working(values, rules, where)
        return Confined(
            sandbox=sandbox,
            limits=limits,
            summary=summary,
            temp=self._temp_folder(),
            may_leave=values.allow_unsandboxed_commands,
            neutral_in=None if where.is_trusted else where.folders,
            watch=None if values.filesystem.disabled else lambda: self._protecting.watch(where.folders, where),
        )

    def _editing(
        self, sandbox: Sandbox, rules: RuleSet, where: PathContext, readable: tuple[str, ...] | None
    ) -> Confined:
        """Return how accepted edits run: they may change the working folders less what is protected there, whatever else.

        What the user lets other commands write in the sandbox, and its network, are not for them. Where single files cannot be
        protected the decision has seen to it that the command names none.
        """
        hidden, again = self._hidden(rules, where, readable or ())
        writable = tuple(dict.fromkeys(where.folders))
        # Of the rest they see no more than what reads does: what is copied into the work can be read there.
        visible = tuple(dict.fromkeys((*writable, *where.free_reads, *again, *(readable or ()))))
        unwritable: tuple[str, ...] = ()
        if sandbox.holds_inside:
            protected = self._protected(writable, where, with_programs=False)
            unwritable = (
                *named_paths(rules, "deny", "Edit", where),
                *protected,
                *self._kept_files(rules, writable, where),
            )
        limits = SandboxLimits(
            writable=writable,
            unwritable=tuple(dict.fromkeys(unwritable)),
            visible=visible,
            unreadable=hidden,
            readable=again,
        )
        may_leave = self._settings.values.sandbox.allow_unsandboxed_commands
        return Confined(
            sandbox=sandbox,
            limits=limits,
            summary=_EDITS,
            may_leave=may_leave,
            neutral_in=where.folders,
            places=lambda command: visible_places(where.home, os.environ, command),
            watch=lambda: self._protecting.watch(writable, where),
        )

    def _working(self, values: SandboxValues, rules: RuleSet, where: PathContext) -> tuple[SandboxLimits, str]:
        network = values.network.enabled or "*" in values.network.allowed_domains
        without = "" if network else " and there was no network"
        if values.filesystem.disabled:
            limits = SandboxLimits(writable=("/",), network=network, unix_sockets=values.network.allow_all_unix_sockets)
            return limits, "there was no network" if not network else "local sockets were out of reach"
        paths = self._settings.sandbox_paths
        named = (*paths.allow_write, *named_paths(rules, "allow", "Edit", where), *repositories(where))
        writable = tuple(dict.fromkeys((*where.folders, *named)))
        # what is installed brings programs, and needs the network
        protected = self._protected(writable, where, with_programs=not network)
        unwritable = (*paths.deny_write, *named_paths(rules, "deny", "Edit", where), *protected)
        if any(rule.specifier is None and rule.is_for("Edit") for rule in rules.deny):
            writable = ()
        linked = self._outside.find(outermost(writable))
        unwritable += (*self._kept_files(rules, writable, where), *linked)
        hidden, readable = self._hidden(rules, where, ())
        limits = SandboxLimits(
            writable=writable,
            unwritable=tuple(dict.fromkeys(unwritable)),
            network=network,
            unix_sockets=values.network.allow_all_unix_sockets,
            unreadable=hidden,
            readable=readable,
        )
        less = " (but no file in them that has another name outside)" if linked else ""
        return limits, f"only the working folders{less} and $TMPDIR could be written{without}"

    def _protected(self, writable: Iterable[str], where: PathContext, *, with_programs: bool) -> tuple[str, ...]:
        """Return the protected places in what may be written.

        Raises:
            ToolError: there are too many files to find all names of one that has several.
        """
        try:
            return self._protecting.places(writable, where, with_programs=with_programs)
        except TooManyFilesError as error:
            reason = f"a protected file has other names, which cannot all be found: {error}"
            raise ToolError(f"The command was not run: {reason}.") from error

    def _kept_files(self, rules: RuleSet, writable: Iterable[str], where: PathContext) -> tuple[str, ...]:
        """Return the files that rules forbid to edit by patterns.

        Raises:
            ToolError: there are too many to keep them all.
        """
        try:
            roots = outermost(writable)
            found = denied_files(self._kept, rules, "Edit", roots, where)
            named = named_paths(rules, "deny", "Edit", where)
            return (*found, *self._kept_again.find((*found, *named), roots))
        except TooManyFilesError as error:
            reason = f"not every file that rules forbid to edit can be kept from it: {error}"
            raise ToolError(f"The command was not run: {reason}.") from error

    def _read_only_limits(
        self,
        confinement: SingleConfinement,
        rules: RuleSet,
        where: PathContext,
        readable: tuple[str, ...] | None,
    ) -> SandboxLimits:
        """Return the limits of a command that only looks.

        Raises:
            ToolError: what rules forbid to read cannot be told apart from the rest.
        """
        is_listed = readable is not None
        sockets = _sockets(confinement, where) if isinstance(confinement, ReadOnlyWithSockets) else ()
        hidden, again = self._hidden(rules, where, readable or (), with_secrets=is_listed)
        visible = None
        if readable is not None:
            work = (*where.folders, *_project(where), *where.free_reads)
            git = (path for folder in where.folders for path in git_folders(folder))
            visible = tuple(dict.fromkeys((*work, *git, *again, *readable)))
        return SandboxLimits(is_read_only=True, visible=visible, sockets=sockets, unreadable=hidden, readable=again)

    def _hidden(
        self, rules: RuleSet, where: PathContext, readable: tuple[str, ...], *, with_secrets: bool = True
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what may not be read, and what inside of that may.

        Raises:
            ToolError: see `_read_only_limits`.
        """
        paths = self._settings.sandbox_paths
        secrets: list[str] = []
        if with_secrets:
            secrets = self._secrets(where, (*readable, *paths.allow_read))
        roots = outermost((*where.folders, *_project(where), *readable))
        try:
            found = denied_files(self._denied, rules, "Read", roots, where)
            found = (*paths.deny_read, *named_paths(rules, "deny", "Read", where), *found)
            again = self._denied_again.find(found, roots)
        except TooManyFilesError as error:
            reason = f"not every file that rules forbid to read can be hidden: {error}"
            self._on_cannot_hide(reason)
            raise ToolError(f"The command was not run: {reason}. Call it again: then the user is asked.") from error
        hidden = (*found, *again, *secrets)
        return tuple(dict.fromkeys(hidden)), paths.allow_read

    def _secrets(self, where: PathContext, named: Iterable[str]) -> list[str]:
        """Return the places of keys that no command needs to see unless it is about those."""
        faces = [face for path in named for face in where.faces(path)]
        places = (*home_secrets(where.home), *system_secrets())
        return [path for path in places if not any(is_within(one, path) for one in faces)]

    def _temp_folder(self) -> str:
        """Return the session's folder for temporary files, which goes when the session is forgotten or the program ends."""
        if not os.path.isdir(self._temp):  # noqa: PTH112
            self._temp = tempfile.mkdtemp(prefix="tui-agent-tmp-")
            weakref.finalize(self, shutil.rmtree, self._temp, ignore_errors=True)
        return self._temp


def _sockets(confinement: ReadOnlyWithSockets, where: PathContext) -> tuple[str, ...]:
    """Return the sockets of a program of this machine as paths."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    found: list[str] = []
    for path in confinement.sockets:
        if path.startswith("~/"):
            found.append(where.home + path[1:])
        elif path.startswith("$XDG_RUNTIME_DIR/"):
            found += [runtime + path.removeprefix("$XDG_RUNTIME_DIR")] if runtime.startswith("/") else []
        else:
            found.append(path)
    return tuple(found)


def _project(where: PathContext) -> tuple[str, ...]:
    """Return the top of the checkout that the session's folder lies in, which git looks at; not if home lies in that."""
    return () if is_within(where.home, where.project_root) else (where.project_root,)
