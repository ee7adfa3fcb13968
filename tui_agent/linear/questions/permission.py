"""May a call run? What it will do, why that is asked, and the answers; a command can be edited first."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tui_agent.commands import Answer
from tui_agent.linear.asker import Choice
from tui_agent.linear.editor import EditorError, edit_text, has_editor
from tui_agent.linear.questions.answers import Settled, always, look_alikes, refusal, why_lines
from tui_agent.linear.tool_words import use_title
from tui_agent.queries import JudgeQuery
from tui_agent.rule_offers import why_not_always
from tui_agent.text import clean_line, reveal
from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui_agent.boundary import Engine
    from tui_agent.events import PermissionRequested
    from tui_agent.linear.asker import Asker
    from tui_agent.permissions.verdict import Verdict

__all__ = ["ask_permission"]

_EDITABLE: Final = "Bash"
_VERDICTS: Final = {"allow": "allowed", "ask": "asks", "deny": "denied"}


async def ask_permission(
    request: PermissionRequested, asker: Asker, engine: Engine, *, base: str, others: int
) -> Settled | None:
    """Return what the user answers; None: they want to see the next question first.

    Raises:
        EndOfInputError: there will be no answer.
    """
    command = request.input.get("command") if request.name == _EDITABLE else None
    missing = why_not_always(request)
    parts: list[str] = []
    if isinstance(command, str):
        parts = list(_parts(await engine.query(JudgeQuery(request.request_id, request.input))))

    def show() -> None:
        asker.say_all(_about(request, base))
        for line in [*parts, *why_lines(request)]:
            asker.say(line)

    choices = _choices(request, is_command=isinstance(command, str), missing=missing, has_others=bool(others))
    while True:
        picked, words = await asker.choose_and_say(choices, show=show)
        if picked == "next":
            return None
        settled = await _settle(picked, words, request, asker, engine)
        if settled is not None:
            return settled


def _choices(request: PermissionRequested, *, is_command: bool, missing: str | None, has_others: bool) -> list[Choice]:
    always_words = f"Always is not available: {missing}" if missing else f"Yes, always for {_first_rules(request)}"
    choices = [
        Choice("yes", "Yes, once", ("y", "once")),
        Choice("always", always_words, ("a",), is_missing=missing is not None),
        Choice("no", "No, and stop", ("n",)),
        Choice("words", "No, and say what to do instead", ("w",)),
        Choice("tell", "Yes, once, and say what to keep in mind", ("t",)),
    ]
    if is_command:
        choices.append(Choice("edit", "Edit the command first", ("e",)))
    if has_others:
        choices.append(Choice("next", "See the next question first"))
    return choices


async def _settle(
    picked: str, words: str, request: PermissionRequested, asker: Asker, engine: Engine
) -> Settled | None:
    """Return what a choice comes to; None where the user went back. `words` followed it, for the model."""
    yes = Answer(request_id=request.request_id, decision="allow", message=words or None)
    match picked:
        case "yes":
            return Settled(yes)
        case "tell":
            words = words or await asker.text("What it should keep in mind (just Enter goes back): ")
            return Settled(replace(yes, message=words)) if words else None
        case "always":
            kept = await always(request, asker, engine)
            return Settled(replace(yes, rules=kept[0], scope=kept[1])) if kept is not None else None
        case "words":
            answer = await refusal(request, asker, words)
        case "edit":
            answer = await _edited(request, str(request.input["command"]), asker, engine)
            if answer is not None and words:
                answer = replace(answer, message=words)
        case _:
            answer = Answer(request_id=request.request_id, decision="deny", message=words or None)
    return Settled(answer) if answer is not None else None


def _about(request: PermissionRequested, base: str) -> Iterator[str]:
    """Yield what will happen."""
    match request.input:
        case {"command": str(command)}:
            yield "Run this command?"
            for line in reveal(command).split("\n"):
                yield f"  {line}"
            if request.cwd:
                yield f"in {one_line(request.cwd)}"
            if isinstance(said := request.input.get("description"), str) and said:
                yield f"The model says: {clean_line(said, 300)}"
            yield from look_alikes(command)
        case _:
            yield f"Allow {use_title(request.name, request.input, base)}?"
            for key, value in request.input.items():
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                first, *rest = reveal(text).split("\n")
                yield f"  {clean_line(key, 60)}: {first}"
                yield from (f"    {line}" for line in rest)


def _parts(verdict: Verdict) -> Iterator[str]:
    """Yield what each part of a command that has several would get by itself."""
    if len(verdict.parts) < 2:
        return
    for part in verdict.parts:
        yield f"Part {one_line(part.command, 200)}: {_VERDICTS[part.behavior]}, {clean_line(part.reason, 300)}"


def _first_rules(request: PermissionRequested) -> str:
    rules = [offer[0] for offer in request.offers if offer]
    more = " … (you can choose another rule)" if any(len(offer) > 1 for offer in request.offers) else ""
    return f"{', '.join(map(reveal, rules))}{more}"


async def _edited(request: PermissionRequested, command: str, asker: Asker, engine: Engine) -> Answer | None:
    """Return a yes to a command that the user wrote; None where they went back."""
    while True:
        text = await _new_command(command, asker)
        if text is None:
            return None
        if text == command:
            asker.say("The command is unchanged.")
            return None
        input = {**request.input, "command": text}
        verdict = await engine.query(JudgeQuery(request.request_id, input))
        asker.say("The command is now:")
        asker.say_all(f"  {line}" for line in reveal(text).split("\n"))
        for line in look_alikes(text):
            asker.say(line)
        asker.say(f"Checked: {_VERDICTS[verdict.behavior]}, {clean_line(verdict.reason, 500)}.")
        answers = [
            Choice("yes", "Run it", ("y",)),
            Choice("edit", "Edit it again", ("e",)),
            Choice("back", "Go back", ("b",)),
        ]
        if verdict.behavior == "deny":
            asker.say("A rule denies this command: it would not run.")
            answers = answers[1:]
        match await asker.choose(answers):
            case "yes":
                return Answer(request_id=request.request_id, decision="allow", input=input)
            case "edit":
                command = text
            case _:
                return None


async def _new_command(command: str, asker: Asker) -> str | None:
    if has_editor():
        way = await asker.choose(
            [
                Choice("type", "Type the command", ("t",)),
                Choice("editor", "Edit it in your editor", ("o", "e")),
                Choice("back", "Go back", ("b",)),
            ]
        )
        if way == "back":
            return None
        if way == "editor":
            try:
                return (await edit_text(asker.console, command, "command.sh")).rstrip("\n")
            except EditorError as error:
                asker.say(str(error))
                return None
    return await asker.text("New command (just Enter goes back): ") or None
