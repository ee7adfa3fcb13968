"""`-p "/context"`: a slash command without a screen. What it finds is printed; nothing goes to the model."""

from __future__ import annotations

import asyncio
import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_agent import slash_commands
from tui_agent.commands import Close, DeleteSession, RunTool, Start
from tui_agent.events import SessionStarted, ToolResultReady
from tui_agent.headless.mcp_text import mcp_lines
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.headless.signals import TerminationSignals
from tui_agent.headless.slash_text import (
    NAME_WIDTH,
    agent_lines,
    context_lines,
    cost_lines,
    hook_lines,
    memory_lines,
    rule_lines,
    session_line,
    setting_lines,
    skill_lines,
    status_lines,
)
from tui_agent.queries import (
    AgentsQuery,
    ContextQuery,
    CostQuery,
    ExportQuery,
    HooksQuery,
    IdleQuery,
    McpQuery,
    McpSettledQuery,
    MemoryQuery,
    PatchQuery,
    PermissionsQuery,
    SessionsQuery,
    SettingsQuery,
    SkillsQuery,
    StateQuery,
    TrialQuery,
)
from tui_agent.slash_hints import hint_for
from tui_agent.text import clean, clean_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tui_agent.boundary import Engine
    from tui_agent.bus import Subscription
    from tui_agent.events import Event
    from tui_agent.slash_commands import SlashCommand

__all__ = ["print_commands", "run_slash_command", "wanted_command"]

_LISTED: Final = 'Run `tui-agent -p "/help"` for those that need no screen.'


def wanted_command(
    prompt: str, *, is_skill: Callable[[str], bool] = lambda _name: False
) -> tuple[SlashCommand, str] | None:
    """Return the slash command that a prompt is, and its argument; None where it is a message for the model.

    So is one that invokes a skill: `is_skill` says whether there is one of a name.

    Raises:
        UsageError: there is no such command, or it needs a screen, as it is or with this argument.
    """
    typed = slash_commands.split(prompt)
    if typed is None:
        return None
    name, argument = typed
    if name.startswith("mcp__"):
        return None  # a prompt of a server, which becomes a message
    command = slash_commands.find(name)
    if command is None and is_skill(name):
        return None
    if command is None:
        raise UsageError(f"/{clean_line(name, 60)}: No matching command.", hint_for(name) or _LISTED)
    if not command.is_headless:
        raise UsageError(f"/{command.name} needs a screen: start tui-agent without -p.", _LISTED)
    match command.name:
        case "cost" if argument:
            raise UsageError("/cost takes no argument here.", "--max-budget-usd limits what one run may cost.")
        case "resume" if argument:
            hint = f'To go on with it here: --resume {clean_line(argument, 60)} -p "your message".'
            raise UsageError("/resume ID needs a screen: start tui-agent without -p.", hint)
        case "help" | "agents" | "context" | "status" | "hooks" | "mcp" | "settings" | "skills" | "memory" if argument:
            raise UsageError(f"/{command.name} takes no argument.", "")
        case _:
            return command, argument


async def run_slash_command(engine: Engine, command: SlashCommand, argument: str, output: CliOutput) -> int:
    """Carry a command out in a session, print what it gives, close the session, and return the exit code.

    A session that was begun for this alone is not kept, so that `--continue` goes on with the one before. One in which a tool
    has run is.

    Raises:
        UsageError: it cannot be carried out with this argument.
    """
    ending = TerminationSignals()
    events = engine.subscribe("slash command")
    begun: list[Event] = []
    try:
        await engine.send(Start())
        begun += events.take()
        match command.name:
            case "tool":
                return await _run_tool(engine, events, argument, output)
            case "patch":
                return await _patch(engine, argument, output)
            case name:
                output.text("\n".join(await _lines(engine, begun, name, argument)))
                return 0
    except asyncio.CancelledError:
        if ending.code is None:
            raise
        return ending.code
    finally:
        await engine.send(Close("done" if ending.code is None else "interrupted"))
        if command.name != "tool" and _is_new(begun):
            await engine.send(DeleteSession(begun[0].session_id))


def _is_new(begun: Sequence[Event]) -> bool:
    started = [event for event in begun if isinstance(event, SessionStarted)]
    return bool(started) and started[-1].source == "startup"


def print_commands(output: CliOutput) -> None:
    """List the commands that need no screen."""
    for command in slash_commands.COMMANDS:
        if command.is_headless:
            output.text(f"{f'/{command.name}':<{NAME_WIDTH}} {command.words}")


async def _lines(engine: Engine, begun: Iterable[Event], name: str, argument: str) -> Iterable[str]:
    """Return what a command prints that only asks. `begun` are the events of the session's beginning."""
    match name:
        case "context":
            return context_lines(await engine.query(ContextQuery()))
        case "cost":
            return cost_lines(await engine.query(CostQuery()), begun)
        case "status":
            state = await engine.query(StateQuery())
            return chain(status_lines(state), cost_lines(await engine.query(CostQuery()), begun))
        case "export":
            return [await _export(engine, argument)]
        case "resume":
            return await _sessions(engine)
        case "permissions":
            return await _permissions(engine, argument)
        case "mcp":
            await engine.query(McpSettledQuery())
            return mcp_lines(await engine.query(McpQuery()))
        case "hooks":
            hooks = await engine.query(HooksQuery())
            return hook_lines(hooks) if hooks is not None else ()
        case "agents":
            agents = await engine.query(AgentsQuery())
            return agent_lines(agents) if agents is not None else ()
        case "memory":
            memory = await engine.query(MemoryQuery())
            return memory_lines(memory) if memory is not None else ()
        case "skills":
            skills = await engine.query(SkillsQuery(is_fresh=True))
            return skill_lines(skills) if skills is not None else ()
        case "settings":
            settings = await engine.query(SettingsQuery())
            return setting_lines(settings) if settings is not None else ()
        case _:
            raise AssertionError(name)


async def _sessions(engine: Engine) -> list[str]:
    own = (await engine.query(StateQuery())).session_id
    found = (await engine.query(SessionsQuery())).sessions
    lines = [session_line(session, has_folder=False) for session in found if session.id != own]
    return lines or ["No recorded sessions here."]


async def _permissions(engine: Engine, command: str) -> Iterable[str]:
    if command:
        from tui_agent.headless.verdict_words import in_words

        call = {"command": command}
        return [in_words("Bash", call, await engine.query(TrialQuery("Bash", call)))]
    report = await engine.query(PermissionsQuery())
    return rule_lines(report) if report is not None else ()


async def _export(engine: Engine, folder: str) -> str:
    from tui_agent.answer_files import write_export

    place = _place((await engine.query(StateQuery())).cwd, folder)
    try:
        export = await engine.query(ExportQuery())
        if export is None:
            raise ValueError("this session is not recorded")
        path = await asyncio.to_thread(write_export, export, place)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the conversation cannot be exported into {clean(str(place))}: {reason}", "") from error
    return f"The conversation was exported to {path}"


async def _patch(engine: Engine, name: str, output: CliOutput) -> int:
    from tui_agent.answer_files import write_patch

    patch = await engine.query(PatchQuery())
    if patch is None:
        output.message("There are no changes to write as a patch.")
        return 1
    said = await write_patch(patch, (await engine.query(StateQuery())).root, name)
    if not said.is_done:
        output.message(said.text, said.hint)
        return 1
    output.text(f"{said.text} {said.hint}".rstrip())
    return 0


async def _run_tool(engine: Engine, events: Subscription, line: str, output: CliOutput) -> int:
    """Run a tool; 1 when its result is an error. Nobody can be asked, so what would ask is denied."""
    await engine.query(McpSettledQuery())  # it may be a tool of a server
    reply = await engine.send(RunTool(line))
    if reply.error:
        raise UsageError(reply.error, "`tui-agent tools list` names the tools.")
    await engine.query(IdleQuery())
    results = [event for event in events.take() if isinstance(event, ToolResultReady)]
    for result in results:
        output.text(_text_of(result.content))
    return int(not results or any(result.is_error for result in results))


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"({block.get('type')})")) for block in content)


def _place(cwd: str, folder: str) -> Path:
    return Path(cwd or ".", os.path.expanduser(folder))  # noqa: PTH111 - may stay as it is
