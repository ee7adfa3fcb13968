"""Invoking a skill: its text with arguments, outputs of its commands and files put in, and what it lets the model do.

A command of a skill is a use of Bash like any other, through every stage of one, except that nobody is asked: one that the
rules and the skill's own `allowed-tools` do not allow ends the invocation. What a skill allows never weakens a rule that denies
or asks, and is over with the turn. A skill of a folder that is not trusted runs nothing and allows nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tui_agent.changes import FileChange
from tui_agent.context_marks import neutral
from tui_agent.engine.context.attachments import Attached
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.engine.hooks.dispatcher import HookDispatcher
from tui_agent.engine.skills.skill_hooks import skill_hooks
from tui_agent.engine.skills.skill_set import SkillSet
from tui_agent.events import Event
from tui_agent.execution.execution_context import ExecutionContext, Gate, PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.execution.results import text_of
from tui_agent.execution.single_use import run_one
from tui_agent.permissions.paths import escape
from tui_agent.permissions.rules import Rule, RuleError, RuleSource, parse_rule
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.settings.load import Settings
from tui_agent.skills.arguments import ArgumentValues
from tui_agent.skills.dynamic import Piece, pieces
from tui_agent.skills.skill import Skill
from tui_agent.text import clean_line
from tui_agent.tools.services import InvokedSkill, SkillError

__all__ = ["AgentSkills", "SkillInvoker", "rule_problems"]

_COMMAND_MS: Final = 120_000
_MOST_COMMANDS: Final = 20
_OFF: Final = "[Commands in skills are turned off by the setting disableSkillShellExecution.]"
_NOT_TRUSTED: Final = "this folder is not trusted, and nothing of it runs. Trust it, or take the commands out of {file}"


class SkillInvoker:
    """Invokes the skills of `skills`. Implements `SkillService` for tools.

    `context` is what tool uses that begin now share; `attach` reads the files that a text mentions. `variables` are what
    placeholders in braces stand for.
    """

    def __init__(
        self,
        skills: SkillSet,
        *,
        rulebook: Rulebook,
        hooks: HookDispatcher,
        settings: Callable[[], Settings],
        context: Callable[[], ExecutionContext],
        attach: Callable[[str, str], Awaitable[Attached]],
        variables: Mapping[str, str],
    ) -> None:
        self.skills = skills
        self._rulebook = rulebook
        self._hooks = hooks
        self._settings = settings
        self._context = context
        self._attach = attach
        self._variables = variables

    # --- for the Skill tool ------------------------------------------------------------------------------------------

    def problem_of(self, name: str) -> str:
        """Return why the model cannot invoke a skill of this name, with names that it may have meant; empty where it can."""
        catalog = self.skills.catalog
        skill = catalog.find(name.removeprefix("/"))
        if skill is not None and catalog.is_for_model(skill):
            return ""
        if skill is not None:
            return f"Only the user can invoke {skill.name}, by typing /{skill.name}."
        near = [other for other in catalog.nearest(name) if catalog.is_for_model(catalog.skills[other])]
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"There is no skill named {clean_line(name, 100)!r}.{hint}"

    async def invoke(self, name: str, arguments: str, tool_use_id: str) -> InvokedSkill:
        """Load a skill for the model.

        Raises:
            SkillError: it cannot be invoked, or one of its commands is not allowed or fails.
        """
        await self.skills.refresh()
        if problem := self.problem_of(name):
            raise SkillError(problem)
        skill = self.skills.catalog.find(name.removeprefix("/"))
        assert skill is not None
        return await self.load(skill, arguments, use_id=tool_use_id, parent=tool_use_id)

    def for_agent(self, context: ExecutionContext) -> AgentSkills:
        """Return the service of an agent, whose tool uses share `context`."""
        return AgentSkills(self, context)

    # --- for everybody -----------------------------------------------------------------------------------------------

    async def load(
        self,
        skill: Skill,
        arguments: str,
        *,
        use_id: str,
        parent: str | None = None,
        agent: ExecutionContext | None = None,
    ) -> InvokedSkill:
        """Return what the model gets of a skill, and let what it allows count until the turn ends.

        `use_id` names this invocation; uses of tools are children of `parent`, where there is one. For an agent, whose tool
        uses share `agent`, what the skill allows counts for its own commands only.

        Raises:
            SkillError: as in `invoke`. Nothing that it allows counts then.
        """
        key = f"skill {skill.name}"
        self._rulebook.grant(key, self._rules_of(skill))
        try:
            text = await self._text(skill, arguments, parent, agent or self._context())
            attached = await self._attach(use_id, skill.body) if "@" in skill.body else Attached()
        except BaseException:
            self._rulebook.withdraw(key)
            raise
        if agent is not None:
            self._rulebook.withdraw(key)
        elif skill.hooks and skill.is_trusted:
            self._hooks.hear_also(key, skill_hooks(skill))
        head = f'<invoked_skill name="{neutral(skill.name)}" folder="{neutral(str(skill.folder))}">'
        return InvokedSkill(
            name=skill.name,
            text=f"{head}\n{neutral(text)}\n</invoked_skill>",
            place=skill.place,
            file=str(skill.file),
            blocks=attached.blocks,
            facts=attached.facts,
            model=skill.model if skill.is_trusted else "",
            words=clean_line(skill.words, 300),
            agent_type=skill.agent,
            is_forked=skill.is_forked,
        )

    def _rules_of(self, skill: Skill) -> list[Rule]:
        """Return what a skill allows and forbids while it counts. Rules that mean nothing are told of by `rule_problems`."""
        source = RuleSource("session", f"skill {skill.name}", str(skill.base or skill.folder))
        wanted: list[tuple[str, Literal["allow", "deny"]]] = [(text, "deny") for text in skill.disallowed_tools]
        if skill.is_trusted:
            wanted += [(text, "allow") for text in skill.allowed_tools]
            if skill.kind == "skill":  # the files that belong to it may be read
                wanted.append((f"Read(/{escape(str(skill.folder))}/**)", "allow"))
        rules = []
        for text, behavior in wanted:
            try:
                rule = parse_rule(text, behavior, source)
            except RuleError:
                continue
            if not rule.is_inert:
                rules.append(rule)
        return rules

    # --- its text ----------------------------------------------------------------------------------------------------

    async def _text(self, skill: Skill, arguments: str, parent: str | None, context: ExecutionContext) -> str:
        given = ArgumentValues(arguments, skill.arguments, self._variables_of(skill))
        found = pieces(skill.body)
        commands = [piece for piece in found if piece.is_command]
        self._check_commands(skill, commands)
        parts = []
        for piece in found:
            if not piece.is_command:
                parts.append(given.put_into(piece.text))
            elif self._settings().values.disable_skill_shell_execution:
                parts.append(_OFF)
            else:
                parts.append(await self._output(skill, given.put_into(piece.text), parent, context))
        text = "".join(parts)
        if arguments and not given.is_used_in(skill.body):
            text = f"{text.rstrip()}\n\nARGUMENTS: {arguments}"
        return text

    def _check_commands(self, skill: Skill, commands: Sequence[Piece]) -> None:
        if not commands or self._settings().values.disable_skill_shell_execution:
            return
        if not skill.is_trusted:
            raise SkillError(f"/{skill.name} has commands, and {_NOT_TRUSTED.format(file=skill.file)}.")
        if len(commands) > _MOST_COMMANDS:
            raise SkillError(f"/{skill.name} has {len(commands)} commands; {_MOST_COMMANDS} may run ({skill.file}).")

    def _variables_of(self, skill: Skill) -> dict[str, str]:
        own = {"CLAUDE_SKILL_DIR": str(skill.folder)}
        if skill.plugin_root is not None:
            own["CLAUDE_PLUGIN_ROOT"] = str(skill.plugin_root)
        return {**self._variables, **own}

    async def _output(self, skill: Skill, command: str, parent: str | None, context: ExecutionContext) -> str:
        """Run one command and return what it printed.

        Raises:
            SkillError: it is not allowed, or fails.
        """
        gate = _SkillGate(context.gate)
        publish = context.publish if parent is not None else _publish_nothing
        shared = replace(context, gate=gate, publish=publish, ask_user=None)
        if skill.plugin_root is not None:
            shared = replace(shared, environment={**shared.environment, "CLAUDE_PLUGIN_ROOT": str(skill.plugin_root)})
        input: dict[str, Any] = {"command": command, "timeout": _COMMAND_MS, "description": f"for /{skill.name}"}
        run = await run_one(shared, "Bash", input, parent_tool_use_id=parent)
        outcome = run.outcome
        text = text_of(outcome.content)
        if outcome.is_error or outcome.ends_turn:
            why = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>").strip()
            shown = clean_line(command, 200)
            raise SkillError(f"/{skill.name} was not loaded: its command `{shown}` failed. {clean_line(why, 600)}")
        data = outcome.data or {}
        if "backgroundTaskId" in data:
            raise SkillError(
                f"/{skill.name} was not loaded: `{clean_line(command, 200)}` took longer than two minutes."
            )
        return text.rstrip("\n")


@dataclass(frozen=True, slots=True)
class AgentSkills:
    """The skills that an agent's model may invoke. Implements `SkillService`."""

    invoker: SkillInvoker
    context: ExecutionContext

    def problem_of(self, name: str) -> str:
        """Return why it cannot invoke a skill of this name."""
        return self.invoker.problem_of(name)

    async def invoke(self, name: str, arguments: str, tool_use_id: str) -> InvokedSkill:
        """Load a skill; nothing that it allows counts for the agent."""
        if problem := self.invoker.problem_of(name):
            raise SkillError(problem)
        skill = self.invoker.skills.catalog.find(name.removeprefix("/"))
        assert skill is not None
        return await self.invoker.load(skill, arguments, use_id=tool_use_id, parent=tool_use_id, agent=self.context)


def _publish_nothing(_event: Event) -> None:
    """Tell nobody: what is run for a message that is not sent yet has no place in the conversation."""


@dataclass(frozen=True, slots=True)
class _SkillGate:
    """The door for commands of skills: what would be asked about is refused."""

    gate: Gate

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        """Return what rules and mode say; nothing is left to the user."""
        verdict = self.gate.decide(call, proposals)
        if verdict.behavior != "ask":
            return verdict
        reason = (
            f"{verdict.reason}. Nobody is asked about commands of skills: allow it with a rule or in `allowed-tools`"
        )
        return replace(verdict, behavior="deny", reason=reason, is_open=False)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:  # noqa: ARG002
        """Refuse: a question that comes after all (a hook wants one) has nobody to answer it."""
        return ResponderAnswer(decision=Decision(behavior="deny"), by="nobody")


def rule_problems(skill: Skill) -> list[str]:
    """Return what is wrong with the rules of a skill's header."""
    found = []
    lists: tuple[tuple[str, Sequence[str], Literal["allow", "deny"]], ...] = (
        ("allowed-tools", skill.allowed_tools, "allow"),
        ("disallowed-tools", skill.disallowed_tools, "deny"),
    )
    for key, texts, behavior in lists:
        for text in texts:
            try:
                warning = parse_rule(text, behavior).warning
            except RuleError as error:
                warning = str(error)
            if warning:
                found.append(f"`{key}`: {clean_line(warning, 200)}")
    return found
