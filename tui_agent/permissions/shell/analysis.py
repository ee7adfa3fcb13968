"""A whole command text, simple command by simple command: what each may do, and where it runs.

The analysis knows nothing of the disk and depends on the text alone, so that it can be kept. Paths in it are words; whether
they lie in the working folders is judged anew each time, by whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from tui_agent.permissions.shell.effective_command import EffectiveCommand, reached, unfolded
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.parse import ParsedScript, Redirect, parse, tree
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.programs import judge_program
from tui_agent.permissions.shell.simple_command import Judge
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Series
from tui_agent.permissions.shell.syntax import read_syntax
from tui_agent.permissions.shell.walk import ScriptWalk
from tui_agent.permissions.shell.words import Word

__all__ = ["Analysis", "Part", "analyse", "analyse_with"]


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """A command text. `check` and `reason` say why the text as a whole is not understood; both are empty where it is.

    Where it is not, `parts` are what the grammar takes for commands, and there may be others. `script` is the text as bash
    reads it, None where it is not understood.
    """

    source: str
    parts: tuple[Part, ...]
    script: Series | None = None
    check: str = ""
    reason: str = ""

    @property
    def is_understood(self) -> bool:
        """Whether every construct in the text is one that the analysis knows."""
        return not self.check

    @cached_property
    def other_redirects(self) -> tuple[Redirect, ...]:
        """The redirections of the text that are those of no part; all of them where it is not understood."""
        of_parts = [one for part in self.parts for one in part.command.redirects] if self.is_understood else []
        known = {(one.operator, one.target) for one in of_parts}
        return tuple(one for one in parse(self.source).redirects if (one.operator, one.target) not in known)

    @cached_property
    def other_commands(self) -> tuple[tuple[EffectiveCommand, Part | None], ...]:
        """The commands that may run and are not known as those of parts; each with the part that it is, if it is one."""
        known: set[tuple[Word, ...]] = set()
        for part in self.parts if self.is_understood else ():
            if part.judgement.kind != "unknown":
                known.update(one.words for one in unfolded(part.command.words))
        others = [one for one in reached(parse(self.source)) if one.words not in known]
        own = {part.command.words: part for part in self.parts} if others else {}
        return tuple((one, own.get(one.words)) for one in others)

    @property
    def doubts(self) -> tuple[tuple[str, str], ...]:
        """Why it is not known to be read-only, as far as the text tells: pairs of a check's id and a clause for a user.

        Empty says that it only reads, in places that are still to be judged.
        """
        if self.check:
            return ((self.check, self.reason),)
        found: list[tuple[str, str]] = []
        for part in self.parts:
            if part.judgement.kind != "read_only":
                found.append((part.judgement.check or "edits-files", part.judgement.reason or "it changes files"))
            found.extend(
                ("output-redirection", f"it writes to `{redirect.target.raw if redirect.target else ''}`")
                for redirect in part.redirects
                if redirect.is_output
            )
            if part.runs_git and part.folder:
                found.append(("cd-git", "`git` may run programs that another folder's settings name"))
        return tuple(dict.fromkeys(found))


@lru_cache(maxsize=512)
def analyse(source: str) -> Analysis:
    """Analyse a command text. Never raises."""
    return analyse_with(source, judge_program)


def analyse_with(source: str, judge: Judge) -> Analysis:
    """Analyse a command text, with programs judged by `judge`. Never raises."""
    script = parse(source)
    if not script.is_understood:
        return _not_understood(script, script.check, script.problem)
    try:
        series = read_syntax(tree(source), source)
        parts = ScriptWalk(judge).run(series)
    except Unclear as error:
        return _not_understood(script, error.check, error.reason)
    except RecursionError:
        return _not_understood(script, "too-long", "it is nested too deeply to be followed")
    return Analysis(source=source, parts=parts, script=series)


def _not_understood(script: ParsedScript, check: str, reason: str) -> Analysis:
    unknown = Judgement(kind="unknown", check=check, reason=reason)
    parts = tuple(
        Part(command=command, words=command.words, judgement=unknown, is_certain=False) for command in script.commands
    )
    return Analysis(source=script.source, parts=parts, check=check, reason=reason)
