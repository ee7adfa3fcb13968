"""All subagents of a session: started, found, told more, and ended.

At most twenty work at once, at a depth of three. An agent that has ended is kept for a while, as a message may continue it;
after a session was taken up again, those of its record are as well.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tui_agent.conversation_fold import MAIN, Agents, by_agent
from tui_agent.engine.agents.agent import AGENT_JOB, Agent
from tui_agent.engine.agents.announcing import announcement, begin_answer, keep_answer
from tui_agent.engine.agents.caller import Caller
from tui_agent.engine.agents.merging import merge
from tui_agent.engine.agents.parts import MOST_DEPTH, pool_of
from tui_agent.engine.agents.worktree import Worktree, WorktreeError, make_worktree
from tui_agent.engine.agents.world import AgentIdentity, AgentWorld
from tui_agent.engine.conversation.history import History
from tui_agent.events import AgentStarted, EditUndone, Event, HistoryCleared, Notice
from tui_agent.subagents.builtin import ARCHITECT, GENERAL
from tui_agent.subagents.definition import AgentDefinition
from tui_agent.text import clean_line
from tui_agent.tools.agents import AgentError, AgentService, AgentTask
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.jobs import Job, JobEnd

__all__ = ["MOST_AT_ONCE", "AgentRunner"]

MOST_AT_ONCE: Final = 20
_MOST_KEPT: Final = 100  # agents that have ended
_SUBAGENT_MODEL: Final = "CLAUDE_CODE_SUBAGENT_MODEL"


class AgentRunner:
    """One session's agents. `service_of` gives the service of whoever calls; the runner makes one for each agent."""

    def __init__(self, world: AgentWorld, service_of: Callable[[AgentRunner, Caller], AgentService]) -> None:
        self._world = world
        self._service_of = service_of
        self._agents: dict[str, Agent] = {}
        self._recorded: dict[str, tuple[AgentStarted, History]] = {}
        self._ending: set[asyncio.Task[object]] = set()
        self._noticed: set[str] = set()
        world.bus.follow("what agents have read", (EditUndone,), self._forget_undone)

    def service(self, caller: Caller) -> AgentService:
        """Return the service by which a conversation starts agents."""
        return self._service_of(self, caller)

    # --- which there are ---------------------------------------------------------------------------------------------

    @property
    def working(self) -> tuple[Agent, ...]:
        """Those that work now, the oldest first."""
        return tuple(agent for agent in self._agents.values() if agent.is_working)

    def get(self, agent_id: str) -> Agent | None:
        """Return the agent of this id, if it has worked in this process."""
        return self._agents.get(agent_id)

    def recall(self, events: Iterable[Event]) -> None:
        """Take in the agents of a recorded session that the main conversation has started since it was last cleared."""
        recorded = list(events)
        cleared = [
            place for place, event in enumerate(recorded) if isinstance(event, HistoryCleared) and not event.agent_id
        ]
        own = by_agent(recorded[cleared[-1] :] if cleared else recorded)
        started = Agents.from_events(event for events in own.values() for event in events).started
        for agent_id in list(started)[-_MOST_KEPT:]:
            if started[agent_id].parent_agent_id == MAIN:
                self._recorded[agent_id] = started[agent_id], History.from_events(own[agent_id], agent_id)

    # --- starting ----------------------------------------------------------------------------------------------------

    def types(self, caller: Caller) -> tuple[AgentDefinition, ...]:
        """Return the types that a conversation may start."""
        denies = self._world.runtime.rulebook.denies_agent
        return tuple(
            one
            for one in self._world.runtime.agents.now.types
            if (caller.types is None or one.name in caller.types) and not denies(one.name)
        )

    def problem(self, caller: Caller, task: AgentTask) -> str:
        """Return why a conversation cannot start an agent with this task; empty where it can."""
        if caller.depth >= MOST_DEPTH:
            return f"Agents start others to a depth of {MOST_DEPTH} at most; do this yourself."
        if busy := self._too_many():
            return busy
        definition = self._definition(caller, task)
        if definition is None:
            names = ", ".join(one.name for one in self.types(caller)) or "none"
            return f"There is no agent type {clean_line(task.type, 60)!r} here. Types: {names}."
        if definition.tools is not None and not pool_of(definition, caller.tools.pool, caller.depth + 1).names:
            named = ", ".join(definition.tools.names) or "none"
            return f"Agent type {definition.name} names no tool that there is here ({clean_line(named, 200)})."
        if task.model:
            model = self._world.models.table.full_name(task.model)
            if problem := self._world.models.problem(model):
                return f"Model {clean_line(task.model, 60)} is not available: {problem}"
        if task.folder and not (caller.workspace.contains(task.folder) and Path(task.folder).is_dir()):
            return f"{clean_line(task.folder, 200)} is not a folder in the workspace."
        return ""

    def _too_many(self) -> str:
        if len(self.working) < MOST_AT_ONCE:
            return ""
        return f"{MOST_AT_ONCE} agents are already running, the maximum. Wait until one has ended."

    def _definition(self, caller: Caller, task: AgentTask) -> AgentDefinition | None:
        return ARCHITECT if task.is_architect else self.type_named(caller, task.type)

    def type_named(self, caller: Caller, name: str) -> AgentDefinition | None:
        """Return the type of this name (empty: the general one) that a conversation may start; case may differ."""
        name = name or GENERAL
        found = self.types(caller)
        exact = next((one for one in found if one.name == name), None)
        return exact or next((one for one in found if one.name.casefold() == name.casefold()), None)

    async def start(self, caller: Caller, task: AgentTask) -> Agent:
        """Start an agent for a conversation.

        Raises:
            AgentError: it cannot be started.
        """
        problem = self.problem(caller, task)
        definition = self._definition(caller, task)
        if problem or definition is None:
            raise AgentError(problem)
        self._tell_unknown(caller, definition)
        agent = self._made(caller, definition, task, await self._worktree(definition, task))
        agent.work(self._first_message(definition, task), task.tool_use_id, is_background=task.is_background)
        return agent

    async def _worktree(self, definition: AgentDefinition, task: AgentTask) -> Worktree | None:
        if not (task.is_isolated or definition.is_isolated):
            return None
        runtime = self._world.runtime
        making = asyncio.to_thread(
            make_worktree,
            runtime.workspace.root,
            name=secrets.token_hex(3),
            is_trusted=runtime.settings.is_trusted,
        )
        try:
            return await unbroken(making, lambda made: asyncio.to_thread(made.remove))
        except WorktreeError as error:
            raise AgentError(f"No copy of the project can be made: {error}.") from error

    def _made(self, caller: Caller, definition: AgentDefinition, task: AgentTask, worktree: Worktree | None) -> Agent:
        agent_id = f"agent_{secrets.token_hex(4)}"
        identity = AgentIdentity(
            id=agent_id,
            definition=definition,
            description=task.description,
            label=task.label,
            model=self._model(caller, definition, task),
            depth=caller.depth + 1,
            parent_id=caller.id,
            parent_tools=caller.tools,
            limits=caller.limits.below(definition.mode, is_read_only=definition.is_read_only, refused=caller.refusals),
            history=History(agent_id),
            folder="" if worktree is not None else task.folder,
            worktree=worktree,
        )
        return self._kept(caller, identity)

    def _kept(self, caller: Caller, identity: AgentIdentity) -> Agent:
        agent = Agent(
            self._world,
            identity,
            service_of=lambda agent: self.service(self._caller(agent)),
            moved=lambda agent: self._move_to_background(caller, agent),
            finish=lambda agent, is_done: _finish(caller, agent, is_done=is_done),
        )
        self._agents[agent.id] = agent
        over = [one.id for one in self._agents.values() if not one.is_working and one is not agent]
        for agent_id in over[: max(0, len(over) - _MOST_KEPT)]:
            del self._agents[agent_id]
        return agent

    def _caller(self, agent: Agent) -> Caller:
        """Return an agent as one that starts agents itself."""
        parts, identity = agent.parts, agent.identity
        tools = identity.definition.tools
        return Caller(
            id=agent.id,
            depth=identity.depth,
            tools=parts.tools,
            limits=parts.limits,
            refusals=parts.refusals,
            jobs=parts.jobs,
            workspace=parts.workspace,
            model=lambda: agent.model.name,
            publish=agent.publish,
            context=lambda: agent.execution_context,
            announce=agent.inform,
            types=tools.agents if tools is not None else None,
        )

    @staticmethod
    def _first_message(definition: AgentDefinition, task: AgentTask) -> str:
        return "\n\n".join(filter(None, (definition.initial_prompt.strip(), task.prompt)))

    def _model(self, caller: Caller, definition: AgentDefinition, task: AgentTask) -> str:
        """Return the model for an agent: the environment's word, the call's, its type's, or its parent's."""
        models, parent = self._world.models, caller.model()
        forced = self._world.runtime.environment.variables.get(_SUBAGENT_MODEL, "").strip()
        wanted = forced or task.model or definition.model
        if wanted in ("", "inherit"):
            return parent
        if wanted == "small":
            wanted = self._world.small_model or models.table.small_for(parent)
        model = models.table.full_name(wanted)
        if problem := models.problem(model):
            text = f"Agent type {definition.name} asks for model {clean_line(wanted, 60)}, which is not available: {problem}"
            caller.publish(Notice(level="warning", text=text, hint=f"Using {parent} instead."))
            return parent
        return model

    def _tell_unknown(self, caller: Caller, definition: AgentDefinition) -> None:
        """Tell once for each type which tools it names that there are none of."""
        if definition.tools is None or definition.source == "built-in" or definition.name in self._noticed:
            return
        self._noticed.add(definition.name)
        if unknown := definition.tools.unknown(self._world.runtime.pool.names):
            names = clean_line(", ".join(unknown), 200)
            text = f"Agent type {definition.name} names tools that there are not: {names}"
            caller.publish(Notice(level="warning", text=text, hint=definition.file))

    # --- in the background -------------------------------------------------------------------------------------------

    def _move_to_background(self, caller: Caller, agent: Agent) -> str:
        path = self._world.runtime.results_dir / "agents" / agent.id / "answer.md"
        try:
            begin_answer(path)
        except OSError as error:
            caller.publish(
                Notice(level="warning", text=f"An agent's answer could not be saved: {error.strerror or error}")
            )
        identity = agent.identity

        async def work() -> JobEnd:
            try:
                report = await agent.wait()
            except asyncio.CancelledError:
                await keep_answer(path, await agent.stop())
                raise
            await keep_answer(path, report)
            return JobEnd({"done": "done", "failed": "failed", "interrupted": "stopped"}[report.outcome])  # type: ignore[arg-type]

        def tell(_job: Job) -> None:
            if not agent.is_muted:
                caller.announce(announcement(agent.report(), identity.description, path))

        caller.jobs.start(
            work,
            job_id=agent.id,
            kind=AGENT_JOB,
            tool_use_id=agent.tool_use_id,
            command=f"{agent.type}: {identity.description}",
            description=identity.description,
            output_path=path,
            progress=agent.stand,
            tell=tell,
        )
        return str(path)

    # --- messages ----------------------------------------------------------------------------------------------------

    def reach(self, caller: Caller, to: str) -> str:
        """Return why a conversation cannot send a message to the agent of this id or label; empty where it can."""
        try:
            agent_id = self._find(caller, to)
        except AgentError as error:
            return str(error)
        agent = self._agents.get(agent_id)
        return "" if agent is not None and agent.is_working else self._too_many()

    def _find(self, caller: Caller, to: str) -> str:
        own = [agent for agent in self._agents.values() if agent.identity.parent_id == caller.id]
        recorded = {} if caller.id else self._recorded
        for agent in reversed(own):
            if to in (agent.id, agent.identity.label):
                return agent.id
        for agent_id, (started, _history) in reversed(recorded.items()):
            if to in (agent_id, started.label):
                return agent_id
        known = [agent.identity.label or agent.id for agent in own] + list(recorded)
        names = ", ".join(known[-20:]) or "none"
        raise AgentError(f"There is no agent {clean_line(to, 60)!r} that you have started. Agents: {names}.")

    async def send(self, caller: Caller, to: str, message: str, tool_use_id: str) -> Agent | None:
        """Give an agent a message; None where it works, and gets it with its next step.

        Raises:
            AgentError: there is none, or it cannot go on.
        """
        agent_id = self._find(caller, to)
        agent = self._agents.get(agent_id)
        if agent is not None and agent.is_working:
            agent.tell(message)
            return None
        if busy := self._too_many():
            raise AgentError(busy)
        if agent is None:
            agent = self._taken_up(caller, agent_id)
        elif (own := agent.identity.worktree) is not None and not own.top.is_dir():
            raise AgentError(f"Agent {agent_id} cannot go on: its copy of the project was removed. Start another one.")
        agent.work(message, tool_use_id, is_background=False)
        return agent

    def _taken_up(self, caller: Caller, agent_id: str) -> Agent:
        """Make an agent of a recorded session anew, with what it knew."""
        started, history = self._recorded[agent_id]
        if started.worktree:
            raise AgentError(f"Agent {agent_id} cannot go on: it worked in a copy of the project. Start another one.")
        definition = ARCHITECT if started.name == ARCHITECT.name else self._world.runtime.agents.now.find(started.name)
        if definition is None:
            raise AgentError(f"Agent {agent_id} cannot go on: its type {started.name!r} is not there any more.")
        identity = AgentIdentity(
            id=agent_id,
            definition=definition,
            description=started.description,
            label=started.label,
            model=history.model or started.model or caller.model(),
            depth=1,
            parent_id=caller.id,
            parent_tools=caller.tools,
            limits=caller.limits.below(definition.mode, is_read_only=definition.is_read_only, refused=caller.refusals),
            history=history,
        )
        del self._recorded[agent_id]
        return self._kept(caller, identity)

    # --- ending ------------------------------------------------------------------------------------------------------

    def stop_soon(self, agent_id: str) -> bool:
        """Have an agent end, and all that it has started; False where it does not work."""
        agent = self._agents.get(agent_id)
        if agent is None or not agent.is_working:
            return False
        agent.interrupt()
        return True

    def stop_all_soon(self) -> int:
        """Have all agents end; return how many."""
        working = self.working
        for agent in working:
            agent.interrupt()
        return len(working)

    def clear(self) -> None:
        """The main conversation starts afresh: its agents end, and nothing more is heard of them."""
        for agent in self.working:
            agent.mute()
            self._let_end(agent)
        self._agents.clear()
        self._recorded.clear()

    def _let_end(self, agent: Agent) -> None:
        ending: asyncio.Task[object] = asyncio.create_task(agent.stop())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End all agents and wait until they are gone."""
        for agent in self.working:
            self._let_end(agent)
        while self._ending:
            await asyncio.wait(self._ending)

    def _forget_undone(self, event: Event) -> None:
        if isinstance(event, EditUndone):
            for agent in self._agents.values():
                agent.parts.files.forget(event.path)


async def _finish(caller: Caller, agent: Agent, *, is_done: bool) -> tuple[str, ...]:
    """Bring what an agent changed in its copy of the project to the one that started it."""
    worktree = agent.identity.worktree
    assert worktree is not None
    return await merge(worktree, caller.context(), agent.tool_use_id, is_wanted=is_done)
