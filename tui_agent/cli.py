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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.headless import commands
from tui_agent.headless.answer import print_answer
from tui_agent.headless.arguments import parse_arguments
from tui_agent.headless.options import session_options, working_folder
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.linear.wanted import wants_linear

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.events import Event
    from tui_agent.model.demo.demo import Demo
    from tui_agent.ui.engine import StartupPrompter
    from tui_agent.ui.replay import Player
    from tui_agent.ui.startup import Startup

__all__ = ["run"]

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 128 + signal.SIGINT
_PATIENCE_S: Final = 5.0  # from the signal to end until the process does, whatever hangs


def run(argv: Sequence[str]) -> int:
    """Do what the command line says and return the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    output = CliOutput()
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
    except Exception as error:  # noqa: BLE001 - the last net: a fault is one line too, unless its place is asked for
        if options is not None and options.debug:
            _show_trace(error)
            return FAILED
        output.message(f"{type(error).__name__}: {error}", "This is a bug in tui-agent; --debug shows where.")
        return FAILED


def _dispatch(options: argparse.Namespace, output: CliOutput) -> int:
    if options.cwd is not None and not options.cwd.is_dir():
        raise UsageError(f"--cwd {options.cwd}: no such folder", "")
    match options.command:
        case "":
            return _converse(options, output)
        case "tools list" | "tools schema":
            return commands.show_tools(options, output)
        case "tools words":
            from tui_agent.headless.shell_args import show_words

            return show_words(options.line, options.env, output)
        case "tools run":
            return asyncio.run(commands.run_tools(options, output))
        case "permissions explain":
            return asyncio.run(commands.explain(options, output))
        case "settings explain" | "settings files" | "settings schema":
            return commands.show_settings(options, output)
        case "sessions list":
            from tui_agent.headless.sessions import print_sessions

            return print_sessions(None if options.all else working_folder(options), output, as_json=options.json)
        case name if name.startswith("mcp "):
            from tui_agent.headless.mcp_command import run_mcp

            return asyncio.run(run_mcp(options, output))
        case "serve":
            return _serve(options, output)
        case "replay":
            return _replay(options)
        case _:
            from tui_agent.headless.doctor import print_findings

            return print_findings(working_folder(options), options.settings, output)


def _converse(options: argparse.Namespace, output: CliOutput) -> int:
    """Talk to a model: in the app, or by `-p`."""
    if options.demo == "list":
        return commands.list_scenarios(output)
    is_linear = options.print is None and wants_linear(os.environ, is_asked=options.linear, inline=options.settings)
    if options.print is None and not options.linear:  # who asks for lines may have them from a pipe
        _require_terminal(has_screen=not is_linear)
    elif options.print is not None and options.prompt is None and options.demo is None and sys.stdin.isatty():
        raise UsageError("-p needs a message", 'For example: tui-agent -p "what does this project do?"')
    demo = _start_demo(options.demo) if options.demo is not None else None
    if is_linear:
        return _open_linear(options, demo)
    if options.print is None:
        return _open_app(options, demo)
    try:
        return print_answer(options, demo, output)
    finally:
        if demo is not None:
            demo.close()


def _serve(options: argparse.Namespace, output: CliOutput) -> int:
    """Give another process the engine, or print what may be said to it."""
    if options.schema:
        from tui_agent.boundary_schema import boundary_schema

        output.json_document(boundary_schema())
        return DONE
    if options.demo == "list":
        return commands.list_scenarios(output)
    from tui_agent.headless.serve import serve

    demo = _start_demo(options.demo) if options.demo is not None else None
    try:
        return serve(options, demo)
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


def _require_terminal(*, has_screen: bool = True) -> None:
    # Keys come from standard input and the screen goes to standard error; somebody who redirects standard output wants data.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(
            "the app needs a terminal for input and output", 'Without a terminal: tui-agent -p "your message".'
        )
    if has_screen and os.environ.get("TERM") == "dumb":
        raise UsageError("TERM is dumb: this terminal cannot show a screen", "Without a screen: tui-agent --linear.")


# --- front ends for people --------------------------------------------------------------------------------------------

# When garbage is looked for: ten times as seldom as by default. Each search through all there is stops everything, keys too,
# for up to a tenth of a second, and what a conversation leaves is freed without one.
_GARBAGE_LIMITS: Final = (10_000, 20, 20)


def _open_app(options: argparse.Namespace, demo: Demo | None) -> int:
    gc.disable()  # nearly all that is made until the first frame stays: looking for garbage in it is a tenth of the start

    from tui_agent.settings.keybindings.files import keybindings_files
    from tui_agent.settings.standard_paths import state_home
    from tui_agent.ui import themes
    from tui_agent.ui.app import TuiAgentApp
    from tui_agent.ui.prompting.history import PromptHistory
    from tui_agent.ui.startup import Startup

    def make_options(folder: Path | None) -> SessionOptions:
        return session_options(options, folder)

    def find_record() -> Path | None:
        return _record_of(options)

    startup = Startup(make_options, demo=demo, find_record=find_record)
    refused: list[Exception] = []

    async def connect(prompter: StartupPrompter) -> Engine | None:
        gc.freeze()
        gc.set_threshold(*_GARBAGE_LIMITS)
        gc.enable()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # Ctrl+C is a key here, not a signal
            loop.add_signal_handler(number, leave, 128 + number)
        try:
            return await startup.connect(prompter)
        except _refusals() as error:
            refused.append(error)  # an app without a session would be good for nothing
            return None

    def keep_model(name: str) -> None:
        from tui_agent.settings.change import keep_own

        keep_own("model", name)

    def leave(code: int) -> None:
        """End in order; and all the same where that hangs, as writing to a terminal that has gone may."""
        app.exit(return_code=code)
        last_resort = threading.Timer(_PATIENCE_S, _leave_at_once, (startup, code))
        last_resort.daemon = True
        last_resort.start()

    app = TuiAgentApp(
        connect,
        initial_prompt=options.prompt or (demo.prompt if demo else None),
        history=PromptHistory(state_home() / "history.jsonl"),
        theme=themes.fitting(themes.kept()),
        has_reduced_motion=themes.is_motion_reduced(),
        keep_theme=themes.keep,
        models=lambda: _known_models(options),
        keep_model=keep_model if demo is None else None,  # the demo is not to change what a user works with
        reconnect=startup.resume,
        renew=startup.renew,
        access=startup,
        key_files=keybindings_files(),
    )
    try:
        app.run()
    finally:
        startup.close()
    if refused:
        raise UsageError(str(refused[0]), "")
    if (
        app.resumable_id and not app.return_code and not startup.is_demo
    ):  # a signal may have come of a terminal that is gone
        sys.stdout.write(f"Resume this session with: tui-agent --resume {app.resumable_id}\n")
    return app.return_code or DONE


def _known_models(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the models that can be chosen, with words on them."""
    from tui_agent.model.providers.resolve import model_table
    from tui_agent.settings.load import own_settings

    given = session_options(options)
    own = own_settings(given.cwd, inline=given.settings, sources=given.setting_sources)
    return [(name, known.words) for name, known in model_table(own.providers).models.items()]


def _open_linear(options: argparse.Namespace, demo: Demo | None) -> int:
    """Run without a screen: in lines of text."""
    from tui_agent.linear.program import run_linear

    try:
        return run_linear(
            lambda folder: session_options(options, folder),
            demo=demo,
            message=options.prompt or (demo.prompt if demo else None),
            list_models=lambda: _known_models(options),
        )
    except _refusals() as error:
        raise UsageError(str(error), "") from error


def _refusals() -> tuple[type[Exception], ...]:
    """Return what is raised where a session cannot start as it was asked for, through no fault of the program."""
    from tui_agent.engine.opening import SessionConfigError
    from tui_agent.journal.load import JournalError

    return SessionConfigError, JournalError


def _record_of(options: argparse.Namespace) -> Path | None:
    """Return the journal of the session that is to be taken up, None for a new one."""
    if not options.resume and not options.continue_newest:
        return None
    from tui_agent.journal.store import find_session, newest_session
    from tui_agent.settings.standard_paths import state_home

    state = state_home()
    found = find_session(state, options.resume) if options.resume else newest_session(state, working_folder(options))
    return found.journal if found is not None else None


def _leave_at_once(startup: Startup, code: int) -> None:
    startup.close()
    os._exit(code)


def _replay(options: argparse.Namespace) -> int:
    from tui_agent.journal.load import JournalError, read_ending

    if options.svg is None:
        _require_terminal()
    from tui_agent.ui import replay
    from tui_agent.ui.replay.timeline import PlaceError

    file = _journal_of(options.file)
    is_still = options.instant or options.svg is not None

    def read() -> replay.Player:
        return replay.load(file, speed=None if is_still else options.speed, at=options.at)

    try:
        if options.svg is None:
            return _play(read, read_ending(file), shows_end=options.instant and options.at is None)
        player = read()
    except JournalError as error:
        raise UsageError(str(error), "Give the journal.jsonl of a session, or a session's id.") from error
    except PlaceError as error:
        raise UsageError(f"--at: {error}", "") from error
    picture = asyncio.run(replay.draw_svg(player, options.size))
    try:
        options.svg.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--svg {options.svg}: {error.strerror or error}", "") from error
    return DONE


def _play(read: Callable[[], Player], ending: list[Event], *, shows_end: bool) -> int:
    """Play what `read` gives. `ending` is how it ends, as far as that can be had at once."""
    from tui_agent.settings.keybindings.files import keybindings_files
    from tui_agent.ui import themes
    from tui_agent.ui.replay.app import ReplayApp

    given = None if ending else read()  # most likely no journal: that is said without opening a screen for it
    app = ReplayApp(
        lambda: given or read(),
        ending=ending if shows_end else (),
        theme=themes.fitting(themes.kept()),
        has_reduced_motion=themes.is_motion_reduced(),
        key_files=keybindings_files(),
    )
    app.run()
    if app.fault is not None:
        raise app.fault
    return app.return_code or DONE


def _journal_of(file: Path) -> Path:
    """Return the journal that is meant: a file, a session's folder, or the id of a recorded session."""
    from tui_agent.journal.store import SessionFolder, find_session
    from tui_agent.settings.standard_paths import state_home

    if file.is_dir():
        return SessionFolder(file).journal
    found = None if file.exists() else find_session(state_home(), str(file))
    return found.journal if found is not None else file


def _show_trace(error: Exception) -> None:
    """Show where an error comes from, without the secrets that its message may hold."""
    import traceback

    from tui_agent.secrets.process import process_masker

    sys.stderr.write(process_masker().mask("".join(traceback.format_exception(error))))


def _start_log(output: CliOutput, *, is_kept: bool) -> None:
    """Take what libraries log away from the terminal, which belongs to the app: into a file, or nowhere."""
    import logging

    if not is_kept:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    from tui_agent.private_folders import make_private, open_private
    from tui_agent.secrets.log import hide_in_logs
    from tui_agent.secrets.process import process_masker
    from tui_agent.settings.standard_paths import state_home

    path = state_home() / "debug.log"
    try:
        make_private(path.parent)
        os.close(open_private(path, os.O_WRONLY | os.O_CREAT))
        logging.basicConfig(filename=path, level=logging.DEBUG, format="%(asctime)s %(name)s %(levelname)s %(message)s")
        for handler in logging.getLogger().handlers:
            hide_in_logs(handler, process_masker())
    except OSError as error:
        raise UsageError(f"--debug: {path} cannot be written ({error.strerror})", "") from error
    output.message(f"log: {path}")
