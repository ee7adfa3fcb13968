"""Which waiting question is on the screen. Opens the right screen for it, keeps "1 of 3" true, closes it when it is settled.

Everything goes through `_settle`, which compares what should be seen with what is seen. It may be called at any moment, in
a handler of the very screen it closes too: screens are pushed and popped without being awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tui_agent.commands import Answer, AnswerForm, SetMode
from tui_agent.events import FormRequested, PermissionRequested
from tui_agent.queries import (
    CoverageQuery,
    JudgeQuery,
    PlanOffer,
    PlanQuery,
    Proposals,
    ProposalsQuery,
    RuleCheckQuery,
)
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QueuePosition, WaitingScreen
from tui_agent.ui.dialogs.request_view import RequestView, question_of
from tui_agent.ui.reviewing.review_draft import ReviewDraft
from tui_agent.ui.screens.edit import EditScreen, is_small
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.screens.review import ReviewScreen

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Key

    from tui_agent.boundary import Engine, Pending
    from tui_agent.changes import FileChange
    from tui_agent.permissions.verdict import Decision, Verdict
    from tui_agent.queries import Coverage as RulesCoverage
    from tui_agent.queries import RuleNotes
    from tui_agent.tools.forms import Answers
    from tui_agent.ui.dialogs.always import Coverage
    from tui_agent.ui.form_draft import FormDraft
    from tui_agent.ui.projection.projection import Dirty, Projection
    from tui_agent.ui.projection.state import Request

__all__ = ["Questions"]

_HOLD_S: Final = 0.4  # that a question waits for one about what the model asked for earlier
_BEFORE_CALL: Final = frozenset({"lookup", "validate", "pre_hooks", "permission"})


class Questions:
    """The queue between the projection's open requests, the user and the engine.

    `grace` makes each screen's own grace period. `writing` returns what takes the next letters of what the user is in the
    middle of writing, None where that is nothing. `moves_on` says whether a decision in a review goes on to the next hunk.
    """

    def __init__(
        self,
        app: App[object],
        engine: Engine,
        projection: Projection,
        *,
        grace: Callable[[], InputGrace] = InputGrace,
        writing: Callable[[], Callable[[Key], None] | None] = lambda: None,
        moves_on: Callable[[], bool] = lambda: False,
    ) -> None:
        self._app = app
        self._engine = engine
        self._projection = projection
        self._grace = grace
        self._writing = writing
        self._moves_on = moves_on
        self._go_on: Callable[[Key], None] | None = None  # what was being written when a question came over it
        self._screen: WaitingScreen | None = None
        self._selected: str | None = None  # the request the user went to; None is the oldest
        self._in_full: set[str] = set()  # changes that the user wants to review, and not only to see
        self._held: set[str] = set()  # questions that have waited for earlier ones long enough
        self._answered: set[str] = set()  # told to the engine, whose event is still on its way
        self._drafts: dict[str, FormDraft] = {}  # what is filled in of each form, while another question is looked at
        self._commands: dict[str, str] = {}  # commands as they are being edited, in the same way
        self._reviews: dict[str, ReviewDraft] = {}  # and what was decided of changes
        self._told: dict[str, Pending[Proposals] | Pending[PlanOffer | None]] = {}  # what questions are about

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Take in that questions came or were settled."""
        self._projection = projection
        if dirty.requests:
            open_ids = {request.request_id for request in projection.requests}
            self._answered &= open_ids
            self._in_full &= open_ids
            self._held &= open_ids
            self._drafts = {name: draft for name, draft in self._drafts.items() if name in open_ids}
            self._commands = {name: command for name, command in self._commands.items() if name in open_ids}
            self._reviews = {name: review for name, review in self._reviews.items() if name in open_ids}
            self._told = {name: told for name, told in self._told.items() if name in open_ids}
            self._settle()
        elif (dirty.status and self._screen is not None) or (dirty.tools and self._waiting and self._screen is None):
            self._settle()

    # --- what screens say --------------------------------------------------------------------------------------------

    def answer(self, request_id: str, decision: Decision) -> None:
        """Hand an answer to the engine, once; it ignores one that comes too late."""
        if request_id not in self._answered:
            self._answered.add(request_id)
            self._engine.send(Answer.of(request_id, decision))
        self._settle()

    def accept_edits(self, request_id: str, decision: Decision) -> None:
        """Hand a yes to the engine, and accept edits from then on."""
        self._engine.send(Answer.of(request_id, decision))
        self._answered.add(request_id)
        self._engine.send(SetMode("acceptEdits"))
        self._settle()

    def review_fully(self, request_id: str) -> None:
        """Open the whole review of a change that was asked about in short."""
        self._in_full.add(request_id)
        self._settle()

    @property
    def moves_on(self) -> bool:
        """Whether a decision about a hunk goes on to the next one."""
        return self._moves_on()

    def answer_form(self, request_id: str, answers: Answers | None) -> None:
        """The same for a form."""
        if request_id not in self._answered:
            self._answered.add(request_id)
            self._engine.send(AnswerForm(request_id, answers))
        self._settle()

    def judge(self, request_id: str, input: dict[str, Any]) -> Pending[Verdict]:
        """Say what the call of a question would get with another input."""
        return self._engine.query(JudgeQuery(request_id, input))

    def check_rule(self, rule: str) -> Pending[RuleNotes]:
        """Say whether an allow rule could be used, and whether it lets through more than it seems to."""
        return self._engine.query(RuleCheckQuery(rule))

    def coverage(
        self, request: PermissionRequested, rules: Sequence[str], take: Callable[[Coverage | None], object]
    ) -> None:
        """Say which other calls of this session rules would have let through, and whether they let this one through."""

        def tell(found: RulesCoverage | None) -> None:
            if found is None or found.problem:
                take(None)
                return
            covered = found.covered[::-1]
            this = next((call for call in covered if (call.tool, call.input) == (request.name, request.input)), None)
            take(([call.subject or call.tool for call in covered if call is not this], this is not None))

        self._engine.query(CoverageQuery(tuple(rules))).then(tell)

    def keep_draft(self, request_id: str, command: str | None) -> None:
        """Keep a command that is being edited, for when the user comes back to its question."""
        if command is None:
            self._commands.pop(request_id, None)
        else:
            self._commands[request_id] = command

    def review_draft(self, request_id: str, changes: Sequence[FileChange]) -> ReviewDraft:
        """Return the review of these changes as far as it has come."""
        return self._reviews.setdefault(request_id, ReviewDraft(changes))

    @property
    def has_work(self) -> bool:
        """Whether anything was decided or written for a call that waits, which would be lost if that was just let through."""
        waiting = {request.request_id for request in self._waiting}
        touched = {name for name, review in self._reviews.items() if review.is_touched}
        return not waiting.isdisjoint(touched | set(self._commands))

    def typed_on(self, event: Key) -> None:
        """Have a key that came too early for a question go on with what was being written when that came."""
        if self._go_on is not None:
            self._go_on(event)

    def cycle(self, step: int) -> None:
        """Show the next waiting question, or the one before."""
        waiting = self._waiting
        shown = self._shown(waiting)
        if shown is not None:
            self._selected = waiting[(waiting.index(shown) + step) % len(waiting)].request_id
            self._settle()

    def resumed(self) -> None:
        """A question screen is on top again."""
        self._settle()

    # --- what is on the screen ---------------------------------------------------------------------------------------

    @property
    def _waiting(self) -> list[Request]:
        """The questions that are open, in the order in which the model asked for what they are about."""
        found = [request for request in self._projection.requests if request.request_id not in self._answered]
        if len(found) < 2:
            return found
        order = {id(use): number for number, use in enumerate(self._projection.unfinished_tools.values())}
        return sorted(found, key=lambda request: order.get(id(self._projection.use_of(request)), len(order)))

    def _may_come_later(self, wanted: Request) -> bool:
        """Whether something that the model asked for earlier may have a question, too, in a moment."""
        own = self._projection.use_of(wanted)
        for use in self._projection.unfinished_tools.values():
            if use is own:
                return False
            if use.phase == "executing" and use.stage in _BEFORE_CALL and use.agent_id == wanted.agent_id:
                return True
        return False

    def _is_held(self, wanted: Request) -> bool:
        """Whether a question waits for an earlier one: for a moment, as that may have none."""
        name = wanted.request_id
        if name in self._held or not self._may_come_later(wanted):
            return False

        def go_on() -> None:
            self._held.add(name)
            self._settle()

        self._app.set_timer(_HOLD_S, go_on)
        return True

    def _shown(self, waiting: list[Request]) -> Request | None:
        """Return the request that should be seen: the one looked at, else the one on the screen, else the first.

        One that nobody can have read yet makes room for an earlier one.
        """
        screen = self._screen
        is_read = screen is not None and screen.grace.is_open
        seen = screen.request_id if screen is not None and is_read else None
        for name in (self._selected, seen):
            found = next((request for request in waiting if request.request_id == name), None)
            if found is not None:
                return found
        return waiting[0] if waiting else None

    def _settle(self) -> None:
        screen = self._screen
        if screen is not None and screen not in self._app.screen_stack:
            screen = self._screen = None
        if screen is not None and (screen is not self._app.screen or not screen.is_mounted):
            return  # something lies over it (help, the palette), or it is only being built: `resumed` calls again
        waiting = self._waiting
        wanted = self._shown(waiting)
        if wanted is None:
            if screen is not None:
                self._screen = None
                self._app.pop_screen()
            return
        if screen is None and self._is_held(wanted):
            return
        if (screen is None or not self._is_right(screen, wanted)) and not self._is_told(wanted):
            return
        agent = self._projection.agents.get(wanted.agent_id)
        who = agent.title if agent is not None else wanted.agent_id
        place = QueuePosition(waiting.index(wanted) + 1, len(waiting), self._projection.status.mode, who)
        if screen is None:
            self._go_on = self._writing()
            self._screen = self._open(wanted, place)
            self._app.push_screen(self._screen)
        elif not self._is_right(screen, wanted):
            if screen.grace.is_open:
                self._go_on = None  # the user has read one: what is pressed now is for questions
            self._screen = self._open(wanted, place)
            self._app.switch_screen(self._screen)
        else:
            screen.show_place(place)
            if isinstance(screen, ReviewScreen | EditScreen):
                screen.show_on_disk(self._projection.on_disk(wanted.request_id))

    def _is_right(self, screen: WaitingScreen, wanted: Request) -> bool:
        """Whether a screen is about this question, in short or in full as the user wants it."""
        is_short = isinstance(screen, EditScreen)
        return screen.request_id == wanted.request_id and not (is_short and wanted.request_id in self._in_full)

    def _is_told(self, request: Request) -> bool:
        """Whether the engine has said what a question is about. Where it has not yet, this goes on when it has."""
        name = request.request_id
        if isinstance(request, FormRequested) or not (request.name == "ExitPlanMode" or request.has_proposal):
            return True
        told = self._told.get(name)
        if told is None:
            is_plan = request.name == "ExitPlanMode"
            told = self._engine.query(PlanQuery()) if is_plan else self._engine.query(ProposalsQuery(name))
            self._told[name] = told
            if not told.is_done:
                told.then(lambda _: self._settle())
        return told.is_done

    def _open(self, request: Request, place: QueuePosition) -> WaitingScreen:
        if isinstance(request, FormRequested):
            return self._open_form(request, place)
        told = self._told.pop(request.request_id, None)
        found = told.result() if told is not None else None
        if isinstance(found, PlanOffer):
            return self._open_plan(request, found, place)
        use = self._projection.use_of(request)
        if request.has_proposal:
            proposed = found.changes if isinstance(found, Proposals) else ()
            changes = proposed or (use.changes if use is not None else ())
            if changes:
                base = self._projection.status.cwd
                on_disk = self._projection.on_disk(request.request_id)
                if request.request_id not in self._in_full and is_small(request, changes):
                    title = question_of(request, use)
                    return EditScreen(
                        request,
                        changes[0],
                        self,
                        title=title,
                        base=base,
                        on_disk=on_disk,
                        place=place,
                        grace=self._grace(),
                    )
                return ReviewScreen(
                    request, changes, self, base=base, on_disk=on_disk, place=place, grace=self._grace()
                )
        draft = self._commands.get(request.request_id)
        view, title = RequestView(request, use), question_of(request, use)
        return PermissionScreen(request, view, self, title=title, place=place, grace=self._grace(), draft=draft)

    def _open_plan(self, request: PermissionRequested, offer: PlanOffer, place: QueuePosition) -> WaitingScreen:
        from tui_agent.ui.screens.plan import PlanScreen

        base = self._projection.status.cwd
        return PlanScreen(request, offer, self._engine, self, base=base, place=place, grace=self._grace())

    def _open_form(self, request: FormRequested, place: QueuePosition) -> WaitingScreen:
        from tui_agent.tools.forms import Form
        from tui_agent.ui.form_draft import FormDraft
        from tui_agent.ui.screens.form import FormScreen  # with the first form, not with the first question

        draft = self._drafts.setdefault(request.request_id, FormDraft(Form.from_json(request.form)))
        return FormScreen(request.request_id, draft, self, place=place, grace=self._grace())
