"""The command line: arguments in, a front end out, an exit code back.

Everything heavy is imported where it is used: the app reaches its first frame without the engine, and commands run without
a widget. Whatever goes wrong ends as one line on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.headless import commands
from tui_agent.headless.answer import print_answer
from tui_agent.headless.arguments import UsageError, parse_arguments
from tui_agent.headless.options import session_options, working_folder
from tui_agent.headless.output import Output

if TYPE_CHECKING:
    from tui_agent.agent.opening import SessionOptions
    from tui_agent.model.demo.demo import Demo
    from tui_agent.session import Session
    from tui_agent.ui.engine import Lobby
    from tui_agent.ui.entrance import Entrance

__all__ = ["run"]

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 128 + signal.SIGINT
_PATIENCE_S: Final = 5.0  # from the signal to end until the process does, whatever hangs


def run(argv: Sequence[str]) -> int:
    """Do what the command line says and return the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    output = Output()
    options: argparse.Namespace | None = None
    try:
        options = parse_arguments(argv)
        _start_log(output, is_kept=options.debug)
        return _dispatch(options, output)
    except UsageError as error:
        output.message(error.message, error.hint)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.abandon()
        return FAILED
    except Exception as error:  # the last net: a fault is one line too, unless its place is asked for
        if options is not None and options.debug:
            raise
        output.message(f"{type(error).__name__}: {error}", "This is a fault in tui-agent; --debug shows where.")
        return FAILED


def _dispatch(options: argparse.Namespace, output: Output) -> int:
    if options.cwd is not None and not options.cwd.is_dir():
        raise UsageError(f"--cwd {options.cwd}: there is no such folder", "")
    match options.command:
        case "":
            return _converse(options, output)
        case "tools list" | "tools schema":
            return commands.show_tools(options, output)
        case "tools words":
            from tui_agent.headless.words import show_words

            return show_words(options.line, options.env, output)
        case "tools run":
            return asyncio.run(commands.run_tools(options, output))
        case "permissions explain":
            return asyncio.run(commands.explain(options, output))
        case "sessions list":
            from tui_agent.headless.sessions import print_sessions

            return print_sessions(None if options.all else working_folder(options), output, as_json=options.json)
        case "replay":
            return _replay(options)
        case _:
            from tui_agent.headless.doctor import print_findings

            return print_findings(working_folder(options), options.settings, output)


def _converse(options: argparse.Namespace, output: Output) -> int:
    """Talk to a model: in the app, or by `-p`."""
    if options.demo == "list":
        return commands.list_scenarios(output)
    if options.print is None:
        _require_terminal()
    elif options.prompt is None and options.demo is None and sys.stdin.isatty():
        raise UsageError("-p needs a message", 'For example: tui-agent -p "what does this project do?"')
    demo = _start_demo(options.demo) if options.demo is not None else None
    if options.print is None:
        return _open_app(options, demo)
    try:
        return print_answer(options, demo, output)
    finally:
        if demo is not None:
            demo.close()


def _start_demo(name: str) -> Demo:
    from tui_agent.model.demo.demo import start_demo
    from tui_agent.model.demo.scenario import ScenarioError

    try:
        return start_demo(name) if name else start_demo()
    except ScenarioError as error:
        raise UsageError(str(error), "`tui-agent --demo list` names the scenarios.") from error


def _require_terminal() -> None:
    # Keys come from standard input and the screen goes to standard error; somebody who redirects standard output wants data.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError("the app needs a terminal for input and output", 'Without one: tui-agent -p "your message".')


# --- screens ---------------------------------------------------------------------------------------------------------


def _open_app(options: argparse.Namespace, demo: Demo | None) -> int:
    gc.disable()  # nearly all that is made until the first frame stays: looking for garbage in it is a tenth of the start

    from tui_agent.settings.places import state_home
    from tui_agent.ui import themes
    from tui_agent.ui.app import TuiAgentApp
    from tui_agent.ui.entrance import Entrance
    from tui_agent.ui.history import PromptHistory

    def make_options(folder: Path | None) -> SessionOptions:
        return session_options(options, folder)

    entrance = Entrance(make_options, demo=demo)

    async def connect(lobby: Lobby) -> Session | None:
        gc.freeze()
        gc.enable()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # Ctrl+C is a key here, not a signal
            loop.add_signal_handler(number, leave, 128 + number)
        return await entrance.connect(lobby)

    def known_models() -> list[tuple[str, str]]:
        from tui_agent.model.prices import ModelTable

        return [(name, known.words) for name, known in ModelTable.builtin().models.items()]

    def leave(code: int) -> None:
        """End in order; and all the same where that hangs, as writing to a terminal that has gone may."""
        app.exit(return_code=code)
        last_resort = threading.Timer(_PATIENCE_S, _leave_at_once, (entrance, code))
        last_resort.daemon = True
        last_resort.start()

    app = TuiAgentApp(
        connect,
        initial_prompt=options.prompt or (demo.prompt if demo else None),
        history=PromptHistory(state_home() / "history.jsonl"),
        theme=themes.kept(),
        keep_theme=themes.keep,
        models=known_models,
    )
    try:
        app.run()
    finally:
        entrance.close()
    return app.return_code or DONE


def _leave_at_once(entrance: Entrance, code: int) -> None:
    entrance.close()
    os._exit(code)


def _replay(options: argparse.Namespace) -> int:
    from tui_agent.journal.load import JournalError

    if options.svg is None:
        _require_terminal()
    from tui_agent.ui import replay

    file = _journal_of(options.file)
    is_instant = options.instant or options.svg is not None
    try:
        player = replay.load(file, speed=None if is_instant else options.speed)
    except JournalError as error:
        raise UsageError(str(error), "Give the journal.jsonl of a session, or a session's id.") from error
    if options.svg is None:
        app = replay.replay_app(player)
        app.run()
        return app.return_code or DONE
    picture = asyncio.run(replay.draw_svg(player, options.size))
    try:
        options.svg.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--svg {options.svg}: {error.strerror or error}", "") from error
    return DONE


def _journal_of(file: Path) -> Path:
    """Return the journal that is meant: a file, a session's folder, or the id of a recorded session."""
    from tui_agent.journal.store import SessionFolder, find_session
    from tui_agent.settings.places import state_home

    if file.is_dir():
        return SessionFolder(file).journal
    found = None if file.exists() else find_session(state_home(), str(file))
    return found.journal if found is not None else file


def _start_log(output: Output, *, is_kept: bool) -> None:
    """Take what libraries log away from the terminal, which belongs to the app: into a file, or nowhere."""
    import logging

    if not is_kept:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    from tui_agent.settings.places import state_home

    path = state_home() / "debug.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        logging.basicConfig(filename=path, level=logging.DEBUG, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    except OSError as error:
        raise UsageError(f"--debug: {path} cannot be written ({error.strerror})", "") from error
    output.message(f"log: {path}")
