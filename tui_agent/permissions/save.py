"""Keeping a rule for good: one more line in a settings file of the app's own, everything else in it left as it was."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent import nofollow
from tui_agent.permissions.rules import Behavior, RuleError, RuleSource, parse_rule
from tui_agent.settings import standard_paths
from tui_agent.settings.change import ChangeError, change_file
from tui_agent.settings.confirmed import forget_written, note_written
from tui_agent.settings.trust import is_trusted

__all__ = ["SaveError", "remove_rule", "rule_file", "save_rule"]

_LARGEST_EXCLUDE: Final = 1_000_000  # bytes; a longer list is left alone


class SaveError(ValueError):
    """The file holds something that must not be overwritten; the message names it and says what is wrong."""


def save_rule(
    rule: str,
    scope: Literal["local", "project", "user"],
    *,
    start_dir: Path,
    behavior: Behavior = "allow",
    config_dir: Path | None = None,
    home: Path | None = None,
) -> Path:
    """Add a rule to the settings of one scope; return the file.

    The file is replaced in one step. A rule that is there already is not added twice. The local file is kept out of git by
    the repository's own exclude list, which is not shared.

    Args:
        rule: the rule as it will be read back.
        scope: `local` for this user in this project, `project` for everybody in it, `user` for this user everywhere.
        start_dir: the folder the session was started in.
        behavior: the list it joins.
        config_dir: where the user's own settings lie, by default where the platform keeps them.
        home: the user's home folder, by default the real one.

    Raises:
        RuleError: the rule means nothing.
        SaveError: the file is not valid, or holds something else where rules belong.
        OSError: the file cannot be read or written.
    """
    parsed = parse_rule(rule, behavior, RuleSource(scope, scope, str(start_dir)))
    if parsed.is_inert:
        raise RuleError(parsed.warning)
    file = rule_file(scope, start_dir=start_dir, config_dir=config_dir, home=home)
    if scope != "user" and _is_elsewhere(file, config_dir, home):
        raise SaveError(f"{file} is a link to settings elsewhere; the rule was not saved")
    _add(rule, behavior, file)
    if (
        scope != "user" and behavior == "allow"
    ):  # the user's word; what stands in a folder's file by itself is only what the folder says
        note_written(file, ("permissions", behavior), [rule])
    if scope == "local":
        _keep_out_of_git(file)
    return file


def rule_file(
    scope: Literal["local", "project", "user"],
    *,
    start_dir: Path,
    config_dir: Path | None = None,
    home: Path | None = None,
) -> Path:
    """Return the settings file that rules of one scope are saved in; it may not exist yet."""
    match scope:
        case "local":
            return standard_paths.local_settings_file(start_dir, home=home)
        case "project":
            return standard_paths.project_settings_file(start_dir)
        case "user":
            return standard_paths.user_settings_file(config_dir)


def remove_rule(rule: str, behavior: Behavior, file: Path) -> bool:
    """Take a rule out of a settings file, wherever in its list it stands; False when it was not there.

    Raises:
        SaveError: the file is not valid, or holds something else where rules belong.
        OSError: the file cannot be read or written.
    """
    found = False

    def change(settings: dict[str, Any]) -> bool:
        nonlocal found
        permissions = settings.get("permissions", {})
        rules = permissions.get(behavior, []) if isinstance(permissions, dict) else None
        if not isinstance(rules, list):
            raise SaveError(f"{file} has no list of rules at `permissions.{behavior}`; the rule was not removed")
        kept = [one for one in rules if not (isinstance(one, str) and one.strip() == rule)]
        found = len(kept) < len(rules)
        rules[:] = kept
        return found

    try:
        change_file(file, change)
    except ChangeError as error:
        raise SaveError(f"{error}; the rule was not removed") from None
    if found and behavior == "allow":
        forget_written(file, ("permissions", behavior), rule)
    return found


def _is_elsewhere(file: Path, config_dir: Path | None, home: Path | None) -> bool:
    """Whether a project's file is a link to settings that hold elsewhere: what is meant for a project stays there.

    Until the folder is trusted, wherever such a link leads is elsewhere.
    """
    real = _real(file)
    if real.is_relative_to(os.path.realpath(file.parent.parent)):
        return False
    if not is_trusted(file.parent.parent):
        return True
    persons = (standard_paths.user_settings_file(config_dir), standard_paths.claude_dir(home) / "settings.json")
    return real.parent.name in {".tui-agent", standard_paths.CLAUDE_FOLDER} or real in map(_real, persons)


def _real(file: Path) -> Path:
    return Path(os.path.realpath(file))


def _add(rule: str, behavior: Behavior, file: Path) -> None:
    def change(settings: dict[str, Any]) -> bool:
        permissions = settings.setdefault("permissions", {})
        rules = permissions.setdefault(behavior, []) if isinstance(permissions, dict) else None
        if not isinstance(rules, list):
            raise SaveError(f"{file} has no list of rules at `permissions.{behavior}`; the rule was not saved")
        if rule in rules:
            return False
        rules.append(rule)
        return True

    try:
        change_file(file, change)
    except ChangeError as error:
        raise SaveError(f"{error}; the rule was not saved") from None


def _keep_out_of_git(file: Path) -> None:
    """Add the file to `.git/info/exclude`. That it cannot be is no reason to lose the rule.

    The repository may be anybody's: no link in its `.git` is followed.
    """
    git = os.path.realpath(standard_paths.project_root(file.parent.parent)) + "/.git"
    line = f"**/{standard_paths.LOCAL_SETTINGS}"
    exclude = f"{git}/info/exclude"
    try:
        with nofollow.Folders() as folders:
            if not stat.S_ISDIR(folders.status(git).st_mode):
                return
            with contextlib.suppress(FileExistsError):
                folders.make(f"{git}/info")
            handle = folders.open(exclude, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY)
            with open(handle, "r+b", buffering=0) as out:  # noqa: PTH123 - a descriptor
                known = out.read(_LARGEST_EXCLUDE) if stat.S_ISREG(os.fstat(handle).st_mode) else None
                if known is not None and len(known) < _LARGEST_EXCLUDE and line not in known.decode().splitlines():
                    separator = "" if not known or known.endswith(b"\n") else "\n"
                    out.write(f"{separator}{line}\n".encode())
    except (OSError, UnicodeDecodeError):
        pass
