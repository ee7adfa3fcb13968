"""The questions that wait, the oldest first, and how each is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.commands import Answer, AnswerForm, SetMode
from tui_agent.conversation_fold import Agents
from tui_agent.events import Event, FormAnswered, FormRequested, PermissionRequested, PermissionResolved, SessionEnded
from tui_agent.linear.asker import EndOfInputError
from tui_agent.linear.questions.answers import Settled
from tui_agent.linear.questions.form import ask_form
from tui_agent.linear.questions.permission import ask_permission
from tui_agent.linear.questions.plan import ask_plan
from tui_agent.linear.questions.review import ask_review
from tui_agent.permissions.modes import MODES
from tui_agent.queries import PlanQuery, ProposalsQuery
from tui_agent.text import clean_line

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.linear.asker import Asker

__all__ = ["Questions", "Request"]

Request = PermissionRequested | FormRequested


class Questions:
    """What waits for the user. `title` gives what a tool use is called."""

    def __init__(self, engine: Engine, asker: Asker) -> None:
        self._engine = engine
        self._asker = asker
        self._open: dict[str, Request] = {}
        self._answered: set[str] = set()
        self._agents = Agents()

    def apply(self, event: Event) -> None:
        """Take in that a question came or was settled."""
        self._agents.apply(event)
        match event:
            case PermissionRequested() | FormRequested():
                self._open[event.request_id] = event
            case PermissionResolved() | FormAnswered():
                self._open.pop(event.request_id, None)
                self._answered.discard(event.request_id)
            case SessionEnded():
                self._open.clear()
            case _:
                pass

    @property
    def waiting(self) -> list[Request]:
        """The questions that nobody has answered yet, the oldest first."""
        return [request for name, request in self._open.items() if name not in self._answered]

    def is_open(self, request: Request) -> bool:
        """Whether a question still waits for an answer."""
        return request.request_id in self._open and request.request_id not in self._answered

    async def ask(self, request: Request, *, base: str) -> None:
        """Ask a question and give the answer to the engine; or put the question behind the others."""
        waiting = len(self.waiting)
        self._asker.say()
        self._asker.begin()
        if waiting > 1:
            self._asker.say(f"Question 1 of {waiting}.")
        if request.agent_id:
            self._asker.say(f"Agent {clean_line(self._agents.name_of(request.agent_id), 60)} asks:")
        try:
            settled = await self._settled(request, base=base, others=waiting - 1)
        except EndOfInputError:
            self._asker.say("No answer: refused.")
            settled = _refused(request)
        if not self.is_open(request):
            return
        if settled is None:
            self._open[request.request_id] = self._open.pop(request.request_id)
            return
        self._answered.add(request.request_id)
        if isinstance(settled, AnswerForm):
            reply = await self._engine.send(settled)
        else:
            reply = await self._engine.send(settled.answer)
        if reply.error:
            self._answered.discard(request.request_id)
            self._asker.say(f"The answer was not taken: {clean_line(reply.error, 500)}")
        elif isinstance(settled, Settled):
            await self._follow(settled)

    async def _settled(self, request: Request, *, base: str, others: int) -> Settled | AnswerForm | None:
        if isinstance(request, FormRequested):
            return await ask_form(request, self._asker)
        if request.name == "ExitPlanMode" and (offer := await self._engine.query(PlanQuery())) is not None:
            return await ask_plan(request, offer, self._asker, self._engine)
        if request.has_proposal:
            changes = (await self._engine.query(ProposalsQuery(request.request_id))).changes
            if changes:
                return await ask_review(request, changes, self._asker, self._engine, base=base, others=others)
        return await ask_permission(request, self._asker, self._engine, base=base, others=others)

    async def _follow(self, settled: Settled) -> None:
        """Do what an answer asks for besides."""
        mode = next((mode for mode in MODES if mode == settled.mode), None)
        if mode is not None:
            await self._engine.send(SetMode(mode))


def _refused(request: Request) -> Settled | AnswerForm:
    if isinstance(request, FormRequested):
        return AnswerForm(request.request_id, None)
    return Settled(Answer(request_id=request.request_id, decision="deny"))
