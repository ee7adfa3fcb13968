"""One skill, or one command, as it stands in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Exposure", "Skill", "SkillKind", "SkillProblem", "SkillSource"]

SkillKind = Literal["skill", "command"]
SkillSource = Literal["policy", "user", "project", "plugin"]
# Who is offered a skill, as the setting `skillOverrides` says: everybody, by its name alone, the user only, nobody.
Exposure = Literal["on", "name-only", "user-invocable-only", "off"]


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """Something about a file that does not count, or a file that is left out altogether (`is_left_out`), and why."""

    file: str
    text: str
    is_left_out: bool = False

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What a file says of itself, and its text.

    `name` is what it is called by: `review`, `plugin:review`, `frontend/review`. `folder` is where the files that belong to it
    lie. `arguments` names its arguments; empty: they have numbers only. `allowed_tools` and `disallowed_tools` are rules as
    text. `is_trusted` is false for one that comes with a folder which is not trusted: then its text can be read, but nothing of
    it runs and nothing that it allows counts.

    `is_for_model` says whether the model may invoke it, `is_for_user` whether it is offered after `/`. `hooks` is as in
    settings. `plugin_root` is the folder of the plugin that it comes with. `paths` are globs, relative to `base`; the model is
    offered the skill when it has worked on a file that fits. `label` is the subfolder that a command lies in.
    """

    name: str
    kind: SkillKind
    source: SkillSource
    file: Path
    folder: Path
    body: str
    description: str = ""
    when_to_use: str = ""
    argument_hint: str = ""
    arguments: tuple[str, ...] = ()
    is_for_model: bool = True
    is_for_user: bool = True
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    model: str = ""
    is_forked: bool = False
    agent: str = ""
    paths: tuple[str, ...] = ()
    base: Path | None = None
    label: str = ""
    hooks: Mapping[str, Any] = field(default_factory=dict)
    is_trusted: bool = True
    plugin: str = ""
    plugin_root: Path | None = None

    @property
    def words(self) -> str:
        """What it is for: its description, when to use it, else its first line."""
        said = " ".join(filter(None, (self.description, self.when_to_use)))
        return said or next((line.strip("# \t") for line in self.body.splitlines() if line.strip("# \t")), "")

    @property
    def place(self) -> str:
        """Where it comes from, in a word or two: `project`, `user`, `policy`, `plugin NAME`."""
        return f"plugin {self.plugin}" if self.source == "plugin" else self.source

    @property
    def full_name(self) -> str:
        """The name with the subfolder that it lies in: `frontend:component`."""
        return f"{self.label}:{self.name}" if self.label else self.name
