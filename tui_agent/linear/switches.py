"""The commands that switch something: the model, its thinking, the permission mode, secrets, the spending limit."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from tui_agent.commands import SetMasking, SetMode, SetModel, SetSpendingLimit, SetThinking, Submit
from tui_agent.linear.asker import Choice
from tui_agent.permissions.modes import MODES
from tui_agent.permissions.words import MODE_DETAILS
from tui_agent.queries import ModelsQuery, StateQuery
from tui_agent.text import clean_line

if TYPE_CHECKING:
    from tui_agent.linear.front import Front

__all__ = ["Switches", "spending_limit"]


class Switches:
    """One method a command, each with what followed its name."""

    def __init__(self, session: Front, list_models: Callable[[], list[tuple[str, str]]]) -> None:
        self._session = session
        self._list_models = list_models
        self.doers: dict[str, Callable[[str], object]] = {"plan": self._plan}
        self.dialogs: dict[str, Callable[[str], Coroutine[Any, Any, None]]] = {
            "model": self._model,
            "thinking": self._thinking,
            "mode": self._mode,
            "secrets": self._secrets,
        }

    def _plan(self, task: str) -> None:
        self._session.engine.send(SetMode("plan"))
        if task:
            self._session.engine.send(Submit(task))

    async def _model(self, name: str) -> None:
        engine, asker = self._session.engine, self._session.asker
        if not name:
            now = (await engine.query(StateQuery())).model
            asker.say(f"The model is {clean_line(now, 80)}.")
            found = [*self._list_models(), *await self._listed()]
            choices = [Choice(model, _named(model, words, is_now=model == now)) for model, words in found]
            name = await asker.choose([*choices, Choice("back", "Keep it", ("b",))], prompt="Model")
            if name == "back":
                return
        reply = await engine.send(SetModel(name))
        if reply.error:
            asker.say(clean_line(reply.error, 500))

    async def _listed(self) -> list[tuple[str, str]]:
        """Return what the endpoint has besides the models that are known; dated names of these are left out."""
        found = await self._session.engine.query(ModelsQuery())
        known = tuple(f"{name}-" for name, _ in self._list_models())
        return [
            (model.id, model.name)
            for model in found.models
            if not (model.id.startswith(known) and model.id[-8:].isdecimal())
        ]

    async def _mode(self, name: str) -> None:
        engine, asker = self._session.engine, self._session.asker
        if not name:
            now = (await engine.query(StateQuery())).mode
            asker.say(f"The permission mode is {now}.")
            offered = [mode for mode in MODES if mode != "bypassPermissions" or now == mode]
            choices = [Choice(mode, f"{mode}: {MODE_DETAILS[mode]}") for mode in offered]
            name = await asker.choose([*choices, Choice("back", "Keep it", ("b",))], prompt="Mode")
            if name == "back":
                return
        mode = next((mode for mode in MODES if mode.lower() == name.lower()), None)
        if mode is None:
            asker.say(f"No mode is named {clean_line(name, 60)}. Available modes: {', '.join(MODES)}.")
        else:
            await engine.send(SetMode(mode))

    async def _thinking(self, wanted: str) -> None:
        engine, asker = self._session.engine, self._session.asker
        if wanted.lower() not in {"", "on", "off"}:
            asker.say(f"/thinking expects on or off, not {clean_line(wanted, 60)}.")
            return
        state = await engine.query(StateQuery())
        await engine.send(SetThinking(wanted.lower() == "on" if wanted else not state.is_thinking))

    async def _secrets(self, wanted: str) -> None:
        engine, asker = self._session.engine, self._session.asker
        masking = (await engine.query(StateQuery())).masking
        if masking is None:
            return
        match wanted.lower():
            case "on" | "off" as word:
                await engine.send(SetMasking(word == "on"))
                asker.say(
                    f"Secrets in tool output are {'hidden' if word == 'on' else 'shown until this session ends'}."
                )
            case "" | "status":
                asker.say(
                    f"Secrets in tool output are {'hidden' if masking.on else 'shown'}. /secrets on or off changes that."
                )
            case _:
                asker.say(f"/secrets expects on, off or status, not {clean_line(wanted, 60)}.")


def _named(model: str, words: str, *, is_now: bool) -> str:
    named = f"{clean_line(model, 80)}: {clean_line(words, 200)}" if words else clean_line(model, 80)
    return f"{named}, now" if is_now else named


def spending_limit(amount: str) -> SetSpendingLimit | None:
    """Return the command that sets the limit a user wrote, in US dollars or `off`; None where it is neither."""
    plain = amount.strip().lower().removeprefix("$").replace(",", ".")
    if plain in ("off", "none", "no"):
        return SetSpendingLimit(None)
    try:
        value = float(plain)
    except ValueError:
        return None
    return SetSpendingLimit(value) if 0 < value < 1e9 else None
