"""A session's look at what others may have changed: the settings' files, and what git says of the folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tui_agent.engine.gate.sandbox_status import sandbox_label
from tui_agent.engine.hooks.session_hooks import SessionHooks
from tui_agent.engine.session.git_status import GitStatus, git_status
from tui_agent.engine.session.settings_reload import SettingsReloader, changes_between
from tui_agent.engine.session.toggles import SessionToggles
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.events import BranchChanged, Event, SettingsReloaded

__all__ = ["Refresher"]


class Refresher:
    """Brings what it finds into force on `runtime` and tells what is different; after `stop` it does neither.

    `first_git` is what git said when the conversation began, None where nobody has looked yet.
    """

    def __init__(
        self,
        runtime: ToolRuntime,
        reloader: SettingsReloader,
        session_hooks: SessionHooks,
        toggles: SessionToggles,
        publish: Callable[[Event], object],
        *,
        first_git: GitStatus | None,
    ) -> None:
        self._runtime = runtime
        self._reloader = reloader
        self._session_hooks = session_hooks
        self._toggles = toggles
        self._publish = publish
        self.first_git = first_git
        self._git = GitStatus()
        self._is_stopped = False

    def stop(self) -> None:
        """Change nothing and tell nothing from now on: the session ends."""
        self._is_stopped = True

    async def refresh(self) -> None:
        """Look at settings and git again and tell what changed."""
        await self.reload_settings()
        found = await git_status(self._runtime.workspace.root, is_trusted=self._runtime.settings.is_trusted)
        if self.first_git is None:
            self.first_git = found
        if found != self._git and not self._is_stopped:
            self._git = found
            self._publish(BranchChanged(branch=found.branch, changed_files=found.changed_files))

    async def reload_settings(self) -> None:
        """Read the settings and the agent files anew if one has changed, and tell what is different now.

        What is read at the start only (the model, for example) is told as well, and counts in the next session.
        """
        async with self._reloader.one_at_a_time:
            await self._reload_settings()
            await self._runtime.agents.reload()

    async def _reload_settings(self) -> None:
        before = self._runtime.settings
        found = None if self._is_stopped else await self._reloader.changed_since(before)
        if found is None or self._is_stopped:
            return
        if not await self._session_hooks.may_reload(before, found):
            self._runtime.core.settings.replace(replace(before, stamps=found.stamps))
            return
        rules, old_problems = self._runtime.rulebook.in_force, frozenset(self._runtime.problems)
        self._runtime.adopt(found)
        if found.values.mask_secrets != before.values.mask_secrets:
            self._toggles.set_masking(found.values.mask_secrets)
        self._session_hooks.listen()
        changes = changes_between(before, found, rules, self._runtime.rulebook.in_force)
        problems = tuple(problem for problem in self._runtime.problems if problem not in old_problems)
        if changes or problems:
            label = sandbox_label(found.values.sandbox)
            self._publish(SettingsReloaded(problems=problems, changes=changes, sandbox=label))
        if self._runtime.mode.now == "bypassPermissions" and not self._runtime.mode.may_bypass:
            self._runtime.mode.change("default")
