"""What a session has cost, and the limit at which the user is asked before more is spent.

The limit is looked at before each request to the model: one that is under way is never cut off, so what was spent may lie above
the limit by the cost of one request. Every request of the session counts, small ones aside from the conversation and those of
earlier windows included. A model without a known price costs nothing that could be counted; that is said once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Literal

from tui_agent.bus import Bus
from tui_agent.events import Event, Notice, SpendingLimitChanged, UsageReported
from tui_agent.model.prices import ModelTable
from tui_agent.settings.current import CurrentSettings
from tui_agent.tools.forms import Answers, Form, FormField, Option

__all__ = ["Spending", "dollars"]

Ask = Callable[[str, Form], Awaitable[Answers | None]]

_DUST: Final = 1e-9  # sums of prices are not exact
_KEY: Final = "go_on"
_STOP: Final = "Stop here"
_NO_LIMIT: Final = "Go on without a limit"
_HINT: Final = "/cost limit 10 sets another limit, /cost limit off takes it away."


def dollars(usd: float) -> str:
    """Return an amount of money as it is shown: cents, and of little money more digits where these say something."""
    is_plain = usd >= 0.1 or round(usd, 2) == round(usd, 4)
    return f"${usd:.2f}" if is_plain else f"${usd:.4f}"


class Spending:
    """One session's account: it follows what requests cost on `bus`, and `may_ask` is asked before each.

    What there is to say goes out on `bus`. `table` has the prices. `given` is a limit of the command line, `recorded`
    what happened before this process. `ask` puts a form to the user, None where nobody answers: at the limit the turn ends.
    """

    def __init__(
        self,
        bus: Bus,
        settings: CurrentSettings,
        table: ModelTable,
        *,
        ask: Ask | None,
        given: float | None = None,
        recorded: Iterable[Event] = (),
    ) -> None:
        self._bus = bus
        self._settings = settings
        self._table = table
        self._ask = ask
        self._chosen: tuple[float | None] | None = None  # by the user, for this session; beats the settings
        self._told: float | None = None
        self.spent = 0.0
        """US dollars, as far as prices are known."""
        for event in recorded:
            if isinstance(event, SpendingLimitChanged):
                self._told = event.limit_usd
                self._chosen = (event.limit_usd,) if event.by == "person" else None
            elif isinstance(event, UsageReported):
                self.spent += event.cost_usd or 0.0
        if given is not None:
            self._chosen = (given,)
        self._warned_of: float | None = None  # the limit that the warning was about
        self._unpriced: set[str] = set()
        self._deciding = asyncio.Lock()
        bus.follow("the spending", (UsageReported,), self._count)

    # --- the limit ---------------------------------------------------------------------------------------------------

    @property
    def limit(self) -> float | None:
        """US dollars that the session may cost before the user is asked; None: any number."""
        wanted = self._chosen[0] if self._chosen is not None else self._settings.now.values.spending_limit_usd
        caps = [cap for cap in (wanted, self._cap) if cap is not None]
        return min(caps, default=None)

    @property
    def _cap(self) -> float | None:
        """The limit that a policy sets, which nobody can raise."""
        said = (item.value for item in self._settings.now.explain("spendingLimitUsd") if item.source == "policy")
        return min((float(value) for value in said if isinstance(value, int | float)), default=None)

    def set_limit(self, usd: float | None) -> None:
        """Limit what this session may cost from now on; None takes the limit away. A policy's limit cannot be raised."""
        cap = self._cap
        if cap is not None and (usd is None or usd > cap):
            text = f"The policy of this machine limits a session to {dollars(cap)}."
            self._bus.publish(Notice(level="warning", text=text))
        self._chosen = (usd,)
        self.tell()
        self._warn()

    def tell(self) -> None:
        """Tell of the limit, where it is another one than was last told."""
        limit = self.limit
        if limit != self._told:
            self._told = limit
            by: Literal["settings", "person"] = "settings" if self._chosen is None else "person"
            self._bus.publish(SpendingLimitChanged(limit_usd=limit, by=by))

    # --- before a request --------------------------------------------------------------------------------------------

    @property
    def refusal(self) -> str:
        """Why no request may be sent as things stand, in a sentence; empty where one may."""
        limit = self.limit
        if limit is None or self.spent < limit - _DUST:
            return ""
        return f"The spending limit is reached: this session has cost {dollars(self.spent)} of {dollars(limit)}."

    def may_ask(self, model: str) -> Awaitable[str] | None:
        """Return None where a request to `model` may go out. At the limit return what asks the user, and gives why not."""
        self.tell()  # the settings may say something else by now
        if self.limit is not None:
            self._tell_unpriced(model)
        return self._decide() if self.refusal else None

    async def _decide(self) -> str:
        async with self._deciding:  # of several that reach the limit together, the first asks for all
            refusal = self.refusal
            if not refusal or self._ask is None:
                return refusal
            if self._cap == self.limit:  # nobody here may raise it
                return f"{refusal} The policy of this machine sets it."
            choices = self._choices()
            field = FormField(
                key=_KEY, question="How do you want to go on?", options=tuple(Option(label=label) for label in choices)
            )
            about = f"{refusal} Nothing is sent to the model until you have decided."
            answers = await self._ask("", Form(title="Spending limit", fields=(field,), about=about))
            label = (answers or {}).get(_KEY, _STOP)
            more = choices.get(label[0] if isinstance(label, list) and label else str(label), 0.0)
            if more == 0.0:
                return f"{refusal} {_HINT}"
            self.set_limit(None if more is None else round(self.spent + more, 4))
            return self.refusal  # a policy may know better

    def _choices(self) -> dict[str, float | None]:
        """Return what the user may say, with how much more that allows; None: any amount."""
        step = self._settings.now.values.spending_limit_usd or self.limit or 1.0
        amounts = (step / 5, step)
        more: dict[str, float | None] = {f"Go on, up to {dollars(amount)} more": amount for amount in amounts}
        return {**more, _NO_LIMIT: None, _STOP: 0.0}

    def _tell_unpriced(self, model: str) -> None:
        if self._table.info(model).is_priced or model in self._unpriced:
            return
        self._unpriced.add(model)
        text = f"The spending limit cannot be held with {model}: its price is not known."
        self._bus.publish(Notice(level="warning", text=text, hint="What it costs is not counted."))

    # --- counting ----------------------------------------------------------------------------------------------------

    def _count(self, event: Event) -> None:
        """Count what a request cost."""
        if isinstance(event, UsageReported):
            self.spent += event.cost_usd or 0.0
            self._warn()

    def _warn(self) -> None:
        """Say once for each limit that a good part of it is spent."""
        limit = self.limit
        share = self._settings.now.values.spending_warn_at
        if limit is None or limit == self._warned_of or self.spent < share * limit - _DUST:
            return
        self._warned_of = limit
        text = f"This session has cost {dollars(self.spent)} of its limit of {dollars(limit)}."
        hint = f"At the limit you are asked before more is sent. {_HINT}" if self._ask is not None else ""
        self._bus.publish(Notice(level="warning", text=text, hint=hint))
