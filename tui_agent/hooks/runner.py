"""Runs hooks: those that an event is for, all together, each limited in time, and what each says as an outcome.

A hook that fails has said nothing, unless its settings want its failure to count as a no: it never lets anything through.
Whatever goes wrong is told to the user here, once.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.events import Event, HookEnded, HookStarted, Notice
from tui_agent.hooks.catalog import EVENTS
from tui_agent.hooks.dispatch import HookedUse, end
from tui_agent.hooks.output import BadOutputError, HookOutput, parse_output
from tui_agent.hooks.process import Finished, ProcessGuard, ProcessStartError, run_process
from tui_agent.hooks.registry import Handler, HookRegistry
from tui_agent.hooks.remote_hooks import AskModel, CallError, HttpTerms, ask, post
from tui_agent.text import clean, clean_line, sound_json

__all__ = ["HookInvocation", "HookOutcome", "HookRunner", "HookWorld"]

_BLOCKED: Final = 2  # the exit code that says no
_NOTICE_CHARS: Final = 300
_SAID_NOTHING: Final = HookOutput()

How = Literal["ok", "blocked", "failed", "timeout", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookWorld:
    """What hooks run in. Functions are asked anew each time.

    `folder` is where commands run, `environment` what they get, `variables` what headers may name (keys and tokens too, so
    only those that the settings list). `fits_rule` says whether a permission rule is about a tool use. `mask` takes secrets
    out of what is told.
    """

    publish: Callable[[Event], object]
    folder: Callable[[], str]
    environment: Callable[[], Mapping[str, str]]
    variables: Callable[[], Mapping[str, str]] = dict
    http_terms: Callable[[], HttpTerms] = HttpTerms
    ask_model: AskModel | None = None
    fits_rule: Callable[[str, HookedUse], bool] = lambda _rule, _use: True
    guard: ProcessGuard | None = None
    mask: Callable[[str], str] = str
    fixed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookInvocation:
    """One event as it happened: what its hooks are given, and what their matchers look at (several names of one thing)."""

    event: str
    input: Mapping[str, Any]
    names: tuple[str, ...] = ()
    use: HookedUse | None = None
    limit_s: float | None = None
    env_file: str | None = None

    @property
    def title(self) -> str:
        """How a user reads it: `PreToolUse:Bash`."""
        return f"{self.event}:{clean_line(self.names[0], 60)}" if self.names else self.event


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOutcome:
    """How one hook ended and what it said. `text` is what it printed where that was no JSON; `problem` what went wrong."""

    handler: Handler
    how: How
    said: HookOutput = _SAID_NOTHING
    text: str = ""
    problem: str = ""
    exit_code: int | None = None


class HookRunner:
    """One session's hooks. `close` ends what runs in the background.

    `take_late` gets the outcome of each hook that ran in the background.
    """

    def __init__(
        self, book: HookRegistry, world: HookWorld, take_late: Callable[[HookOutcome, HookInvocation], None]
    ) -> None:
        self.book = book
        self._world = world
        self._take_late = take_late
        self._background: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()
        self._spent: set[str] = set()  # hooks that run once, and have

    def hear(self, book: HookRegistry) -> None:
        """Run these hooks from now on."""
        self.book = book

    def is_heard(self, event: str) -> bool:
        """Whether anybody listens to this event."""
        return any(handler.event == event and not handler.why_not for handler in self.book.handlers)

    async def run(self, occasion: HookInvocation) -> list[HookOutcome]:
        """Run all hooks that this is for and return what they said, in the settings' order.

        Those in the background are only started. A cancelled caller cancels the others.
        """
        running: list[asyncio.Task[HookOutcome]] = []
        for handler in self._meant(occasion):
            if handler.is_async:
                task = asyncio.create_task(self._hear_late(handler, occasion))
                self._background.add(task)
                task.add_done_callback(self._background.discard)
            else:
                running.append(asyncio.create_task(self._hear(handler, occasion)))
        if not running:
            return []
        try:
            await asyncio.wait(running)
        finally:
            await end(running)
        return [task.result() for task in running if not task.cancelled()]

    async def close(self) -> None:
        """End the hooks that run in the background."""
        await end(tuple(self._background))

    def _meant(self, occasion: HookInvocation) -> list[Handler]:
        """Return the handlers this is for; of those that would do the same, the first."""
        meant: dict[tuple[object, ...], Handler] = {}
        for handler in self.book.listening(occasion.event):
            if EVENTS[handler.event].matcher != "none" and not handler.matcher.matches(*occasion.names):
                continue
            if handler.id in self._spent:
                continue
            if handler.rule and occasion.use is not None and not self._world.fits_rule(handler.rule, occasion.use):
                continue
            meant.setdefault(handler.identity, handler)
        self._spent.update(handler.id for handler in meant.values() if handler.is_once)
        return list(meant.values())

    async def _hear_late(self, handler: Handler, occasion: HookInvocation) -> None:
        self._take_late(await self._hear(handler, occasion), occasion)

    async def _hear(self, handler: Handler, occasion: HookInvocation) -> HookOutcome:
        """Run one hook and tell of it. Only being cancelled raises."""
        run_id = f"hook_{uuid.uuid4().hex[:12]}"
        use_id = occasion.use.tool_use_id if occasion.use else ""
        self._world.publish(
            HookStarted(
                run_id=run_id,
                event=occasion.event,
                hook=handler.id,
                name=self._name(handler),
                tool_use_id=use_id,
                message=clean_line(handler.status_message, 200),
                is_background=handler.is_async,
            )
        )
        began = time.perf_counter()
        outcome = HookOutcome(handler=handler, how="cancelled")
        try:
            outcome = await self._outcome(handler, occasion)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a fault of ours must not take what it was to judge with it
            outcome = self._failure(handler, f"{type(error).__name__}: {error}")
        finally:
            self._world.publish(
                HookEnded(
                    run_id=run_id,
                    event=occasion.event,
                    hook=handler.id,
                    tool_use_id=use_id,
                    outcome=outcome.how,
                    exit_code=outcome.exit_code,
                    duration_ms=(time.perf_counter() - began) * 1000,
                    message=self._line(outcome.problem or outcome.said.reason),
                )
            )
        self._tell(outcome, occasion)
        return outcome

    def _tell(self, outcome: HookOutcome, occasion: HookInvocation) -> None:
        handler, said = outcome.handler, outcome.said
        where = f"{clean_line(self._world.mask(handler.what), 120)} ({handler.file}:{handler.line})"
        if outcome.problem:
            text = f"{occasion.title} hook error: {self._line(outcome.problem)}"
            self._world.publish(Notice(level="warning", text=text, hint=where))
        if said.message.strip():
            self._world.publish(
                Notice(
                    level="info",
                    text=clean(self._world.mask(said.message))[:2000].strip(),
                    hint=f"{occasion.title} hook",
                )
            )
        if said.ignored and handler.id not in self._told:
            self._told.add(handler.id)
            fields = ", ".join(f"`{name}`" for name in said.ignored)
            text = f"{occasion.title} hook: {fields} in its output does nothing here"
            self._world.publish(Notice(level="warning", text=text, hint=where))

    def _line(self, text: str) -> str:
        """Return a text on one line, its secrets masked before it is cut: half of one would pass."""
        return clean_line(self._world.mask(text), _NOTICE_CHARS)

    def _name(self, handler: Handler) -> str:
        masked = self._world.mask(handler.what)
        return handler.name if masked == handler.what else clean_line(masked, 60)

    # --- one hook ----------------------------------------------------------------------------------------------------

    async def _outcome(self, handler: Handler, occasion: HookInvocation) -> HookOutcome:
        limit = handler.limit_s if occasion.limit_s is None else min(handler.limit_s, occasion.limit_s)
        body = json.dumps(sound_json(dict(occasion.input)), ensure_ascii=False).encode()
        match handler.type:
            case "command":
                return await self._command(handler, occasion, body, limit)
            case "http":
                calling = post(handler, body, self._world.http_terms(), self._world.variables())
                try:
                    async with asyncio.timeout(limit):
                        answer = await calling
                except TimeoutError:
                    return self._timeout(handler, limit)
                except CallError as error:
                    return self._failure(handler, str(error))
                return self._answered(handler, occasion, answer)
            case "prompt":
                try:
                    async with asyncio.timeout(limit):
                        found = await ask(handler, occasion.input, self._world.ask_model)
                except TimeoutError:
                    return self._timeout(handler, limit)
                except CallError as error:
                    return self._failure(handler, str(error))
                return _judged(handler, found.reason or "the condition does not hold", is_ok=found.is_ok)

    async def _command(self, handler: Handler, occasion: HookInvocation, body: bytes, limit: float) -> HookOutcome:
        folder = self._world.folder()
        if not await asyncio.to_thread(Path(folder).is_dir):
            folder = self._world.fixed.get("CLAUDE_PROJECT_DIR", "/")
        fixed = {**self._world.fixed, **_plugin_variables(handler)}
        environment = {**self._world.environment(), **fixed, "PWD": folder}
        if occasion.env_file is not None:
            environment |= {"CLAUDE_ENV_FILE": occasion.env_file, "TUI_AGENT_ENV_FILE": occasion.env_file}
        try:
            finished = await run_process(
                _argv(handler, fixed),
                stdin=body,
                folder=folder,
                environment=environment,
                timeout_s=limit,
                guard=self._world.guard,
            )
        except ProcessStartError as error:
            return self._failure(handler, str(error))
        return self._ended(handler, occasion, finished, limit)

    def _ended(self, handler: Handler, occasion: HookInvocation, finished: Finished, limit: float) -> HookOutcome:
        """Make an outcome of an exit code and what was printed."""
        if finished.why == "timeout":
            return self._timeout(handler, limit)
        stdout = finished.stdout.decode("utf-8", "replace")
        stderr = finished.stderr.decode("utf-8", "replace").strip()
        code = finished.exit_code
        if finished.why != "exit" or code is None:
            return self._failure(handler, "it printed without end and was stopped")
        try:
            said = parse_output(occasion.event, stdout)
        except BadOutputError as error:
            said = None
            if code != _BLOCKED:
                return self._failure(handler, str(error), code)
        if code == _BLOCKED:
            # what is said of anything else still counts, a yes does not
            said = replace(said or _SAID_NOTHING, decision=None, updated_input=None, updated_output=None, updates=())
            return self._blocked(handler, stderr or said.reason, code, said)
        if said is not None:
            is_no = said.blocks or said.decision == "deny"
            return HookOutcome(handler=handler, how="blocked" if is_no else "ok", said=said, exit_code=code)
        if code == 0:
            return HookOutcome(handler=handler, how="ok", text=stdout.strip(), exit_code=code)
        first = next((line for line in stderr.splitlines() if line.strip()), "")
        return self._failure(handler, first or f"it ended with exit code {code}", code)

    def _blocked(self, handler: Handler, reason: str, code: int, said: HookOutput) -> HookOutcome:
        event = EVENTS[handler.event]
        if event.can_block or handler.wakes:
            said = replace(said, blocks=True, reason=reason)
            return HookOutcome(handler=handler, how="blocked", said=said, exit_code=code)
        if handler.event == "PermissionRequest":
            words = "exit code 2 answers no question; print JSON with a decision instead"
            failed = self._failure(handler, f"{words}. It said: {reason}" if reason else words, code)
            return replace(failed, said=failed.said if failed.how == "blocked" else said)
        return HookOutcome(handler=handler, how="failed", said=said, problem=reason or "exit code 2", exit_code=code)

    def _answered(self, handler: Handler, occasion: HookInvocation, answer: str) -> HookOutcome:
        if not answer.strip():
            return HookOutcome(handler=handler, how="ok")
        try:
            said = parse_output(occasion.event, answer)
        except BadOutputError as error:
            return self._failure(handler, str(error))
        if said is None:
            return self._failure(handler, "it answered with something that is no JSON object")
        return HookOutcome(
            handler=handler, how="blocked" if said.blocks or said.decision == "deny" else "ok", said=said
        )

    def _timeout(self, handler: Handler, limit: float) -> HookOutcome:
        outcome = self._failure(handler, f"it took longer than {limit:g} s and was stopped")
        return outcome if outcome.how == "blocked" else replace(outcome, how="timeout")

    @staticmethod
    def _failure(handler: Handler, problem: str, code: int | None = None) -> HookOutcome:
        """Make an outcome of a failure, which is a no where the hook's settings want that."""
        if not handler.blocks_on_failure:
            return HookOutcome(handler=handler, how="failed", problem=problem, exit_code=code)
        reason = f"the hook {handler.name} failed ({problem}), and is set to block then"
        said = HookOutput(blocks=True, reason=reason, decision="deny")
        return HookOutcome(handler=handler, how="blocked", said=said, problem=problem, exit_code=code)


def _judged(handler: Handler, reason: str, *, is_ok: bool) -> HookOutcome:
    """Make an outcome of the model's answer. A no after the fact ends the turn, unless the hook wants it to go on."""
    if is_ok:
        return HookOutcome(handler=handler, how="ok")
    after = handler.event in {"PostToolUse", "PostToolUseFailure", "PostToolBatch"}
    stops = after and not handler.goes_on_after_block
    decision: Literal["deny"] | None = "deny" if handler.event == "PermissionRequest" else None
    said = HookOutput(blocks=True, reason=reason, decision=decision, stops=stops, stop_reason=reason if stops else "")
    return HookOutcome(handler=handler, how="blocked", said=said)


def _plugin_variables(handler: Handler) -> dict[str, str]:
    return {"CLAUDE_PLUGIN_ROOT": handler.plugin_root} if handler.plugin_root else {}


def _argv(handler: Handler, fixed: Mapping[str, str]) -> Sequence[str]:
    """Return what is run: a shell on the command, or the program itself with its arguments.

    Only there are placeholders filled in here. A shell does that itself, and takes what is in a folder's name for no command.
    """
    if handler.args is not None:
        return [_filled(word, fixed) for word in (handler.command, *handler.args)]
    if handler.shell == "powershell":
        program = shutil.which("pwsh") or "powershell"
        return [program, "-NoProfile", "-NonInteractive", "-Command", handler.command]
    return [handler.shell, "-c", handler.command]


def _filled(word: str, fixed: Mapping[str, str]) -> str:
    for name, value in fixed.items():
        word = word.replace(f"${{{name}}}", value)
    return word
