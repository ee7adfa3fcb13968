"""AskUserQuestion and StickerRequest: what the user is shown, what the model hears, and what stays with the user."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tool_bench import POOL, Bench

from tui_agent.tools.base import Allow, Deny, Invalid, ToolContext, ToolError
from tui_agent.tools.forms import WORDS, Answers, Form
from tui_agent.tools.inputs.schema import InputValidationError, api_schema, parse_input
from tui_agent.tools.sticker_request.tool import requests_folder

Person = Callable[[Form], Answers | None]


def question(text: str = "Which?", **more: Any) -> dict[str, Any]:
    options = [{"label": "a", "description": "first", "preview": "A"}, {"label": "b", "description": "second"}]
    return {"question": text, "header": "Pick", "options": options, "multiSelect": False} | more


def context(folder: Path, person: Person | None) -> ToolContext:
    async def ask(form: Form) -> Answers | None:
        assert person is not None
        return person(form)

    return replace(Bench(folder).context(), ask_user=ask if person else None)


async def run(name: str, raw: dict[str, Any], ctx: ToolContext) -> tuple[str, dict[str, Any]]:
    tool = POOL.get(name)
    assert tool is not None
    input = parse_input(tool, raw)
    assert await tool.check_permissions(input, ctx) == Allow()
    (result,) = [item async for item in tool.call(input, None, ctx)]
    assert not result.is_error
    text = tool.to_result(result.output)
    assert isinstance(text, str)
    return text, tool.to_data(result.output)


async def test_answers_are_told_by_question_with_own_words_marked(tmp_path: Path) -> None:
    shown: list[Form] = []

    def person(form: Form) -> Answers:
        shown.append(form)
        return {"Which?": "b", "What?": ["a", "something else"]}

    questions = [question(), question("What?", multiSelect=True)]
    text, data = await run("AskUserQuestion", {"questions": questions}, context(tmp_path, person))
    assert text == ("The user answered:\n\nWhich?\n→ b\n\nWhat?\n→ a; in their own words: something else")
    assert data["answers"] == {"Which?": "b", "What?": ["a", "something else"]}
    assert data["questions"][0]["options"][0]["preview"] == "A"
    (form,) = shown
    assert form.takes_words
    assert [(field.key, field.is_multiple, field.allows_other) for field in form.fields] == [
        ("Which?", False, True),
        ("What?", True, True),
    ]
    assert form.fields[0].options[0].preview == "A"


@pytest.mark.parametrize(
    ("answers", "said"),
    [(None, "Do not ask the same again"), ({WORDS: "it does not matter"}, "They said instead:\nit does not matter")],
)
async def test_a_person_who_closes_the_questions_is_no_error(
    tmp_path: Path, answers: Answers | None, said: str
) -> None:
    text, data = await run("AskUserQuestion", {"questions": [question()]}, context(tmp_path, lambda _: answers))
    assert text.startswith("The user closed the questions without answering.")
    assert said in text
    assert data["declined"]
    assert data["answers"] == {}


@pytest.mark.parametrize("name", ["AskUserQuestion", "StickerRequest"])
async def test_without_a_person_it_is_denied_with_what_to_do(tmp_path: Path, name: str) -> None:
    tool = POOL.get(name)
    assert tool is not None
    input = parse_input(tool, {"questions": [question()]} if name == "AskUserQuestion" else {})
    opinion = await tool.check_permissions(input, context(tmp_path, None))
    assert isinstance(opinion, Deny)
    assert "nobody is there" in opinion.message


@pytest.mark.parametrize(
    ("questions", "field"),
    [
        ([], "questions"),
        ([question(str(n)) for n in range(5)], "questions"),
        ([question(header="thirteen chars")], "header"),
        ([question(options=[{"label": "a", "description": ""}])], "options"),
        ([question(options=[{"label": str(n), "description": ""} for n in range(5)])], "options"),
        ([question(extra=1)], "extra"),
        ([{key: value for key, value in question().items() if key != "header"}], "header"),
    ],
)
def test_questions_of_another_shape_are_refused(questions: list[Any], field: str) -> None:
    tool = POOL.get("AskUserQuestion")
    assert tool is not None
    with pytest.raises(InputValidationError, match=field):
        parse_input(tool, {"questions": questions})


@pytest.mark.parametrize(
    ("questions", "code"),
    [
        ([question(), question("Which? ")], "same_question"),
        ([question(" ")], "blank"),
        ([question(options=[{"label": "a", "description": ""}, {"label": " A", "description": ""}])], "same_option"),
        ([question(options=[{"label": "a", "description": ""}, {"label": " ", "description": ""}])], "blank"),
    ],
)
async def test_questions_that_could_not_be_told_apart_are_refused(
    tmp_path: Path, questions: list[Any], code: str
) -> None:
    tool = POOL.get("AskUserQuestion")
    assert tool is not None
    verdict = await tool.validate(parse_input(tool, {"questions": questions}), context(tmp_path, None))
    assert isinstance(verdict, Invalid)
    assert verdict.code == code


def test_it_changes_nothing_and_runs_beside_others() -> None:
    tool = POOL.get("AskUserQuestion")
    assert tool is not None
    input = parse_input(tool, {"questions": [question()]})
    assert tool.is_read_only(input)
    assert tool.is_concurrency_safe(input)
    assert tool.interrupt_behavior == "cancel"


# --- stickers --------------------------------------------------------------------------------------------------------

ADDRESS: Answers = {
    "name": "Ada Lovelace",
    "street": "12 St James's Square",
    "postcode": "SW1Y 4JH",
    "city": "London",
    "country": "United Kingdom",
    "size": "Small",
    "kinds": ["Diff"],
}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


async def test_a_request_is_kept_for_the_person_alone(tmp_path: Path, state: Path) -> None:
    shown: list[Form] = []

    def person(form: Form) -> Answers:
        shown.append(form)
        return ADDRESS

    for _ in range(2):  # a second one does not take the place of the first
        text, data = await run("StickerRequest", {}, context(tmp_path, person))
    assert shown[0].is_private
    assert "Nothing leaves this machine" in shown[0].about
    told = text + json.dumps(data)
    assert not any(str(answer) in told for answer in ADDRESS.values())
    files = sorted(requests_folder().iterdir())
    assert [file.name[-6:] for file in files] == ["1.json", "2.json"]
    assert data["file"] == str(files[1])
    assert str(files[1]) not in text
    kept = json.loads(files[0].read_text())
    assert {key: kept[key] for key in ADDRESS} == ADDRESS
    assert kept["email"] == ""
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(state.joinpath("sticker-requests").stat().st_mode) == 0o700


async def test_a_form_that_was_closed_keeps_nothing(tmp_path: Path, state: Path) -> None:
    text, data = await run("StickerRequest", {}, context(tmp_path, lambda _: None))
    assert text == "The user closed the form without asking for stickers."
    assert data == {"isFilled": False, "file": None}
    assert not state.exists()


async def test_a_request_that_cannot_be_kept_is_said_to_be_lost(tmp_path: Path, state: Path) -> None:
    state.write_text("a file where a folder should be")
    with pytest.raises(ToolError, match="Nothing was sent either"):
        await run("StickerRequest", {}, context(tmp_path, lambda _: ADDRESS))


def test_the_model_can_fill_nothing_in() -> None:
    tool = POOL.get("StickerRequest")
    assert tool is not None
    assert api_schema(tool)["properties"] == {}
    with pytest.raises(InputValidationError):
        parse_input(tool, {"name": "Ada"})
