"""Is a plan to be carried out, and in which mode?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.commands import Answer, PlanEdited
from tui_agent.linear.asker import Choice
from tui_agent.linear.editor import EditorError, has_editor, open_file
from tui_agent.linear.questions.answers import Settled, refusal
from tui_agent.permissions.words import PLAN_ANSWERS
from tui_agent.queries import PlanQuery
from tui_agent.text import reveal

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.events import PermissionRequested
    from tui_agent.linear.asker import Asker
    from tui_agent.queries import PlanOffer

__all__ = ["ask_plan"]


async def ask_plan(request: PermissionRequested, offer: PlanOffer, asker: Asker, engine: Engine) -> Settled:
    """Return what the user answers.

    Raises:
        EndOfInputError: there will be no answer.
    """
    while True:
        shown = offer

        def show(offer: PlanOffer = shown) -> None:
            asker.say("The model has a plan. Carry it out?")
            for line in reveal(offer.text.strip("\n") or "(it is empty)").split("\n"):
                asker.say(line)
            asker.say(f"The plan is in {reveal(offer.file)}")

        choices = [Choice(mode, PLAN_ANSWERS[mode]) for mode in offer.modes if mode in PLAN_ANSWERS]
        choices += [
            Choice("words", "No, keep planning, and say what is to be different", ("w",)),
            Choice("no", "No, and stop", ("n",)),
        ]
        if has_editor():
            choices.append(Choice("edit", "Edit the plan in your editor", ("e",)))
        picked, words = await asker.choose_and_say(choices, show=show)
        mode = next((mode for mode in offer.modes if mode == picked), None)
        if mode is not None:
            return Settled(Answer(request_id=request.request_id, decision="allow", mode=mode, message=words or None))
        match picked:
            case "no":
                return Settled(Answer(request_id=request.request_id, decision="deny", message=words or None))
            case "words":
                answer = await refusal(request, asker, words)
                if answer is not None:
                    return Settled(answer)
            case _:
                try:
                    await open_file(asker.console, Path(offer.file))
                except EditorError as error:
                    asker.say(str(error))
                    continue
                await engine.send(PlanEdited())
                again = await engine.query(PlanQuery())
                offer = again if again is not None else offer
