"""`-p` from its arguments to its exit code: the message, the models, the session."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from tui_agent.headless.options import session_options
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError

if TYPE_CHECKING:
    from tui_agent.drafts import Draft
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.model.demo.demo import Demo
    from tui_agent.model.providers.resolve import ModelClients

__all__ = ["model_clients", "print_answer"]


def print_answer(options: argparse.Namespace, demo: Demo | None, output: CliOutput) -> int:
    """Send the message, print the answer, and return the exit code.

    Raises:
        UsageError: there is no message or no key, or the session cannot start as asked.
    """
    from tui_agent.engine.opening import JournalError, SessionConfigError, has_skill, open_engine
    from tui_agent.headless.prompt import run_prompt
    from tui_agent.headless.slash import print_commands, run_slash_command, wanted_command

    wanted = session_options(options, demo.folder if demo else None, is_attended=False)
    slash = wanted_command(options.prompt or "", is_skill=lambda name: has_skill(wanted, name))
    if slash is not None and slash[0].name == "help":
        print_commands(output)
        return 0
    models = model_clients(demo, wanted, is_needed=slash is None)
    prompt = _full_prompt(options.prompt or (demo.prompt if demo else ""), output) if slash is None else None

    async def main() -> int:
        try:
            engine = await open_engine(wanted, models)
        except (SessionConfigError, JournalError) as error:
            raise UsageError(str(error), "") from error
        if slash is not None:
            return await run_slash_command(engine, *slash, output)
        assert prompt is not None
        return await run_prompt(engine, prompt, output, options.output_format or "text")

    return asyncio.run(main())


def _full_prompt(prompt: str, output: CliOutput) -> Draft:
    """Return the message: what was written, and what is piped in below it, which names no files: nobody wrote it for that."""
    from tui_agent.drafts import Chip, Draft, pasted_label
    from tui_agent.headless.stdin import TooMuchInputError, read_all

    piped = ""
    if sys.stdin is not None and not sys.stdin.isatty():
        try:
            piped = read_all(lambda: output.message("waiting for standard input to end", "Use </dev/null for none."))
        except TooMuchInputError:
            raise UsageError("more than 10 MB were piped in", "Put them in a file and name the file.") from None
        except UnicodeDecodeError:
            raise UsageError("what was piped in is not UTF-8 text", "Put it in a file and name the file.") from None
        except OSError:
            piped = ""  # standard input is closed
    piped = piped.strip()
    if not prompt.strip() and not piped:
        raise UsageError("-p needs a message", 'For example: tui-agent -p "what does this project do?"')
    if not prompt or not piped:
        return Draft(prompt or piped)
    chip = Chip(pasted_label(1, piped), piped)
    return Draft(f"{prompt}\n\n{chip.label}", (chip,))


def model_clients(demo: Demo | None, options: SessionOptions, *, is_needed: bool = True) -> ModelClients:
    """Return the models of a demo's own server, or else of what the user's settings, the environment or the keyring say.

    Raises:
        UsageError: no key for the requested model, and one is needed.
    """
    from tui_agent.engine.setup import ModelAccess, demo_models

    if demo is not None:
        return demo_models(demo)
    access = ModelAccess.read(options)
    models = access.resolve()
    if models.problem(access.wanted):
        from tui_agent.model import keyring_key

        models = access.resolve(api_key=keyring_key.kept())
    if is_needed and models.problem(access.wanted):
        raise UsageError("no key is set", "Set ANTHROPIC_API_KEY, or try `--demo`, which needs none.")
    return models
