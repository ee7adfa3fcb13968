"""The commands that are typed after `/`: those of all front ends, and a few that only lines of text need."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_agent import slash_commands
from tui_agent.commands import (
    AddRule,
    ConfirmSettings,
    ManageMcpServer,
    McpAction,
    MoveToBackground,
    ReloadSettings,
    RenameSession,
    RunTool,
    StopJob,
    StopTool,
    Submit,
    TakeBack,
)
from tui_agent.headless.mcp_text import mcp_lines
from tui_agent.headless.slash_text import (
    agent_lines,
    context_lines,
    cost_lines,
    hook_lines,
    memory_lines,
    rule_lines,
    setting_lines,
    skill_lines,
    status_lines,
)
from tui_agent.headless.verdict_words import in_words
from tui_agent.linear.asker import Choice
from tui_agent.linear.diff_words import change_summary, hunk_lines
from tui_agent.linear.sessions import choose_session
from tui_agent.linear.switches import Switches
from tui_agent.linear.undo import undo_file
from tui_agent.linear.withheld import withheld_lines
from tui_agent.linear.work import WorkCommands
from tui_agent.queries import (
    AgentsQuery,
    ChangesQuery,
    ContextQuery,
    CostQuery,
    ExportQuery,
    HooksQuery,
    McpQuery,
    MemoryQuery,
    PatchQuery,
    PermissionsQuery,
    SessionQuery,
    SettingsQuery,
    SkillsQuery,
    StateQuery,
    TrialQuery,
    WithheldQuery,
)
from tui_agent.slash_hints import hint_for
from tui_agent.slash_prompts import PROMPTS, prompt_of
from tui_agent.text import clean, clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui_agent.commands import Reply
    from tui_agent.linear.front import Front
    from tui_agent.linear.reporter import Use
    from tui_agent.queries import SkillList

__all__ = ["SlashRunner"]

_OWN: Final = (
    ("show [number]", "show the whole result of a tool use: of the last one, or of the one with this number"),
    ("queue [take]", "take back the messages that wait"),
    ("stop [number | JOB]", "stop the tool use with this number, or a background job; the turn goes on"),
    ("background [number]", "let a running command go on in the background"),
    ("undo [file]", "take back what this session did to a file"),
    ("diff", "show what this session has changed in files"),
    ("todo", "show the model's tasks"),
)
_MCP_ACTIONS: Final[dict[str, McpAction]] = {
    "reconnect": "reconnect",
    "enable": "enable",
    "disable": "disable",
    "approve": "approve",
    "login": "sign_in",
    "logout": "sign_out",
}
# What does something else here than in the app.
_DIFFERENT: Final = {"copy": "copy the last reply, or an earlier one; written out where there is no clipboard program"}
_SCREEN_ONLY: Final = {
    "theme": "Linear mode has no colours. The theme is for the app.",
    "vim": "Lines are edited by your terminal here. Vi keys are for the app's prompt.",
    "keybindings": "Key bindings are for the app. Here Ctrl+C interrupts, and Ctrl+D leaves.",
}
# Where the app's hint names a key or a screen of the app's.
_HINTS: Final = {
    "rewind": "/undo takes file changes back.",
    "checkpoint": "/undo takes file changes back.",
    "tui": "This is linear mode. tui-agent without --linear is the full-screen app.",
    "terminal-setup": "Nothing needs to be set up: a line that ends with \\ goes on.",
    "recap": "/status sums the session up.",
    "ide": "There is no editor integration yet.",
}
_HELP: Final = """\
Type a message and press Enter to send it. What you type while the model works is queued.
A line that ends with \\ goes on; \"\"\" alone on a line begins and ends a message of several lines.
Lines that are pasted together are one message.
@path attaches a file. !command runs a command of your own in the shell.
Ctrl+C interrupts, twice quits. Ctrl+D on an empty line quits.
At a question, type the number or the word of an answer; ? shows the question again.
Commands:"""


class SlashRunner:
    """Carries commands out in `session`. `list_models` gives the names of models that can be chosen, with words on them."""

    def __init__(self, session: Front, *, list_models: Callable[[], list[tuple[str, str]]]) -> None:
        self._session = session
        self._say = session.reporter.say
        switches = Switches(session, list_models)
        self._doers: dict[str, Callable[[str], object]] = {
            "help": self._help,
            "quit": lambda _: session.leave(0),
            "tasks": self._tasks,
            "tool": lambda line: session.engine.send(RunTool(line)).then(self._told),
            "show": self._show,
            "queue": self._queue,
            "stop": self._stop,
            "background": self._background,
            "todo": self._todo,
            "rename": self._rename,
            **{name: partial(self._prompt, name) for name in PROMPTS},
            **switches.doers,
        }
        self._dialogs: dict[str, Callable[[str], Coroutine[Any, Any, None]]] = {
            "permissions": self._permissions,
            "hooks": lambda _: self._list(HooksQuery(), hook_lines),
            "mcp": self._mcp,
            "settings": self._settings,
            "agents": lambda _: self._list(AgentsQuery(), agent_lines),
            "memory": lambda _: self._list(MemoryQuery(), memory_lines),
            "skills": lambda _: self._list(SkillsQuery(is_fresh=True), skill_lines),
            "trust": self._trust,
            "status": self._status,
            "cost": self._cost,
            "context": lambda _: self._list(ContextQuery(), context_lines),
            "clear": session.begin_anew,
            "resume": self._resume,
            "login": lambda _: session.sign_in(),
            "logout": lambda _: session.sign_out(),
            "export": self._export,
            "patch": self._patch,
            "diff": self._diff,
            "undo": lambda name: undo_file(session.engine, session.asker, name, base=session.reporter.base),
            **switches.dialogs,
            **WorkCommands(session).dialogs,
        }

    def run(self, name: str, argument: str = "") -> None:
        """Carry out a command, or say that there is none of this name."""
        command = slash_commands.find(name)
        known = command.name if command is not None else name
        if known in _SCREEN_ONLY:
            self._say(_SCREEN_ONLY[known])
        elif known in self._doers:
            self._doers[known](argument)
        elif known in self._dialogs:
            self._session.start_dialog(self._dialogs[known](argument))
        elif known.startswith("mcp__"):
            self._session.engine.send(Submit(f"/{name} {argument}".rstrip()))  # a prompt of a server
        elif command is not None:
            self._say(f"/{command.name} is for the app: start tui-agent without --linear.")
        else:
            found = self._session.engine.query(SkillsQuery(is_fresh=True))
            found.then(partial(self._invoke, name, argument))

    def _invoke(self, name: str, argument: str, found: SkillList | None) -> None:
        """Invoke a skill of the session's, which the engine puts in the place of the message; or say that there is none."""
        if found is not None and found.takes(name):
            self._session.engine.send(Submit(f"/{name} {argument}".strip())).then(self._told)
        elif hint := _HINTS.get(name) or hint_for(name):
            self._say(f"There is no /{name} here. {hint}")
        else:
            self._say(f"No command is named /{clean_line(name, 60)}. /help lists the commands.")

    def _told(self, reply: Reply[Any]) -> None:
        if reply.error:
            self._say(clean_line(reply.error, 1000))

    # --- at once -----------------------------------------------------------------------------------------------------

    def _help(self, _argument: str) -> None:
        self._say(_HELP)
        for command in slash_commands.COMMANDS:
            if command.name in self._doers or command.name in self._dialogs:
                words = _DIFFERENT.get(command.name)
                argument = f" {command.argument}" if command.argument else ""
                self._say(f"/{command.name}{argument}: {words or command.words}")
        for name, words in _OWN:
            if slash_commands.find(name.partition(" ")[0]) is None:
                self._say(f"/{name}: {words}")

    def _prompt(self, name: str, more: str) -> None:
        self._session.engine.send(Submit(prompt_of(name, more))).then(self._told)

    def _rename(self, title: str) -> None:
        if title:
            self._session.engine.send(RenameSession(title)).then(self._told)
        else:
            self._say("/rename NAME names this session; /resume lists it by that.")

    def _tasks(self, _argument: str) -> None:
        jobs = self._session.reporter.jobs
        for job_id, command in jobs.items():
            self._say(f"Background job {clean_line(job_id, 40)}: running, {clean_line(command, 200)}")
        self._say("/stop JOB stops one." if jobs else "No background jobs.")

    def _stop(self, what: str) -> None:
        jobs = self._session.reporter.jobs
        use = self._running(what)
        if not what and use is None and len(jobs) == 1:
            what = next(iter(jobs))
        if what in jobs:
            self._session.engine.send(StopJob(what)).then(self._told)
        elif use is not None:
            self._session.engine.send(StopTool(use.tool_use_id)).then(self._told)
        else:
            self._say("Give the number of a tool use that runs, or the name of a background job: /tasks lists those.")

    def _background(self, argument: str) -> None:
        use = self._running(argument)
        if use is None:
            self._say("Give the number of a command that runs.")
        else:
            self._session.engine.send(MoveToBackground(use.tool_use_id)).then(self._told)

    def _running(self, argument: str) -> Use | None:
        """Return the running tool use with this number, or the only one."""
        running = self._session.reporter.running
        if not argument:
            return running[0] if len(running) == 1 else None
        return next((use for use in running if str(use.number) == argument), None)

    def _show(self, argument: str) -> None:
        number = int(argument) if argument.isascii() and argument.isdigit() and len(argument) < 9 else None
        use = self._session.reporter.use(number)
        if argument and number is None:
            self._say("/show takes the number of a tool use.")
        elif use is None:
            self._say(f"There is no tool use {number}." if number is not None else "No tool has a result yet.")
        elif use.result is None:
            self._say(f"Tool {use.number} has no result yet.")
        else:
            self._say(f"Result of tool {use.number}:")
            for line in clean(use.result).rstrip("\n").split("\n"):
                self._session.asker.console.line(line)

    def _queue(self, _argument: str) -> None:
        def tell(reply: Reply[Any]) -> None:
            taken = reply.ok.drafts if reply.ok is not None else ()
            for draft in taken:
                self._say(f"Taken back: {draft.text}")
            if not taken:
                self._say("No message waits.")

        self._session.engine.send(TakeBack()).then(tell)

    def _todo(self, _argument: str) -> None:
        from tui_agent.linear.event_words import task_lines

        lines = list(task_lines(self._session.reporter.tasks))
        for line in lines or ["The model has no tasks."]:
            self._say(line)

    # --- with an answer of the engine's ------------------------------------------------------------------------------

    def _lines(self, lines: Iterable[str]) -> None:
        self._session.asker.say_all(lines)

    async def _mcp(self, argument: str) -> None:
        """List the servers, or do something with one: `/mcp reconnect NAME`."""
        action, _, name = argument.partition(" ")
        if not action:
            await self._list(McpQuery(), mcp_lines)
        elif action in _MCP_ACTIONS and name.strip():
            reply = await self._session.engine.send(ManageMcpServer(name.strip(), _MCP_ACTIONS[action]))
            self._say(clean_line(reply.error, 500) if reply.error else f"{clean_line(name, 60)}: done.")
        else:
            self._say(f"/mcp expects one of {', '.join(_MCP_ACTIONS)}, and a server's name.")

    async def _list(self, query: Any, lines: Callable[[Any], Iterable[str]]) -> None:  # noqa: ANN401 - each query has an answer of its own
        found = await self._session.engine.query(query)
        self._lines(lines(found) if found is not None else ["There is nothing to list here."])

    async def _status(self, _argument: str) -> None:
        state = await self._session.engine.query(StateQuery())
        self._lines([f"session {state.session_id}", *status_lines(state)])
        await self._list(CostQuery(), lambda report: cost_lines(report, self._session.reporter.usage))

    async def _cost(self, argument: str) -> None:
        from tui_agent.linear.switches import spending_limit

        if not argument:
            await self._list(CostQuery(), lambda report: cost_lines(report, self._session.reporter.usage))
            return
        word, _, amount = argument.partition(" ")
        command = spending_limit(amount) if word == "limit" else None
        if command is None:
            self._session.asker.say("/cost takes nothing, or: limit 5 (US dollars), limit off.")
        else:
            self._told(await self._session.engine.send(command))

    async def _settings(self, _argument: str) -> None:
        await self._session.engine.send(ReloadSettings())
        await self._list(SettingsQuery(), setting_lines)

    async def _permissions(self, argument: str) -> None:
        """List rules, try a command, or add a rule: `/permissions allow|ask|deny RULE`."""
        engine, asker = self._session.engine, self._session.asker
        word, _, rest = argument.partition(" ")
        if word in ("allow", "ask", "deny") and rest:
            reply = await engine.send(AddRule(rest.strip(), word))  # type: ignore[arg-type]
            asker.say(clean_line(reply.error, 500) if reply.error else f"This session: {word} {clean_line(rest, 300)}")
        elif argument:
            call = {"command": argument}
            asker.say(in_words("Bash", call, await engine.query(TrialQuery("Bash", call))))
        else:
            await self._list(PermissionsQuery(), rule_lines)
            asker.say(
                "/permissions COMMAND says what a command would get; /permissions allow RULE adds a rule for this session."
            )

    async def _trust(self, _argument: str) -> None:
        report = await self._session.engine.query(WithheldQuery())
        asker = self._session.asker
        if report is None or not report.is_trusted:
            asker.say("This folder is not trusted. Start tui-agent here again to be asked about it.")
        elif not report.hashes:
            asker.say("Nothing in this folder's settings is held back.")
        else:
            choices = [
                Choice("yes", "Yes, let these settings count", ("y",)),
                Choice("no", "No, leave them out", ("n",)),
            ]

            def show() -> None:
                asker.say("You trust this folder. Its settings now also ask for the following:")
                asker.say_all(withheld_lines(report.settings, report.project_root))

            if await asker.choose(choices, show=show) == "yes":
                self._told(await self._session.engine.send(ConfirmSettings(report.hashes)))

    async def _resume(self, session_id: str) -> None:
        engine, asker = self._session.engine, self._session.asker
        if session_id:
            info = await engine.query(SessionQuery(session_id))
            if info is None:
                asker.say(f"No conversation found with session ID: {clean_line(session_id, 60)}. /resume lists them.")
        else:
            info = await choose_session(engine, asker, current=self._session.session_id)
        if info is not None:
            await self._session.switch(info.id, Path(info.cwd))

    async def _export(self, folder: str) -> None:
        from tui_agent.answer_files import write_export

        state = await self._session.engine.query(StateQuery())
        place = Path(state.cwd or ".", os.path.expanduser(folder))  # noqa: ASYNC240, PTH111 - reads no file
        export = await self._session.engine.query(ExportQuery())
        try:
            if export is None:
                raise ValueError("this session is not recorded")
            path = await asyncio.to_thread(write_export, export, place)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self._session.asker.say(f"The conversation cannot be exported to {place}: {reason}")
        else:
            self._session.asker.say(f"The conversation was exported to {path}")

    async def _patch(self, name: str) -> None:
        from tui_agent.answer_files import write_patch

        patch = await self._session.engine.query(PatchQuery())
        if patch is None:
            self._session.asker.say("There are no changes to write as a patch.")
            return
        said = await write_patch(patch, (await self._session.engine.query(StateQuery())).root, name)
        self._session.asker.say(f"{said.text} {said.hint}".rstrip())

    async def _diff(self, _argument: str) -> None:
        report = await self._session.engine.query(ChangesQuery())
        asker, base = self._session.asker, self._session.reporter.base
        if report is None or not report.files:
            asker.say("This session has changed no files.")
            return
        for file in report.files:
            if file.change is None:
                asker.say(f"{clean_line(file.path, 300)}: {clean_line(file.problem, 300)}")
                continue
            asker.say(change_summary(file.change, base) + (", also changed by others" if file.is_others else ""))
            for hunk in file.change.hunks:
                asker.say_all(hunk_lines(hunk))
