"""Settings from several sources: what counts, what is left out, and who said it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from settings_desk import Desk

from tui_agent.settings.load import SettingsError


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_without_any_file_everything_has_its_default(desk: Desk) -> None:
    settings = desk.load()
    assert (settings.problems, settings.rules, settings.values.model) == ((), (), None)
    assert settings.project_root == desk.project


def test_a_value_comes_from_the_strongest_source(desk: Desk) -> None:
    order = ["user", "policy", "project", "local"]
    for source in order:
        desk.write(source, {"model": source})
        assert desk.load().values.model == source
    assert desk.load(inline='{"model": "flag"}').values.model == "flag"


def test_objects_are_merged_and_lists_joined(desk: Desk) -> None:
    desk.write("user", {"env": {"A": "user", "B": "user"}, "permissions": {"deny": ["X", "Y"]}})
    desk.write("project", {"env": {"A": "project"}, "permissions": {"deny": ["Y", "Z"]}})
    values = desk.load().values
    assert values.env == {"A": "project", "B": "user"}
    assert set(values.permissions.deny) == {"X", "Y", "Z"}
    assert len(values.permissions.deny) == 3


def test_one_bad_entry_is_left_out_and_the_rest_holds(desk: Desk) -> None:
    text = """{
"permissions": {"allow": ["Read",
7,
"Bash(ls *)"],
"defaultMode": "free"},
"env": {"A": 1, "B": "b"},
"maxTurns": 0
}"""
    file = desk.write("user", text)
    settings = desk.load()
    assert settings.values.permissions.allow == ("Read", "Bash(ls *)")
    assert settings.values.env == {"B": "b"}
    assert [(problem.file, problem.line) for problem in settings.problems] == [
        (str(file), line) for line in (3, 5, 6, 7)
    ]
    assert "`permissions.allow` must be text, not 7" in settings.problems[0].text


def test_a_malformed_file_is_named_with_its_place_and_the_others_hold(desk: Desk) -> None:
    file = desk.write("project", '{\n  "model": "a",\n}')
    desk.write("user", {"model": "b"})
    settings = desk.load()
    assert settings.values.model == "b"
    assert str(settings.problems[0]).startswith(f"{file}:2: column ")


@pytest.mark.parametrize("content", ["[]", "3", '"x"', "null"])
def test_a_file_that_holds_no_object_is_left_out(desk: Desk, content: str) -> None:
    desk.write("user", content)
    assert "must be an object" in desk.load().problems[0].text


def test_a_file_that_is_not_text_or_cannot_be_read_is_a_problem(desk: Desk) -> None:
    desk.write("user", "").write_bytes(b"\xff\xfe{")
    (desk.project / ".tui-agent").mkdir()
    (desk.project / ".tui-agent/settings.json").mkdir()
    texts = [problem.text for problem in desk.load().problems]
    assert len(texts) == 2
    assert any("UTF-8" in text for text in texts)
    assert any("cannot be read" in text for text in texts)


def test_a_pipe_or_a_device_in_a_files_place_is_not_waited_for(desk: Desk) -> None:
    folder = desk.project / ".tui-agent"
    folder.mkdir()
    os.mkfifo(folder / "settings.json")
    (folder / "settings.local.json").symlink_to("/dev/zero")
    texts = [problem.text for problem in desk.load().problems]
    assert len(texts) == 2
    assert all("not a regular file" in text for text in texts)


def test_unknown_keys_and_an_empty_file_are_no_problem(desk: Desk) -> None:
    desk.write("user", {"$schema": "x", "someday": {"a": 1}})
    desk.write("project", "")
    assert desk.load().problems == ()


def test_an_untrusted_folder_can_tighten_but_not_loosen(desk: Desk) -> None:
    loose = {
        "env": {"A": "1"},
        "permissions": {"allow": ["Bash"], "additionalDirectories": ["/etc"], "defaultMode": "acceptEdits"},
    }
    tight = {"permissions": {"deny": ["Read(.env)"], "ask": ["Bash(git *)"]}}
    desk.write("project", loose)
    desk.write("local", tight)
    settings = desk.load(is_trusted=False)
    assert settings.values.env == {}
    assert settings.values.permissions.allow == ()
    assert settings.values.permissions.default_mode is None
    assert settings.additional_directories == ()
    assert {(rule.behavior, rule.text) for rule in settings.rules if not rule.is_held_back} == {
        ("deny", "Read(.env)"),
        ("ask", "Bash(git *)"),
    }
    assert len(settings.held_back) == 4
    trusted = desk.load(is_trusted=True)
    assert trusted.values.env == {"A": "1"}
    assert trusted.values.permissions.default_mode == "acceptEdits"
    assert trusted.additional_directories == (Path("/etc"),)


def test_an_untrusted_folder_may_start_in_a_tighter_mode(desk: Desk) -> None:
    desk.write("project", {"permissions": {"defaultMode": "plan"}})
    assert desk.load(is_trusted=False).values.permissions.default_mode == "plan"


def test_the_users_own_settings_need_no_trust(desk: Desk) -> None:
    desk.write("user", {"permissions": {"allow": ["Bash(ls *)"]}})
    assert [rule.is_held_back for rule in desk.load(is_trusted=False).rules] == [False]


def test_a_shared_file_cannot_switch_questions_off(desk: Desk) -> None:
    desk.write("project", {"permissions": {"defaultMode": "bypassPermissions"}})
    settings = desk.load()
    assert settings.values.permissions.default_mode is None
    assert len(settings.problems) == 1
    desk.write("user", {"permissions": {"defaultMode": "bypassPermissions"}})
    assert desk.load().values.permissions.default_mode == "bypassPermissions"


def test_only_a_policy_can_make_its_rules_the_only_ones(desk: Desk) -> None:
    desk.write("user", {"allowManagedPermissionRulesOnly": True, "permissions": {"allow": ["Bash"]}})
    assert [rule.text for rule in desk.load().rules] == ["Bash"]
    desk.write("policy", {"allowManagedPermissionRulesOnly": True, "permissions": {"deny": ["Read(.env)"]}})
    assert [rule.text for rule in desk.load().rules] == ["Read(.env)"]


def test_later_policy_files_lie_over_earlier_ones(desk: Desk) -> None:
    desk.write("policy", {"model": "first", "theme": "a"})
    (desk.policy / "settings.d").mkdir()
    (desk.policy / "settings.d/20.json").write_text('{"model": "third"}')
    (desk.policy / "settings.d/10.json").write_text('{"model": "second"}')
    values = desk.load().values
    assert (values.model, values.theme) == ("third", "a")


def test_sources_can_be_chosen(desk: Desk) -> None:
    desk.write("user", {"model": "user"})
    desk.write("project", {"model": "project"})
    desk.write("policy", {"theme": "held"})
    settings = desk.load(sources=["user"])
    assert (settings.values.model, settings.values.theme) == ("user", "held")
    with pytest.raises(SettingsError, match="everyone"):
        desk.load(sources=["everyone"])


def test_settings_on_the_command_line_may_be_json_or_a_file(desk: Desk) -> None:
    (desk.project / "extra.json").write_text('{"model": "file", "permissions": {"deny": ["Read(/x)"]}}')
    settings = desk.load(inline="extra.json")
    assert settings.values.model == "file"
    assert settings.rules[0].base == desk.project
    for wrong in ("{bad", "missing.json", "{}" + " " * (2 * 1024 * 1024)):
        with pytest.raises(SettingsError):
            desk.load(inline=wrong)


def test_rules_know_their_line_and_where_their_paths_start(desk: Desk) -> None:
    sub = desk.project / "sub"
    sub.mkdir()
    desk.write("project", '{"permissions": {\n"deny": [\n"Read(/x)"]}}')
    desk.write("local", {"permissions": {"deny": ["Read(/y)"]}})
    desk.write("user", {"permissions": {"deny": ["Read(/z)"]}})
    rules = {rule.text: (rule.kind, rule.line, rule.base) for rule in desk.load(start_dir=sub).rules}
    assert rules == {
        "Read(/x)": ("project", 3, desk.project),
        "Read(/y)": ("local", 1, sub),
        "Read(/z)": ("user", 1, desk.config),
    }


def test_explain_tells_who_said_what_and_what_counts(desk: Desk) -> None:
    desk.write("user", '{\n"model": "u",\n"env": {"A": "1"}}')
    desk.write("project", {"model": "p", "env": {"B": "2"}})
    settings = desk.load(is_trusted=False)
    model = settings.explain("model")
    assert [(item.source, item.value, item.counts) for item in model] == [
        ("project settings", "p", True),
        ("user settings", "u", False),
    ]
    assert model[1].line == 2
    assert [(item.source, item.counts) for item in settings.explain("env")] == [
        ("project settings", False),
        ("user settings", True),
    ]
    assert settings.explain("no.such.key") == ()


def test_added_folders_are_made_absolute(desk: Desk) -> None:
    desk.write("user", {"permissions": {"additionalDirectories": ["~/notes", "../other", "/abs/", "../other"]}})
    assert desk.load().additional_directories == (desk.home / "notes", desk.project.parent / "other", Path("/abs"))


def test_a_feature_that_does_not_exist_is_left_out_and_those_that_do_are_named(desk: Desk) -> None:
    file = desk.write("project", '{\n "features": [\n  "proactive",\n  "proactve"]\n}')
    settings = desk.load()
    assert settings.values.features == ("proactive",)
    known = "'architect', 'kairos', 'memory' or 'proactive'"
    assert list(map(str, settings.problems)) == [f'{file}:4: `features` must be {known}, not "proactve"; ignored']
