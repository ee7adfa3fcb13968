"""Forms over the conversation: one choice, several, own words, several questions, a sheet with something wrong in it."""

from __future__ import annotations

from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import Recording

from tui_agent.events import FormRequested
from tui_agent.tools.forms import Form, FormField, Option
from tui_agent.tools.sticker_request.tool import FORM_FIELDS
from tui_agent.ui.dialogs.input_grace import InputGrace

LIBRARY = FormField(
    key="library",
    question="Which library should the dates be read with?",
    header="Library",
    allows_other=True,
    options=(
        Option(label="pendulum (recommended)", description="Time zones done right; one more dependency, about 1 MB"),
        Option(label="dateutil", description="Already installed, as pandas needs it; slower on large files"),
        Option(label="the standard library", description="No dependency; only ISO dates are read"),
    ),
)
PARTS = FormField(
    key="parts",
    question="What should the first version have?",
    header="Parts",
    is_multiple=True,
    allows_other=True,
    options=(
        Option(label="Caching", description="Answers are kept for an hour"),
        Option(label="Retries", description="Three times, a second apart"),
        Option(label="Metrics"),
        Option(label="Odd \x1b[31m\u202e[@click=app.quit]x[/]", description="with \x1b]0;controls\x07 in it"),
    ),
)
TABLE = """\
┌──────┬───────┐
│ item │ total │
├──────┼───────┤
│ tea  │  4.20 │
└──────┴───────┘"""
LAYOUT = FormField(
    key="layout",
    question="How should the totals look?",
    header="Layout",
    allows_other=True,
    options=(
        Option(label="Table", description="A line for each item", preview=TABLE),
        Option(label="List", description="Shorter", preview="tea   4.20\ncups  9.00\n"),
    ),
)


def form(*fields: FormField, **more: Any) -> Form:
    title = "A question" if len(fields) == 1 else f"{len(fields)} questions"
    return Form(**{"title": title, "fields": fields, "takes_words": True} | more)


STICKERS = form(
    *FORM_FIELDS,
    title="Stickers",
    about="Kept as a file in ~/.local/state/tui-agent/sticker-requests for you to send on. Nothing leaves this machine, "
    "and the model does not see it.",
    takes_words=False,
    is_private=True,
)
SCENES: dict[str, tuple[Form, str]] = {
    "single": (form(LIBRARY), "down"),
    "multiple": (form(PARTS), "1 4"),
    "other": (form(PARTS), "2 5 a space c l o c k"),
    "steps": (form(LIBRARY, PARTS, LAYOUT), "1 1 enter down"),
    "review": (form(LIBRARY, PARTS, LAYOUT), "1 tab tab"),
    "words": (form(LIBRARY), "w n o t space n o w"),
    "sticker-error": (STICKERS, "A d a enter a d a @ x enter"),
}

SIZES = {
    (120, 40): ("steps", "sticker-error"),
    (80, 24): tuple(SCENES),
    (40, 10): ("other", "steps", "sticker-error"),
}


def asked(name: str, what: Form) -> Recording:
    """The model asks, and the form comes up."""
    log = Recording()
    log.begin("Read the dates of the old orders, too.")
    log.reply()
    log.use("u1", "AskUserQuestion", {"questions": []})
    log.execute("u1")
    log.say(FormRequested(request_id=name, tool_use_id="u1", form=what.to_json()))
    return log


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_form_looks_as_it_did(size: tuple[int, int], album: Album, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InputGrace, "is_open", True)
    async with staged(Stage(Recording().events), size) as (app, pilot):
        for name in SIZES[size]:
            what, keys = SCENES[name]
            app.engine.start_over(asked(name, what).events)
            await settle(app, pilot)
            await pilot.press(*keys.split())
            await settle(app, pilot)
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
    album.verify()


async def test_a_form_among_other_questions_says_so(album: Album, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InputGrace, "is_open", True)
    log = Recording()
    log.begin("Read the dates of the old orders, too.")
    log.reply()
    for tool in ("u2", "u3"):
        log.use(tool, "Bash", {"command": "git fetch"})
        log.execute(tool)
    log.say(FormRequested(request_id="f1", tool_use_id="u1", form=form(LIBRARY).to_json()))
    log.ask("u2", "Bash", {"command": "git fetch"})
    log.ask("u3", "Bash", {"command": "git fetch"})
    async with staged(Stage(log.events), (80, 24)) as (app, _):
        album.compare(app, "queue-80x24")
    album.verify()
