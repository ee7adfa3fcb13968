"""`settings explain`, `settings files`, `settings schema`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a settings file, named from the folder that is both home and project here."""

    def write(name: str, content: Any) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return write


OWN = "config/tui-agent/settings.json"
PROJECT = ".tui-agent/settings.json"


def test_a_key_is_explained_with_every_source_that_says_something(in_process: Run, files: Any) -> None:
    user = files(OWN, '{\n"model": "weak"}')
    project = files(PROJECT, '{\n\n"model": "strong"}')
    code, out, _ = in_process("settings", "explain", "model", "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["key"], answer["value"], answer["state"]) == ("model", "strong", "set")
    assert [(item["file"], item["line"], item["value"], item["counts"]) for item in answer["sources"]] == [
        (str(project), 3, "strong", True),
        (str(user), 2, "weak", False),
    ]
    assert answer["sources"][1]["reason"] == "a stronger source has its own value"
    _, out, _ = in_process("settings", "explain", "model")
    first, meaning, *rest = out.splitlines()
    assert first == 'model = "strong"'
    assert "model" in meaning
    assert rest == [
        f'  project settings, {project}:3: "strong" (counts)',
        f'  user settings, {user}:2: "weak" (does not count: a stronger source has its own value)',
    ]


def test_what_the_command_line_says_is_a_source_too(in_process: Run, files: Any) -> None:
    files(OWN, {"model": "weak"})
    _, out, _ = in_process("settings", "explain", "model", "--json", "--settings", '{"model": "flag"}')
    assert [item["source"] for item in json.loads(out)["sources"]] == ["command line", "user settings"]
    _, out, _ = in_process("settings", "explain", "model", "--json", "--setting-sources", "project")
    assert json.loads(out)["sources"] == []


def test_a_key_that_nobody_has_set_has_its_default(in_process: Run) -> None:
    code, out, _ = in_process("settings", "explain", "maskSecrets")
    assert (code, out.splitlines()[0]) == (0, "maskSecrets = true")
    assert "default" in out
    _, out, _ = in_process("settings", "explain")
    assert "All settings have their default values." in out


def test_all_keys_are_listed_with_their_place_ours_first(in_process: Run, files: Any) -> None:
    content = {"wrong": 1, "outputStyle": "plain", "model": "m", "env": {"B": "2", "A": "1"}}
    file = files(OWN, content)
    files(PROJECT, {"permissions": {"allow": ["Bash"]}})
    _, out, _ = in_process("settings", "explain")
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert [key for key, _ in lines] == ["permissions.allow", "env.A", "env.B", "model", "outputStyle", "wrong"]
    assert "held back" in lines[0][1]
    assert lines[3][1] == f'"m"  user, {file}:1'
    assert "not used" in lines[4][1]
    assert "unknown" in lines[5][1]
    _, out, _ = in_process("settings", "explain", "--json")
    assert [json.loads(line)["state"] for line in out.splitlines()] == [
        "held back", "set", "set", "set", "not used", "unknown",
    ]  # fmt: skip


def test_what_looks_secret_is_not_printed(in_process: Run, files: Any) -> None:
    files(OWN, {"env": {"MY_API_KEY": "hush-hush", "PLAIN": "seen"}})
    for key in ((), ("env",), ("env.MY_API_KEY",)):
        for flag in ((), ("--json",)):
            _, out, _ = in_process("settings", "explain", *key, *flag)
            assert "hush-hush" not in out
            assert "(hidden)" in out
    assert "seen" in in_process("settings", "explain", "env.PLAIN")[1]


@pytest.mark.parametrize(
    ("key", "near"),
    [("defaultMode", "permissions.defaultMode"), ("modell", "model"), ("sandbox.enable", "sandbox.enabled")],
)
def test_a_key_that_is_none_is_refused_with_what_may_have_been_meant(in_process: Run, key: str, near: str) -> None:
    code, out, err = in_process("settings", "explain", key)
    assert (code, out) == (2, "")
    assert f"there is no setting `{key}`" in err
    assert near in err


def test_problems_go_to_standard_error_with_their_place(in_process: Run, files: Any) -> None:
    file = files(OWN, '{\n"maxTurns": "f"}')
    code, out, err = in_process("settings", "explain", "maxTurns", "--json")
    assert (code, json.loads(out)["value"]) == (0, None)
    assert f"{file}:2: `maxTurns` must be a whole number" in err


def test_files_are_listed_with_what_became_of_them(in_process: Run, files: Any, tmp_path: Path) -> None:
    files(OWN, {})
    assert in_process("settings", "files")[0] == 0
    broken = files(".claude/settings.local.json", "{")
    code, out, err = in_process("settings", "files", "--json")
    found = {item["file"]: (item["source"], item["state"]) for item in map(json.loads, out.splitlines())}
    assert code == 1
    assert found[str(tmp_path / OWN)] == ("user", "read")
    assert found[str(broken)] == ("local", "broken")
    assert found[str(tmp_path / PROJECT)] == ("project", "absent")
    assert found["/etc/claude-code/managed-settings.json"][0] == "policy"
    assert f"{broken}:1" in err


def test_the_schema_is_printed_and_usable(in_process: Run) -> None:
    code, out, _ = in_process("settings", "schema")
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"permissions": {"deny": ["Bash(rm *)"]}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"permissions": {"deny": "Bash(rm *)"}}, schema)
    assert code == 0


def test_wrong_usage_is_told(in_process: Run) -> None:
    assert in_process("settings")[0] == 2
    assert in_process("settings", "explain", "a", "b")[0] == 2
    code, _, err = in_process("settings", "explain", "--settings", "{")
    assert code == 2
    assert "--settings" in err


def test_until_a_folder_is_trusted_its_rules_that_allow_do_nothing_and_those_that_deny_do(
    in_process: Run, files: Any, tmp_path: Path
) -> None:
    from tui_agent.settings.trust import trust

    files("work/.claude/settings.json", {"permissions": {"allow": ["Bash(npm *)"], "deny": ["Bash(rm *)"]}})
    cwd = ("--cwd", str(tmp_path / "work"))

    def verdicts() -> list[str]:
        commands = ("npm test", "rm x")
        answers = (
            in_process("permissions", "explain", "Bash", json.dumps({"command": command}), *cwd)[1]
            for command in commands
        )
        return [json.loads(answer)["verdict"] for answer in answers]

    assert verdicts() == ["ask", "deny"]
    assert "held back" in in_process("settings", "explain", "permissions.allow", *cwd)[1]
    trust(tmp_path / "work")
    assert verdicts() == ["allow", "deny"]
    assert "(counts)" in in_process("settings", "explain", "permissions.allow", *cwd)[1]
