"""Brings the user's hooks to the points where a session's tool uses listen to others.

What several hooks say is made into one answer here: a no of any counts before a wish to ask, and that before a yes. Nothing but
what a hook really said lets anything through. The events of the session itself are in `session_hooks`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal
from weakref import WeakSet

from tui_agent.engine.hooks.conditions import fits_rule, if_problem
from tui_agent.engine.hooks.env_file import EnvFile
from tui_agent.engine.hooks.inputs import HookInputs, as_content, by_file, suggestions, tool_names, with_changes
from tui_agent.engine.session.command_environment import CommandEnvironment
from tui_agent.events import Event, Notice
from tui_agent.execution.extensions import Extensions, HookedDenial
from tui_agent.execution.results import ResultStore
from tui_agent.hooks.catalog import EVENTS
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.output import HookOutput
from tui_agent.hooks.permission_request import HookedQuestion, PermissionAnswer, PermissionUpdate
from tui_agent.hooks.post_tool_use import HookedResult, PostAnswer
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.hooks.process import ProcessGuard
from tui_agent.hooks.registry import HookRegistry
from tui_agent.hooks.remote_hooks import HttpTerms
from tui_agent.hooks.runner import HookInvocation, HookOutcome, HookRunner, HookWorld
from tui_agent.permissions.path_context import PathContext
from tui_agent.settings.load import HookEntry, Settings
from tui_agent.text import clean_line
from tui_agent.tools.bash import watchdog
from tui_agent.tools.bash.environment import command_environment
from tui_agent.tools.services import AskModel
from tui_agent.tools.task_list import Task
from tui_agent.tools.workspace import Workspace

__all__ = ["HookDispatcher"]

_CONTEXT_CHARS: Final = 10_000  # of what hooks say to the model at one event; the rest goes to a file
_PREVIEW_CHARS: Final = 9_000
_SAID_BEFORE: Final = "A {event} hook says:\n{text}"
_CHANGED: Final = "{path} was changed by a hook after this call; read it again before you edit it."


@dataclass(frozen=True, slots=True)
class _HookSummary:
    """What hooks said of a use, for each of its files where it has several; and the input they want, if any."""

    by_part: Sequence[Sequence[HookOutcome]]
    input: dict[str, Any] | None

    @property
    def outcomes(self) -> list[HookOutcome]:
        """All of it together."""
        return [outcome for outcomes in self.by_part for outcome in outcomes]

    @property
    def is_allowed(self) -> bool:
        """Whether hooks said yes to every part."""
        return all(any(outcome.said.decision == "allow" for outcome in outcomes) for outcomes in self.by_part)

    def first(self, decision: str) -> HookOutput | None:
        """Return the first that decided so."""
        return next((outcome.said for outcome in self.outcomes if outcome.said.decision == decision), None)


class HookDispatcher:
    """One session's hooks.

    `extensions` are the points of tool uses, filled for the hooks there are. `environment` holds the variables that commands
    get; `on_variables` takes those that hooks leave, and `on_late` what came of a hook in the background. With `is_off` no
    hook is heard at all. `mask` takes secrets out of what is for the model. `added` are hooks besides those of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        inputs: HookInputs,
        publish: Callable[[Event], object],
        where: Callable[[], PathContext],
        environment: CommandEnvironment,
        on_variables: Callable[[dict[str, str]], None],
        on_late: Callable[[HookOutcome, HookInvocation], None],
        update_permissions: Callable[[Sequence[PermissionUpdate]], None],
        ask_model: AskModel | None,
        results_dir: Path | None,
        is_off: bool = False,
        mask: Callable[[str], str] = str,
        added: Sequence[HookEntry] = (),
        also: dict[str, tuple[HookEntry, ...]] | None = None,
    ) -> None:
        self._also = {} if also is None else also  # besides those of settings, by what they come with
        self._for_others = partial(
            HookDispatcher,
            where=where,
            environment=environment,
            on_variables=on_variables,
            on_late=on_late,
            update_permissions=update_permissions,
            ask_model=ask_model,
            results_dir=results_dir,
            is_off=is_off,
            mask=mask,
            also=self._also,
        )
        self._others: WeakSet[HookDispatcher] = WeakSet()
        self._added = tuple(added)
        self.inputs = inputs
        self.extensions = Extensions(update_permissions=update_permissions)
        self.publish = publish
        self._settings = settings
        self._is_off = is_off
        self._mask = mask
        self._workspace: Workspace = inputs.workspace
        self._environment = environment
        self._on_variables = on_variables
        self._store = ResultStore(results_dir, publish)
        self._last_folder = self._workspace.cwd
        self._kept = 0
        root = str(settings.project_root)
        session = inputs.session_id
        fixed = {"CLAUDE_PROJECT_DIR": root, "TUI_AGENT_PROJECT_DIR": root, "CLAUDECODE": "1"}
        if session:
            fixed |= {"CLAUDE_CODE_SESSION_ID": session, "TUI_AGENT_SESSION_ID": session}
        world = HookWorld(
            publish=publish,
            folder=lambda: str(self._workspace.cwd),
            environment=self._command_environment,
            variables=lambda: {**os.environ, **environment.variables},
            http_terms=lambda: HttpTerms(
                self._settings.values.allowed_http_hook_urls, self._settings.values.http_hook_allowed_env_vars
            ),
            ask_model=ask_model,
            fits_rule=lambda rule, use: fits_rule(rule, use, where()),
            mask=mask,
            guard=ProcessGuard(watchdog.start, watchdog.watch, watchdog.forget),
            fixed=fixed,
        )
        self.runner = HookRunner(HookRegistry(), world, on_late)
        self.reload(settings)

    @property
    def book(self) -> HookRegistry:
        """All hooks of the settings in force, and what is wrong with any."""
        return self.runner.book

    def reload(self, settings: Settings) -> None:
        """Hear the hooks of these settings from now on."""
        self._settings = settings
        runner = self.runner
        brought = (*(entry for one in self._also.values() for entry in one), *self._added)
        entries = (*settings.hooks, *map(self._counting, brought))
        found = HookRegistry() if self._is_off else HookRegistry.read(entries, rule_problem=if_problem)
        runner.hear(found)
        for other in self._others:
            other.reload(settings)
        hears_after = any(map(runner.is_heard, ("PostToolUse", "PostToolUseFailure", "CwdChanged")))
        self.extensions.hear(
            pre_tool_use=(self._before,) if runner.is_heard("PreToolUse") else (),
            permission_request=(self._question,) if runner.is_heard("PermissionRequest") else (),
            post_tool_use=(self._after,) if hears_after else (),
            permission_denied=self._denied if runner.is_heard("PermissionDenied") else None,
        )

    def for_agent(
        self, inputs: HookInputs, publish: Callable[[Event], object], added: Sequence[HookEntry] = ()
    ) -> HookDispatcher:
        """Return a dispatcher for an agent: it hears the same hooks, and `added`, and changes with the settings."""
        other = self._for_others(self._settings, inputs=inputs, publish=publish, added=added)
        self._others.add(other)
        return other

    def hear_also(self, key: str, entries: Sequence[HookEntry]) -> None:
        """Hear hooks that come with something else than settings, from now on; `key` names it. None ends that."""
        if self._also.get(key, ()) != tuple(entries):
            self._also[key] = tuple(entries)
            self.reload(self._settings)

    def _counting(self, entry: HookEntry) -> HookEntry:
        """Return a hook that comes with something else, held back where settings or trust would hold back one of the user's."""
        values = self._settings.values
        reason = entry.reason
        if not reason and values.disable_all_hooks:
            reason = "hooks are disabled (`disableAllHooks`)"
        elif not reason and values.allow_managed_hooks_only:
            reason = "only the policy's hooks run"
        elif not reason and not self._settings.is_trusted:
            reason = "the folder is not trusted"
        return replace(entry, is_held_back=True, reason=reason) if reason else entry

    async def close(self) -> None:
        """End what still runs in the background."""
        await self.runner.close()

    # --- for any event -----------------------------------------------------------------------------------------------

    async def run(
        self,
        event: str,
        input: Mapping[str, Any],
        *names: str,
        use: HookedUse | None = None,
        limit_s: float | None = None,
    ) -> list[HookOutcome]:
        """Run the hooks of an event; variables that they leave count from now on. Nothing happens where there are none."""
        if not self.runner.is_heard(event):
            return []
        occasion = HookInvocation(event=event, input=input, names=names, use=use, limit_s=limit_s)
        if not EVENTS[event].has_env_file:
            return await self.runner.run(occasion)
        return await self._run_with_variables(occasion)

    async def _run_with_variables(self, occasion: HookInvocation) -> list[HookOutcome]:
        try:
            file = await EnvFile.make()
        except OSError as error:
            text = f"Hooks of {occasion.event} cannot leave variables: {error.strerror or error}"
            self.publish(Notice(level="warning", text=text))
            return await self.runner.run(occasion)
        try:
            outcomes = await self.runner.run(
                HookInvocation(
                    event=occasion.event, input=occasion.input, names=occasion.names, env_file=str(file.path)
                )
            )
            found = await file.variables(self._command_environment())
            if found:
                self._on_variables(found)
            return outcomes
        finally:
            file.remove()

    async def context_of(self, outcomes: Sequence[HookOutcome], *, takes_text: bool = False) -> str:
        """Return what hooks have for the model. More than the model should get at once goes to a file; a preview says so."""
        texts = [outcome.said.context or (outcome.text if takes_text else "") for outcome in outcomes]
        return await self.fit("\n\n".join(text.strip() for text in texts if text.strip()))

    async def fit(self, text: str) -> str:
        """Bring a text within what the model gets at one event, without secrets."""
        text = self._mask(text)
        if len(text) <= _CONTEXT_CHARS:
            return text
        self._kept += 1
        path = await self._store.keep(text, f"hook-{self._kept}")
        where = f"the whole text is in {path}" if path else "the rest could not be kept"
        return (
            f"{text[:_PREVIEW_CHARS]}\n… [{len(text) - _PREVIEW_CHARS:,} of {len(text):,} characters left out; {where}]"
        )

    def stop_reason(self, event: str, outcomes: Sequence[HookOutcome]) -> str | None:
        """Return why the turn is to end, if any hook says so, and tell the user; None where it goes on."""
        stopping = next((outcome for outcome in outcomes if outcome.said.stops), None)
        if stopping is None:
            return None
        reason = clean_line(stopping.said.stop_reason or stopping.said.reason, 1000) or "it gave no reason"
        self.publish(Notice(level="warning", text=f"A {event} hook ended the turn: {reason}"))
        return reason

    def _command_environment(self) -> dict[str, str]:
        given, kept = self._environment.variables, self._environment.kept_names
        return command_environment({**os.environ, **given}, str(self._workspace.cwd), kept=kept)

    # --- tasks -------------------------------------------------------------------------------------------------------

    async def guard_task(self, event: Literal["TaskCreated", "TaskCompleted"], task: Task) -> str | None:
        """Let hooks hear of a task that is made or done; return why they do not want that, None where they do not mind."""
        input = self.inputs.common(event, task_id=task.id, task_subject=task.subject, task_description=task.description)
        outcomes = await self.run(event, input)
        blocking = next((outcome.said for outcome in outcomes if outcome.said.blocks or outcome.said.stops), None)
        return None if blocking is None else blocking.reason or blocking.stop_reason or "a hook refused it"

    # --- tool uses ---------------------------------------------------------------------------------------------------

    async def _hear(self, event: str, use: HookedUse, input_of: Callable[[HookedUse], dict[str, Any]]) -> _HookSummary:
        """Let hooks hear of a use: of each of its files where it has several."""
        parts = by_file(use)
        heard = await asyncio.gather(
            *(self.run(event, input_of(part), *tool_names(use.name), use=part) for part in parts)
        )
        wanted = [
            next((one.said.updated_input for one in outcomes if one.said.updated_input is not None), None)
            for outcomes in heard
        ]
        return _HookSummary(heard, with_changes(use, wanted))

    async def _before(self, use: HookedUse) -> HookAnswer:
        event = "PreToolUse"
        heard = await self._hear(event, use, lambda part: self.inputs.of_use(event, part))
        outcomes = heard.outcomes
        context = await self.context_of(outcomes)
        stop = self.stop_reason(event, outcomes)
        if stop is not None:
            return HookAnswer(behavior="deny", reason=stop, context=context, ends_turn=True)
        denials = [
            outcome.said.reason for outcome in outcomes if outcome.said.blocks or outcome.said.decision == "deny"
        ]
        if denials:
            reason = await self.fit("\n".join(filter(None, denials)))
            return HookAnswer(behavior="deny", reason=reason, context=context)
        found = heard.first("ask") or (heard.first("allow") if heard.is_allowed else None)
        return HookAnswer(
            behavior=found.decision if found else None,
            reason=found.reason if found else "",
            input=heard.input,
            context=context,
        )

    async def _question(self, question: HookedQuestion) -> PermissionAnswer:
        event, use = "PermissionRequest", question.use
        offers = suggestions(question.suggestions)
        heard = await self._hear(
            event, use, lambda part: self.inputs.of_use(event, part, permission_suggestions=offers)
        )
        outcomes = heard.outcomes
        stop = self.stop_reason(event, outcomes)
        if stop is not None:
            return PermissionAnswer(behavior="deny", message=stop, ends_turn=True)
        said = [outcome.said for outcome in outcomes]
        no = [one for one in said if one.decision == "deny"]
        if no:
            message = await self.fit("\n".join(filter(None, (one.reason for one in no))))
            return PermissionAnswer(behavior="deny", message=message, ends_turn=any(one.ends_turn for one in no))
        if not heard.is_allowed:
            return PermissionAnswer()
        updates = tuple(update for one in said if one.decision == "allow" for update in one.updates)
        return PermissionAnswer(behavior="allow", input=heard.input, updates=updates)

    async def _denied(self, denial: HookedDenial) -> bool:
        event, use = "PermissionDenied", denial.use
        heard = await self._hear(event, use, lambda part: self.inputs.of_use(event, part, reason=denial.reason))
        self.stop_reason(event, heard.outcomes)
        return any(outcome.said.retries for outcome in heard.outcomes)

    async def _after(self, result: HookedResult) -> PostAnswer:
        event, use = "PostToolUseFailure" if result.is_error else "PostToolUse", result.use
        files = self.inputs.changed_files(use) if self.runner.is_heard(event) else ()
        before = {file: _stamp(file) for file in files}
        heard = await self._hear(event, use, lambda part: self.inputs.of_result(event, replace(result, use=part)))
        outcomes = heard.outcomes
        stop = self.stop_reason(event, outcomes)
        told = [
            _SAID_BEFORE.format(event=event, text=outcome.said.reason)
            for outcome in outcomes
            if outcome.said.blocks and outcome.said.reason
        ]
        told.append(await self.context_of(outcomes))
        told += [_CHANGED.format(path=file) for file, stamp in before.items() if outcomes and _stamp(file) != stamp]
        told.append(await self._follow_shell())
        output = next(
            (outcome.said.updated_output for outcome in outcomes if outcome.said.updated_output is not None), None
        )
        return PostAnswer(
            context=await self.fit("\n\n".join(filter(None, told))),
            content=None if output is None else as_content(output),
            ends_turn=stop is not None,
        )

    async def _follow_shell(self) -> str:
        """Tell hooks that the shell stands in another folder now."""
        old, self._last_folder = self._last_folder, self._workspace.cwd
        if old == self._last_folder:
            return ""
        event = "CwdChanged"
        outcomes = await self.run(event, self.inputs.common(event, old_cwd=str(old), new_cwd=str(self._last_folder)))
        return await self.context_of(outcomes)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
