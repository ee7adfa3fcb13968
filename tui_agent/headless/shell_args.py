"""`tools words`: a line as the typed shell words read it, for scripts and for trying `/tool` lines out."""

from __future__ import annotations

import json
from typing import Any

from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.shell_args import MissingPartError, Operator, WordsError, split_words

__all__ = ["show_words"]


def show_words(line: str, env: str, output: CliOutput) -> int:
    """Print the words of `line` as one JSON list; `env` is a JSON object with the variables.

    Text is a string, an operator `{"op": "|"}`, an object what it is. An object that could be taken for an operator (its one
    key is `op`, or `value`) is printed as `{"value": …}`.

    Raises:
        UsageError: the line is not whole, or `env` is no JSON object.
    """
    try:
        variables = json.loads(env)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--env is not JSON: {error}", """For example --env '{"NAME": "x"}'.""") from None
    if not isinstance(variables, dict):
        raise UsageError("--env must be a JSON object", """For example --env '{"NAME": "x"}'.""")
    try:
        words = split_words(line, variables)
    except MissingPartError as error:
        raise UsageError(str(error), "A dot or bracket that is text goes in quotes.") from None
    except WordsError as error:
        raise UsageError(f"the line is not whole: {error}", "Close the quote, or write \\ before it.") from None
    output.json([_shown(word) for word in words])
    return 0


def _shown(word: object) -> Any:  # noqa: ANN401 - JSON
    if isinstance(word, Operator):
        return {"op": word.text}
    if isinstance(word, dict) and len(word) == 1 and not word.keys().isdisjoint({"op", "value"}):
        return {"value": word}
    return word
