"""Finding and reading skills: which names they get, and that a bad file costs nothing but itself and is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.skills import reading
from tui_agent.skills.catalog import SkillCatalog, load_catalog
from tui_agent.skills.places import nested_places, skill_places
from tui_agent.skills.reading import SkillFiles


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "project/.git/HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path / "project"


def load(project: Path, *, is_trusted: bool = True, files: SkillFiles | None = None, **rest: object) -> SkillCatalog:
    home = project.parent / "home"
    folders = {name: project.parent / name for name in ("policy", "claude_policy", "config")}
    places = skill_places(project, is_trusted=is_trusted, home=home, claude=home / ".claude", **folders)
    return load_catalog(places, files or SkillFiles(), **rest)  # type: ignore[arg-type]


def said(catalog: SkillCatalog, part: str) -> list[str]:
    return [str(problem) for problem in catalog.problems if part in problem.file]


def test_places_in_their_order(project: Path) -> None:
    home = project.parent / "home"
    for folder in (
        home / ".claude",
        project / ".claude",
        project / ".tui-agent",
        project / ".agents",
        home / ".agents",
    ):
        write(folder / "skills/same/SKILL.md", f"from {folder}")
    write(home / ".claude/commands/same.md", "a command")
    write(project.parent / "policy/skills/strict/SKILL.md", "from the policy")
    write(project / ".claude/commands/sub/strict.md", "of the project")
    found = load(project)
    assert found.skills["same"].body == f"from {home / '.claude'}"
    assert found.skills["strict"].source == "policy"
    assert found.skills["sub:strict"].body == "of the project"
    left_out = [problem.file for problem in found.problems if problem.is_left_out]
    assert len(left_out) == 5  # of the same name, each said
    assert found.find("sub:strict") is not None


def test_skills_of_folders_between_the_start_and_the_root(project: Path) -> None:
    write(project / ".claude/skills/top/SKILL.md", "top")
    write(project / "a/b/.claude/skills/deep/SKILL.md", "deep")
    home = project.parent / "home"
    places = skill_places(project / "a/b", is_trusted=True, home=home, claude=home / ".claude", config=home / "c")
    assert {"top", "deep"} <= load_catalog(places, SkillFiles()).skills.keys()
    assert "deep" not in load(project).skills
    write(project / ".claude/skills/deep/SKILL.md", "another")
    files = SkillFiles()
    places = skill_places(project, is_trusted=True, home=home, claude=home / ".claude", config=home / "c")
    nested = nested_places(project / "a/b/file.py", project, is_trusted=True)
    found = load_catalog((*places, *nested), files)
    assert found.skills["deep"].body == "another"
    assert found.skills["a/b:deep"].body == "deep"


def test_the_whole_header(project: Path) -> None:
    header = """\
name: all
description: >
  What it
  does.
when_to_use: Always.
argument-hint: [issue]
arguments: issue priority
disable-model-invocation: yes
user-invocable: "off"
allowed-tools: Bash(git add *), Read Edit
disallowed-tools:
  - Write
model: inherit
context: fork
agent: Explore
paths: ["src/**", "*.md"]
license: MIT
metadata: {author: somebody}
"""
    write(project / ".claude/skills/all/SKILL.md", f"---\n{header}---\n\nBody.\n")
    (skill,) = load(project).skills.values()
    assert skill.words == "What it does. Always."
    assert skill.argument_hint == "[issue]"
    assert skill.arguments == ("issue", "priority")
    assert not skill.is_for_model
    assert not skill.is_for_user
    assert skill.allowed_tools == ("Bash(git add *)", "Read", "Edit")
    assert skill.disallowed_tools == ("Write",)
    assert (skill.model, skill.is_forked, skill.agent) == ("", True, "Explore")
    assert skill.paths == ("src/**", "*.md")
    assert skill.body == "Body."
    assert load(project).problems == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\ndescription: Use when: always\n---\nBody.", "the header is not YAML"),
        ("---\n- one\n- two\n---\nBody.", "not a list of `key: value` lines"),
        ("---\nunclosed: [\n---\nBody.", "the header is not YAML"),
        ("---\ndescription: never closed\nBody.", "has no end"),
        ("---\na: &x [1]\nb: *x\n---\nBody.", "anchors and aliases"),
        (f"---\na: {'[' * 60}{']' * 60}\n---\nBody.", "nests too deep"),
        (f"---\na: {'[' * 30000}\n---\nBody.", "nests too deep"),
        ("---\nwhen: !!python/object/apply:os.system ['touch made']\n---\nBody.", "not YAML"),
        ("---\ndescription: {a: b}\n---\nBody.", "`description` must be text"),
        ("---\ntools: Read\ncolour: red\n---\nBody.", "`colour`, `tools` means nothing here"),
        ("---\nuser-invocable: maybe\n---\nBody.", "must be true or false"),
        ("---\nname: other\n---\nBody.", "it is called odd, as its folder"),
    ],
)
def test_an_odd_header_is_said_and_the_body_counts(
    text: str, reason: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    write(project / ".claude/skills/odd/SKILL.md", text)
    write(project / ".claude/skills/fine/SKILL.md", "Fine.")
    found = load(project)
    assert found.skills.keys() == {"odd", "fine"}
    assert "Body." in found.skills["odd"].body
    assert any(reason in line for line in said(found, "odd")), said(found, "odd")
    assert not (project / "made").exists()


def test_a_header_that_is_no_yaml_grants_nothing(project: Path) -> None:
    header = "description: Use when: asked\nallowed-tools: Bash\nmodel: opus\ndisable-model-invocation: true"
    write(project / ".claude/skills/odd/SKILL.md", f"---\n{header}\n---\nBody.")
    (skill,) = load(project).skills.values()
    assert skill.description == "Use when: asked"
    assert skill.allowed_tools == ()
    assert skill.model == ""
    assert not skill.is_for_model


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("ctrl\x1b[2J", b"x", "control characters"),
        ("two words", b"x", "holds blanks"),
        ("zero\u200bwidth", b"x", "ZERO WIDTH SPACE"),
        ("n" * 120, b"x", "longer than 100"),
        ("latin", b"caf\xe9", "not UTF-8"),
        ("nulls", b"a\0b", "null bytes"),
        ("empty", b"---\n---\n", "it is empty"),
        ("large", b"x" * (reading.MAX_BYTES + 1), "longer than"),
    ],
)
def test_what_cannot_be_used_is_left_out_with_the_reason(name: str, content: bytes, reason: str, project: Path) -> None:
    file = project / ".claude/skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    found = load(project)
    assert found.skills == {}
    (problem,) = found.problems
    assert problem.is_left_out
    assert reason in problem.text
    assert "\x1b" not in str(problem)


def test_links_that_lead_out_of_the_project_are_not_read(project: Path) -> None:
    outside = project.parent / "outside"
    write(outside / "SKILL.md", "secret")
    write(outside / "secret.md", "secret")
    write(project / "inside/SKILL.md", "inside")
    skills, commands = project / ".claude/skills", project / ".claude/commands"
    (skills / "file").mkdir(parents=True)
    commands.mkdir()
    (skills / "folder").symlink_to(outside)
    (skills / "file/SKILL.md").symlink_to(outside / "SKILL.md")
    (skills / "good").symlink_to(project / "inside")
    (commands / "sub").symlink_to(outside)
    (commands / "one.md").symlink_to(outside / "secret.md")
    (project / ".agents").symlink_to(outside)
    (outside / "skills").mkdir()
    found = load(project)
    assert {skill.body for skill in found.skills.values()} == {"inside"}
    assert sorted(Path(problem.file).name for problem in found.problems) == [
        "SKILL.md", "folder", "one.md", "skills", "sub",
    ]  # fmt: skip
    assert all("leads out of the project" in problem.text for problem in found.problems)


def test_a_loop_of_links_ends(project: Path) -> None:
    commands = project / ".claude/commands"
    write(commands / "a/b/one.md", "one")
    (commands / "a/b/again").symlink_to(commands)
    assert load(project).find("one") is not None


def test_devices_and_pipes_are_not_opened(project: Path) -> None:
    import os

    folder = project / ".claude/skills/pipe"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "SKILL.md")
    (problem,) = load(project).problems
    assert "not a regular file" in problem.text


def test_no_skill_takes_the_name_of_a_built_in_command(project: Path) -> None:
    write(project / ".claude/commands/clear.md", "mine")
    found = load(project, reserved={"clear"})
    assert found.for_user == ()
    assert [skill.name for skill in found.for_model] == ["clear"]
    assert "a command of this program" in found.problems[0].text


def test_overrides_of_the_settings(project: Path) -> None:
    for name in ("on", "name-only", "user-invocable-only", "off"):
        write(project / f".claude/skills/{name}/SKILL.md", f"the words of {name}")
    exposure = {name: name for name in ("name-only", "user-invocable-only", "off")}
    found = load(project, exposure=exposure)
    assert [skill.name for skill in found.for_model] == ["name-only", "on"]
    assert [skill.name for skill in found.for_user] == ["name-only", "on", "user-invocable-only"]
    assert found.find("off") is None


def test_hundreds_are_read_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(500):
        write(project / f".claude/skills/s{number}/SKILL.md", f"---\ndescription: number {number}\n---\nText.")
    files = SkillFiles()
    assert len(load(project, files=files).skills) == 500
    read: list[Path] = []
    monkeypatch.setattr(reading, "_read_text", lambda path: read.append(path) or "Text.")
    write(project / ".claude/skills/s7/SKILL.md", "changed to something longer than before, and without a header")
    assert len(load(project, files=files).skills) == 500
    assert [path.parent.name for path in read] == ["s7"]
