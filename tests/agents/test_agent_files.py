"""Agent files: what counts of them, what does not and why, and that the strongest source of a name does."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agent_talk import AgentModel, AgentTalk, agent
from scripted_model import Script, calls, reply, says

from tui_agent.engine.session.config import SessionConfigError
from tui_agent.events import AgentStarted, Notice
from tui_agent.subagents.catalog import AgentCatalog
from tui_agent.subagents.definition import AgentDefinition
from tui_agent.subagents.places import AgentPlace
from tui_agent.subagents.reading import AgentFiles, agents_of_json

Open = Callable[..., Awaitable[AgentTalk]]


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def poet(folder: Path, *lines: str, name: str = "poet", body: str = "You write poems.") -> Path:
    header = "\n".join((f"name: {name}", "description: Writes poems", *lines))
    return put(folder, f"{name}.md", f"---\n{header}\n---\n{body}\n")


def read(folder: Path, **place: Any) -> tuple[dict[str, AgentDefinition], list[str], list[str]]:
    found, problems, held = AgentFiles().read((AgentPlace(path=folder, **{"source": "project", **place}),))
    return {one.name: one for one in found}, [str(problem) for problem in problems], held


def test_a_file_as_people_write_them(tmp_path: Path) -> None:
    poet(
        tmp_path,
        "tools: Read, Grep, Bash(git *), Task(Explore, poet)",
        "disallowedTools: [Write]",
        "model: haiku",
        "color: pink",
        "permissionMode: plan",
        "maxTurns: 3",
        "omitClaudeMd: yes",
        "mcpServers: [github]",
        "something-new: {a: 1}",
    )
    found, problems, _ = read(tmp_path)
    one = found["poet"]
    assert one.tools is not None
    assert (one.tools.names, one.tools.agents) == (("Read", "Grep", "Bash", "Agent"), ("Explore", "poet"))
    assert (one.disallowed.names, one.model, one.color, one.mode, one.max_turns) == (
        ("Write",),
        "haiku",
        "pink",
        "plan",
        3,
    )
    assert (one.has_memory_files, one.servers, one.prompt) == (False, ("github",), "You write poems.")
    assert len(problems) == 1
    assert "Bash(git *)" in problems[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("You write poems.", "it has no name"),
        ("---\nname: x\n---\n", "it has no description"),
        ("---\nname: -x\ndescription: d\n---\n", "begins with a dash"),
        ("---\nname: a:b\ndescription: d\n---\n", "has a colon"),
        ('---\nname: "a\\u202eb"\ndescription: d\n---\n', "cannot be shown"),
        ("---\nname: x\ndescription: d\npermissionMode: wild\n---\n", "`permissionMode` must be one of"),
        ("---\nname: x\ndescription: d\ntools: {a: b}\n---\n", "must be a list of tool names"),
        ("---\nname: x\ndescription: d: e\ntools:\n  - Read\n---\n", "of `tools` would be lost"),
        ("---\nname: x\ndescription: d\n", "has no end"),
    ],
)
def test_a_file_that_is_left_out_is_named_with_the_reason(tmp_path: Path, text: str, why: str) -> None:
    file = put(tmp_path, "x.md", text)
    poet(tmp_path)
    found, problems, _ = read(tmp_path)
    assert set(found) == {"poet"}
    (problem,) = problems
    assert problem.startswith(f"{file}: left out")
    assert why in problem


def test_a_description_that_is_no_yaml_is_read_as_it_stands(tmp_path: Path) -> None:
    put(tmp_path, "x.md", "---\nname: x\ndescription: Use it so: Context: <example>\ntools: Read\n---\nbody\n")
    found, problems, _ = read(tmp_path)
    assert found["x"].description == "Use it so: Context: <example>"
    assert found["x"].tools is not None
    assert "not YAML" in problems[0]


def test_no_link_leads_out_of_the_project_and_nothing_of_an_untrusted_folder_counts(tmp_path: Path) -> None:
    project = tmp_path / "project"
    folder = project / ".claude/agents"
    poet(tmp_path / "elsewhere")
    folder.mkdir(parents=True)
    (folder / "out.md").symlink_to(tmp_path / "elsewhere/poet.md")
    found, problems, _ = read(folder, within=project)
    assert found == {}
    assert "leads out of the project" in problems[0]
    poet(folder, name="own")
    found, _, held = read(folder, within=project, is_trusted=False)
    assert found == {}
    assert [Path(file).name for file in held] == ["own.md"]


def test_five_hundred_files_are_read_once_and_again_only_where_one_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui_agent.subagents import reading

    for number in range(500):
        poet(tmp_path / f"part{number % 5}", name=f"a{number}")
    read_now: list[Path] = []
    own = reading._read
    monkeypatch.setattr(reading, "_read", lambda file, place: read_now.append(file) or own(file, place))
    files, places = AgentFiles(), (AgentPlace(path=tmp_path, source="project"),)
    assert len(files.read(places)[0]) == len(read_now) == 500
    assert not files.has_changed()
    poet(tmp_path / "part1", name="a1", body="Another one.")
    assert files.has_changed()
    read_now.clear()
    assert len(files.read(places)[0]) == 500
    assert [file.name for file in read_now] == ["a1.md"]


def test_of_several_with_one_name_the_strongest_source_counts() -> None:
    def named(name: str, source: Any) -> AgentDefinition:
        return AgentDefinition(name=name, description=source, prompt="", source=source)

    catalog = AgentCatalog.of([named("a", source) for source in ("plugin", "user", "policy", "project", "cli")])
    found = catalog.find("A")
    assert found is not None
    assert found.source == "policy"
    assert len(catalog.others) == 4
    assert catalog.names == ("a", "Explore", "general-purpose", "Plan")
    mine = AgentCatalog.of([named("Explore", "user")]).find("Explore")
    assert mine is not None
    assert mine.source == "user"


def test_plugins_put_their_name_before_those_of_their_agents(tmp_path: Path) -> None:
    poet(tmp_path)
    found, _, _ = read(tmp_path, source="plugin", label="arts")
    assert set(found) == {"arts:poet"}


@pytest.mark.parametrize(
    "text", ["no", "[]", '{"a": 1}', '{"a": {"description": "d"}}', '{"a": {"prompt": "p"}}', '{"-": {"prompt": "p"}}']
)
def test_agents_on_the_command_line_that_make_no_sense_are_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="--agents"):
        agents_of_json(text)


# --- in a session --------------------------------------------------------------------------------------------------------


def works(*scripts: Script, **input: Any) -> AgentModel:
    return AgentModel(agent("work", **input), reply(says(0, "ok")), work=[*scripts, reply(says(0, "done"))])


async def test_an_agent_works_with_the_instructions_tools_and_model_of_its_file(place: Path, talk: Open) -> None:
    poet(place / ".claude/agents", "tools: Read, Glob, Rhyme", "model: haiku", "maxTurns: 1")
    use = reply(calls(0, "Glob", {"pattern": "*"}, "toolu_g"), stop="tool_use")
    model = works(use, subagent_type="poet")
    one = await talk(model)
    await one.say("go")
    (request,) = model.of["work"]
    assert "You write poems." in request.system[0]["text"]
    assert [tool["name"] for tool in request.tools] == ["Glob", "Read"]
    assert "haiku" in request.model
    assert one.result("toolu_work").is_error
    assert "limit" in str(one.result("toolu_work").content)
    assert any("Rhyme" in notice.text for notice in one.of(Notice))
    described = next(tool for tool in model.requests[0].tools if tool["name"] == "Agent")["description"]
    assert "- poet: Writes poems (tools: Read, Glob, Rhyme)" in described


async def test_an_agent_whose_tools_are_all_unknown_is_not_started(place: Path, talk: Open) -> None:
    poet(place / ".claude/agents", "tools: Rhyme")
    one = await talk(works(subagent_type="poet"))
    await one.say("go")
    assert "names no tool that there is here (Rhyme)" in str(one.result("toolu_work").content)


async def test_agents_of_an_untrusted_folder_are_not_started(place: Path, talk: Open) -> None:
    poet(place / ".claude/agents")
    one = await talk(works(subagent_type="poet"), is_trusted=False)
    await one.say("go")
    assert "There is no agent type 'poet'" in str(one.result("toolu_work").content)
    assert one.of(AgentStarted) == []


@pytest.mark.parametrize(("mode", "is_refused"), [("dontAsk", True), ("bypassPermissions", True)])
async def test_a_mode_that_a_file_asks_for_gives_nothing(place: Path, talk: Open, mode: str, is_refused: bool) -> None:
    poet(place / ".claude/agents", f"permissionMode: {mode}")
    write = reply(calls(0, "Write", {"file_path": str(place / "x"), "content": "x"}, "toolu_w"), stop="tool_use")
    one = await talk(works(write, subagent_type="poet"))
    await one.say("go")
    assert (one.result("toolu_w").error_kind == "denied") is is_refused
    assert not (place / "x").exists()


async def test_what_comes_while_a_session_runs_counts_and_is_told_without_another_tool_list(
    place: Path, talk: Open
) -> None:
    model = AgentModel(
        reply(says(0, "hi")), agent("work", subagent_type="poet"), reply(says(0, "ok")), work=[reply(says(0, "ode"))]
    )
    one = await talk(model)
    await one.say("hello")
    poet(place / ".claude/agents")
    await one.say("go")
    assert str(one.result("toolu_work").content).startswith("ode")
    assert "More types of agents can be started: poet: Writes poems" in json.dumps(model.requests[1].messages)
    assert json.dumps(model.requests[0].tools) == json.dumps(model.requests[1].tools)


async def test_types_of_the_command_line(talk: Open) -> None:
    given = json.dumps({"poet": {"description": "Writes", "prompt": "You rhyme.", "tools": ["Read"]}})
    model = works(subagent_type="poet")
    one = await talk(model, agents=given)
    await one.say("go")
    assert "You rhyme." in model.of["work"][0].system[0]["text"]
    with pytest.raises(SessionConfigError, match="--agents"):
        await talk(works(), agents="{")


async def test_hooks_and_skills_of_a_file_count_while_its_agent_works(place: Path, talk: Open) -> None:
    skill = place / ".claude/skills/rhyme/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: rhymes\n---\nMoon, June.\n")
    poet(
        place / ".claude/agents",
        "skills: rhyme, missing",
        'hooks: {Stop: [{hooks: [{type: command, command: "touch stopped"}]}], '
        'PreToolUse: [{matcher: Glob, hooks: [{type: command, command: "cat > used.json"}]}]}',
    )
    use = reply(calls(0, "Glob", {"pattern": "*"}, "toolu_g"), stop="tool_use")
    model = AgentModel(
        use,
        reply(says(0, "no hook of an agent's yet")),
        agent("work", subagent_type="poet"),
        reply(says(0, "ok")),
        work=[use, reply(says(0, "done"))],
    )
    one = await talk(model)
    await one.say("look yourself")
    assert not (place / "used.json").exists()
    assert not (place / "stopped").exists()
    await one.say("go")
    assert json.loads((place / "used.json").read_text())["agent_type"] == "poet"
    assert (place / "stopped").exists()
    assert "Moon, June." in json.dumps(model.of["work"][0].messages)


async def test_an_agent_starts_only_the_types_that_its_file_names(place: Path, talk: Open) -> None:
    poet(place / ".claude/agents", "tools: Agent(Explore), Read")
    model = AgentModel(
        agent("work", subagent_type="poet"),
        reply(says(0, "ok")),
        work=[agent("other"), reply(says(0, "done"))],
    )
    one = await talk(model)
    await one.say("go")
    assert "Types: Explore." in str(one.result("toolu_other").content)
