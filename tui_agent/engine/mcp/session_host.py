"""What servers may ask of a session: the user by a form, the model if the user agrees, and which folders the work is in."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from tui_agent.engine.mcp.browser import open_address
from tui_agent.engine.mcp.elicitation import (
    FormProblem,
    elicitation_content,
    elicitation_form,
    url_answer,
    url_form,
)
from tui_agent.events import Event, Notice
from tui_agent.mcp.host import Elicitation, ElicitationAnswer, Root, SamplingAnswer, SamplingRequest
from tui_agent.text import clean, clean_line
from tui_agent.tools.forms import Answers, Form, FormField, Option
from tui_agent.tools.services import AskError, AskModel
from tui_agent.tools.workspace import Workspace

__all__ = ["SessionHost"]

AskForm = Callable[[str, Form], Awaitable[Answers | None]]
_MOST_QUESTIONS: Final = 10  # of one server in a minute: one that asks without end must not hold the user up
_MINUTE_S: Final = 60.0
_TRIES: Final = 3  # at a form whose answers are not what the server wants
_SHOWN_CHARS: Final = 1500
_YES: Final = "Yes"


class SessionHost:
    """Implements `mcp.host.Host`. `ask` puts a form to the user (None: there is nobody); `ask_model` asks the small model."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        ask: AskForm | None,
        ask_model: AskModel | None,
        publish: Callable[[Event], object],
    ) -> None:
        self._workspace = workspace
        self._ask = ask
        self._ask_model = ask_model
        self._publish = publish
        self._asked: dict[str, deque[float]] = {}

    async def elicit(self, server: str, asked: Elicitation) -> ElicitationAnswer:
        """Put something to the user; decline where nobody is there, and where the server asks too often."""
        if self._ask is None:
            return ElicitationAnswer("decline")
        if self._is_too_much(server):
            return ElicitationAnswer("cancel")
        if asked.url:
            answer, is_opened = url_answer(await self._ask("", url_form(server, asked)))
            if is_opened and not await open_address(asked.url):
                self._publish(
                    Notice(
                        level="warning",
                        text="No browser could be opened. Open the address yourself:",
                        hint=clean_line(asked.url, 2000),
                    )
                )
            return answer
        return await self._fill_in(server, asked, self._ask)

    async def _fill_in(self, server: str, asked: Elicitation, ask: AskForm) -> ElicitationAnswer:
        try:
            form = elicitation_form(server, asked)
        except FormProblem as problem:
            self._publish(
                Notice(level="warning", text=f"MCP server {server} asked for input that cannot be shown: {problem}.")
            )
            return ElicitationAnswer("decline")
        for _ in range(_TRIES):
            answers = await ask("", form)
            if answers is None:
                return ElicitationAnswer("cancel")
            if "ok" in answers and not asked.schema.get("properties"):
                return ElicitationAnswer("accept", {}) if answers["ok"] == _YES else ElicitationAnswer("decline")
            try:
                return ElicitationAnswer("accept", elicitation_content(asked, answers))
            except FormProblem as problem:
                self._publish(Notice(level="warning", text=f"The answer was not sent. {problem}."))
        return ElicitationAnswer("cancel")

    async def sample(self, server: str, asked: SamplingRequest) -> SamplingAnswer:
        """Ask the user whether the model may answer, and then the model."""
        if self._ask is None or self._ask_model is None:
            return SamplingAnswer(None, reason="Nobody can be asked whether the model may answer.")
        if self._is_too_much(server):
            return SamplingAnswer(None, reason="The server asks too often.")
        text = "\n\n".join(part for part in (asked.system, *(words for _, words in asked.messages)) if part)
        shown = clean(text[:_SHOWN_CHARS]) + ("…" if len(text) > _SHOWN_CHARS else "")
        field = FormField(
            key="may",
            question="Send this to the model, and the answer to the server?",
            options=(Option(label=_YES, description="It costs what a small question costs."), Option(label="No")),
        )
        form = Form(title=f"The MCP server {server} wants to ask the model", about=shown, fields=(field,))
        answers = await self._ask("", form)
        if answers is None or answers.get("may") != _YES:
            return SamplingAnswer(None, reason="The user did not allow it.")
        try:
            return SamplingAnswer(await self._ask_model(text), model="small model")
        except AskError as error:
            return SamplingAnswer(None, reason=str(error))

    def roots(self) -> Sequence[Root]:
        """Return the working folders."""
        workspace = self._workspace
        return [Root(folder.as_uri(), folder.name) for folder in (workspace.root, *workspace.additional)]

    def _is_too_much(self, server: str) -> bool:
        now = time.monotonic()
        times = self._asked.setdefault(server, deque())
        while times and now - times[0] > _MINUTE_S:
            times.popleft()
        if len(times) >= _MOST_QUESTIONS:
            if len(times) == _MOST_QUESTIONS:
                text = f"The MCP server {server} asks too often; its questions are declined for a minute."
                self._publish(Notice(level="warning", text=text))
                times.append(now)
            return True
        times.append(now)
        return False
