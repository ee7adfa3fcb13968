"""What is offered after a slash: commands by some of their letters, and what may follow them."""

from __future__ import annotations

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual.pilot import Pilot

from tui_agent import slash_commands
from tui_agent.boundary import Engine
from tui_agent.events import SettingsReloaded
from tui_agent.queries import SkillList, SkillRow
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.completion import Named, completed_file, named_at, rows_for
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.widgets.prompt import Prompt

TOOLS = [("Bash", "run a command"), ("Read", "read a file")]
MODELS = [("claude-opus-5", "large"), ("claude-sonnet-5-5", "usual")]


def offered(text: str, cursor: int | None = None) -> tuple[list[str], bool]:
    named = named_at(text, len(text) if cursor is None else cursor)
    if named is None or named.kind == "file":
        return [], False
    rows, is_sure = rows_for(named, tools=TOOLS, values=lambda name: MODELS if name == "model" else ())
    return [row.name for row in rows], is_sure


@pytest.mark.parametrize(
    ("typed", "first", "is_sure"),
    [
        ("/m", ["model", "mode"], True),
        ("/mode", ["mode", "model"], True),
        ("/new", ["clear"], True),
        ("/prm", ["permissions"], False),
        ("/sngs", ["settings"], False),
        ("/xyzzy", [], False),
        ("/model son", ["claude-sonnet-5-5"], False),
        ("/model claude-s", ["claude-sonnet-5-5"], True),
        ("/model ", ["claude-opus-5", "claude-sonnet-5-5"], False),
        ("/tool re", ["Read"], True),
        ("/quit now", [], False),
    ],
)
def test_what_is_offered(typed: str, first: list[str], is_sure: bool) -> None:
    names, sure = offered(typed)
    assert names[: len(first)] == first
    assert bool(names) == bool(first)
    assert sure == is_sure


@pytest.mark.parametrize("text", ["", "hello", "/etc/hosts", "a /m", "/model\nb", "x\n/mode"])
def test_nothing_is_offered_where_no_command_is_named(text: str) -> None:
    assert offered(text) == ([], False)


def test_only_the_end_of_a_command_is_completed() -> None:
    assert offered("/mode plan", 3) == ([], False)
    assert offered("/model claude", 10)[0] == []


def test_the_choices_of_a_command_are_those_of_its_hint() -> None:
    secrets = slash_commands.find("secrets")
    model = slash_commands.find("model")
    assert secrets is not None
    assert model is not None
    assert (secrets.choices, model.choices) == (("on", "off", "status"), ())


@pytest.mark.parametrize(
    ("text", "path", "goes_on", "after"),
    [
        ("see @ca|", "cart.py", False, "see @cart.py |"),
        ("see @ca| now", "cart.py", False, "see @cart.py| now"),
        ("see @ca|rt.py now", "cart.py", False, "see @cart.py| now"),
        ("@c|", "my docs/", True, '@"my docs/|'),
        ('@"my d|', "my docs/a b.md", False, '@"my docs/a b.md" |'),
        ('@"my d|" now', "my docs/a b.md", False, '@"my docs/a b.md"| now'),
        ("(@ca|)", "cart.py", False, "(@cart.py |)"),
    ],
)
def test_a_file_is_written_where_it_was_named(text: str, path: str, goes_on: bool, after: str) -> None:
    cursor = text.index("|")
    text = text.replace("|", "")
    named = named_at(text, cursor)
    assert isinstance(named, Named)
    written, at = completed_file(text, cursor, named, path, goes_on=goes_on)
    shown = f"{written[:at]}|{written[at:]}"
    assert shown.replace("| ", " |") == after.replace("| ", " |")


async def test_values_are_taken_by_tab_and_typed_words_are_sent_as_typed() -> None:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None), models=lambda: MODELS)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        prompt = app.screen.query_one(Prompt)
        await write(pilot, "/model ")
        await until(pilot, lambda: "usual" in screen_text(app))
        await pilot.press("down", "down", "tab")
        assert prompt.text.text == "/model claude-sonnet-5-5"
        await pilot.press("enter")
        assert ("set_model", "claude-sonnet-5-5") in engine.asked
        await write(pilot, "/model sonnet")
        await pilot.press("enter")
        assert ("set_model", "sonnet") in engine.asked
        await write(pilot, "/mode pl")
        await pilot.press("enter")
        assert ("set_mode", "plan") in engine.asked
        await write(pilot, "/prmi")
        await pilot.press("enter")
        await until(pilot, lambda: "No command is named /prmi." in screen_text(app))


async def test_models_are_read_from_the_settings_once_and_again_when_these_have_changed() -> None:
    engine = FakeEngine()
    listed = [MODELS, [("new-model", "added later")]]

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None), models=lambda: listed.pop(0))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked and app.session_id != "")
        runner = app._command_runner
        assert [*runner.values("model")] == [*runner.models()] == MODELS
        engine.say(SettingsReloaded(changes=("providers is now …",)))
        await until(pilot, lambda: "providers" in screen_text(app))
        assert [*runner.values("model")] == [("new-model", "added later")]
        assert listed == []


async def write(pilot: Pilot[object], text: str) -> None:
    await pilot.press(*({" ": "space", "/": "slash"}.get(letter, letter) for letter in text))


SKILLS = [
    slash_commands.SlashCommand("mend", "project: mend it", "[what]"),
    slash_commands.SlashCommand("powers:model-test", "plugin powers: test it"),
]


@pytest.mark.parametrize(
    ("typed", "first", "is_sure"),
    [
        ("/me", ["memory", "mend"], True),
        ("/mend", ["mend"], True),
        ("/model", ["model", "powers:model-test"], True),
        ("/pwrs", ["powers:model-test"], False),
    ],
)
def test_skills_are_offered_behind_built_in_commands(typed: str, first: list[str], is_sure: bool) -> None:
    named = named_at(typed, len(typed))
    assert named is not None
    rows, sure = rows_for(named, tools=(), values=lambda _name: (), skills=SKILLS)
    assert ([row.name for row in rows][: len(first)], sure) == (first, is_sure)
    assert all(row.name[at] in typed for row in rows for at in row.marks)


async def test_a_skill_is_sent_as_it_was_typed() -> None:
    row = SkillRow(name="mend", full_name="mend", kind="skill", place="project", file="/f", words="mend\x1b[31m it")
    engine = FakeEngine()
    engine.skills = SkillList((row,))

    async def connect(_startup: StartupPrompter) -> Engine:
        return engine

    async with TuiAgentApp(connect, history=PromptHistory(None)).run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: pilot.app.engine is not None)  # type: ignore[attr-defined]
        await pilot.press("/", "m", "e", "n", "d")
        await until(pilot, lambda: "project: mend it" in screen_text(pilot.app))
        await pilot.press("escape", "space", "x", "enter")
        await until(pilot, lambda: ("submit", "/mend x") in engine.asked)
        for key in "/mendx":
            await pilot.press(key)
        await pilot.press("enter")
        await until(pilot, lambda: "No command is named /mendx" in screen_text(pilot.app))
