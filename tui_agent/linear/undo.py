"""`/undo`: take back what the session did to a file, after it was shown what that does now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.commands import Undo
from tui_agent.linear.asker import Choice
from tui_agent.linear.diff_words import change_summary, hunk_lines
from tui_agent.queries import ChangesQuery, UndoPlanQuery
from tui_agent.text import clean_line
from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.linear.asker import Asker

__all__ = ["undo_file"]


async def undo_file(engine: Engine, asker: Asker, name: str, *, base: str) -> None:
    """Take back the changes of a file: the one that is named, the only one, or one that is chosen.

    Raises:
        EndOfInputError: there will be no answer.
    """
    report = await engine.query(ChangesQuery())
    paths = [file.path for file in report.files] if report is not None else []
    path: str | None = next((path for path in paths if name in (path, display_path(path, base))), None)
    if not paths or (name and path is None):
        asker.say("This session has changed no such file." if name else "This session has changed no files.")
        return
    if path is None:
        choices = [Choice(one, display_path(one, base)) for one in paths]
        picked = await asker.choose([*choices, Choice("back", "Go back", ("b",))], prompt="File")
        if picked == "back":
            return
        path = picked
    plan = await engine.query(UndoPlanQuery(path))
    if plan is None or plan.kind == "nothing":
        asker.say(clean_line(plan.problem, 500) if plan is not None and plan.problem else "There is nothing to undo.")
        return
    if plan.change is not None:
        asker.say(f"Undoing does this to {change_summary(plan.change, base)}")
        for hunk in plan.change.hunks:
            asker.say_all(hunk_lines(hunk))
    if plan.clashes:
        asker.say(f"{count(plan.clashes, 'place')} that others have changed too will be kept.")
    if not await asker.confirm("Undo it?"):
        return
    reply = await engine.send(Undo(path, plan.id))
    if reply.error:
        asker.say(clean_line(reply.error, 500))
    elif reply.ok is not None and reply.ok.plan is not None:
        asker.say("The file has changed meanwhile, and was left as it is. /undo shows what undoing does now.")
