"""The types of agents that are always there."""

from __future__ import annotations

from typing import Final

from tui_agent.subagents.definition import AgentDefinition, ToolList

__all__ = ["ARCHITECT", "BUILTIN", "GENERAL"]

GENERAL: Final = "general-purpose"

_LOOKING: Final = ToolList(
    (
        "Bash",
        "Glob",
        "Grep",
        "LS",
        "NotebookRead",
        "Read",
        "TaskOutput",
        "TaskStop",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
    )
)

_GENERAL_PROMPT: Final = """\
You carry out one task on your own, start to finish. Look before you change, keep to what was asked, and check your work by \
running what shows that it is right."""

_EXPLORE_PROMPT: Final = """\
You find things out about a code base, fast, and change nothing: you have only what reads. Search wide first (Glob, Grep), \
several searches in one reply, then read only the parts that matter. Stop as soon as the question is answered.

Answer with what was asked for: the places as absolute `path:line`, each with what is there in a few words, then what follows \
from it. Say what you looked for and did not find. Quote code only where its exact text matters."""

_PLAN_PROMPT: Final = """\
You work out how a change is to be made, and change nothing: you have only what reads. Understand what is asked, find the code \
that is concerned and how the project does such things, weigh the ways to do it, and choose one.

Answer with a plan: what changes and why, in which files and in which order, what could go wrong, and how it will be verified. \
Name files as absolute paths. End with the three to five files that whoever carries it out must read first."""

_ARCHITECT_PROMPT: Final = """\
You are asked how something should be built. You read the code and change nothing. Work out the design that fits this code \
base: the parts and what each is for, the interfaces between them, data and errors, and what stays as it is.

Answer with a plan that an engineer can follow without asking you anything: decisions with their reasons, numbered steps, each \
with its files, the tests that show it works, and the risks. Name alternatives you turned down in a line each. Write no code \
beyond signatures."""

BUILTIN: Final = (
    AgentDefinition(
        name="Explore",
        description=(
            "Finds things out in a code base, fast, and changes nothing: where something is, how it works, what uses it. "
            "Say how thorough it has to be."
        ),
        prompt=_EXPLORE_PROMPT,
        tools=_LOOKING,
        model="small",
        is_read_only=True,
        has_memory_files=False,
        color="cyan",
    ),
    AgentDefinition(
        name=GENERAL,
        description=(
            "Carries out a task of several steps, or a search that may take many attempts, with all tools. "
            "For what no other type is made for."
        ),
        prompt=_GENERAL_PROMPT,
    ),
    AgentDefinition(
        name="Plan",
        description="Works out a plan for a change: reads the code that is concerned and returns steps, files and risks.",
        prompt=_PLAN_PROMPT,
        tools=_LOOKING,
        is_read_only=True,
        has_memory_files=False,
        color="blue",
    ),
)

# Started by the Architect tool alone; no type that a model can name.
ARCHITECT: Final = AgentDefinition(
    name="Architect",
    description="Designs a change and returns a plan.",
    prompt=_ARCHITECT_PROMPT,
    tools=_LOOKING,
    is_read_only=True,
    color="purple",
)
