"""What waits to be said to the model: messages in the order they were written.

Each is held until hooks have heard it and what it mentions has been read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

from tui_agent.drafts import Draft
from tui_agent.engine.context.attachments import Attached, AttachmentReader
from tui_agent.engine.context.context_injector import ContextInjector
from tui_agent.engine.hooks.session_hooks import PromptAnswer, SessionHooks
from tui_agent.engine.mcp.message_parts import ServerParts
from tui_agent.engine.session.wakeups import WakeUps
from tui_agent.engine.skills.prompt_expander import PromptExpander
from tui_agent.events import Event, MessageQueued, MessageUnqueued, Notice

__all__ = ["MessageQueue"]

_UNSEEN_S: Final = 0.15  # a message that is read for longer is shown to wait


class MessageQueue:
    """Hands to `context_injector` what waits, one message after the other.

    `attaching` reads what messages mention, `expander` puts in the skills that they invoke, and `server_parts` what they want
    of MCP servers; `wakeups` is what else the model is to act on. `before_each` is awaited right before a message is taken.
    `user_wrote` is set while there is a message that no turn has looked for yet.
    """

    def __init__(
        self,
        context_injector: ContextInjector,
        session_hooks: SessionHooks,
        attaching: AttachmentReader,
        expander: PromptExpander,
        server_parts: ServerParts,
        wakeups: WakeUps,
        publish: Callable[[Event], object],
        *,
        before_each: Callable[[], Awaitable[None]],
        user_wrote: asyncio.Event,
    ) -> None:
        self._context_injector = context_injector
        self._session_hooks = session_hooks
        self._attaching = attaching
        self._expander = expander
        self._server_parts = server_parts
        self.wakeups = wakeups
        self._publish = publish
        self._before_each = before_each
        self._person_wrote = user_wrote
        self.newest: tuple[str, Draft] | None = (
            None  # the message that was brought in last, unless something came after
        )
        self._queue: deque[tuple[str, Draft]] = deque()
        self._announced: set[str] = set()  # messages that were told to be queued
        self._beginning: asyncio.Task[str] | None = None  # hooks that hear that the session begins
        self._hearing: asyncio.Task[tuple[PromptAnswer, Attached]] | None = (
            None  # hooks that hear a message, and reading
        )
        self._heard: tuple[str, Draft] | None = None  # the message they hear

    # --- putting in and taking back ----------------------------------------------------------------------------------

    @property
    def has_any(self) -> bool:
        """Whether there is anything to say."""
        return bool(self._queue or self.wakeups)

    def put(self, message_id: str, draft: Draft, *, is_announced: bool) -> None:
        """Let a message wait. `is_announced` tells the user that it does."""
        self._queue.append((message_id, draft))
        self._person_wrote.set()
        if is_announced:
            self._announced.add(message_id)
            self._announce(message_id, draft)

    def _announce(self, message_id: str, draft: Draft) -> None:
        text = draft.whole
        self._publish(MessageQueued(message_id=message_id, text=text, shown=draft.text if draft.text != text else ""))

    def take_back(self) -> list[Draft]:
        """Remove all messages that no hook hears yet, and return them, the oldest first."""
        taken = list(self._queue)
        self._queue.clear()
        for message_id, _ in taken:
            self._announced.discard(message_id)
            self._publish(MessageUnqueued(message_id=message_id))
        return [draft for _, draft in taken]

    def take_heard(self) -> Draft | None:
        """Stop making a message ready, and return it; None where none is just being heard, or read for."""
        heard, self._heard = self._heard, None
        if heard is None or self._hearing is None:
            return None
        self._hearing.cancel()
        return heard[1]

    # --- hooks that are waited for -----------------------------------------------------------------------------------

    def hold_for(self, beginning: asyncio.Task[str] | None) -> None:
        """Send nothing until the hooks that hear of the session's beginning are done; None: nobody hears of it."""
        self._beginning = beginning

    def stop_hearing(self) -> list[asyncio.Task[Any]]:
        """End hooks and reading that messages wait for, and return what has been ended, for whoever wants to see it gone."""
        tasks: list[asyncio.Task[Any]] = [task for task in (self._hearing, self._beginning) if task is not None]
        for task in tasks:
            task.cancel()
        return tasks

    # --- sending -----------------------------------------------------------------------------------------------------

    def mark_read(self) -> None:
        """A turn begins and looks for all that waits: nothing was written since."""
        self._person_wrote.clear()

    async def steer(self) -> int:
        """Bring messages sent meanwhile into the running turn, between two requests; and what came of background work."""
        if not self._queue:
            self._context_injector.remind_of_news()
        count = 0
        while self.has_any:
            count += await self.send_next()
        self.mark_read()
        return count

    async def send_next(self) -> bool:
        """Bring what waits longest into the conversation; False where a hook, or the user, stopped the message."""
        await self._has_begun()
        await self._before_each()
        await self._expander.refresh()
        self.newest = None
        if not self.has_any:
            return False  # taken back meanwhile
        if not self._queue:
            return self._context_injector.remind(*self.wakeups.take())
        message_id, draft = self._queue.popleft()
        is_announced = message_id in self._announced
        self._announced.discard(message_id)
        self._session_hooks.work_on(message_id)
        parts = (self._attaching, self._expander, self._server_parts)
        is_plain = not any(part.is_needed(draft) for part in parts)
        if not self._session_hooks.hears_prompts and is_plain:
            self._context_injector.say(message_id, draft)
            self.newest = (message_id, draft)
            return True
        self._heard = (message_id, draft)
        self._hearing = asyncio.create_task(self._hear(message_id, draft))
        try:
            if not is_announced and not self._session_hooks.hears_prompts:
                await asyncio.wait([self._hearing], timeout=_UNSEEN_S)
            if not is_announced and not self._hearing.done():
                is_announced = True
                self._announce(message_id, draft)
            await asyncio.wait([self._hearing])
            if self._hearing.cancelled():
                if self._heard is not None:  # nobody has it back
                    why = "The message was not sent: it was interrupted before it was ready."
                    self._publish(Notice(level="warning", text=why, hint=f"It was: {draft.text}"))
            else:
                answer, attached = self._hearing.result()
                if not answer.is_blocked:
                    self._context_injector.say(message_id, draft, answer.context, attached)
                    self.newest = (message_id, draft)
                    return True
        finally:
            self._hearing.cancel()
            self._hearing = self._heard = None
        if is_announced:
            self._publish(MessageUnqueued(message_id=message_id))
        return False

    async def _hear(self, message_id: str, draft: Draft) -> tuple[PromptAnswer, Attached]:
        """Let hooks hear a message; where they let it go, load the skills that it invokes, and read what it mentions."""
        answer = await self._session_hooks.prompt(draft.whole) if self._session_hooks.hears_prompts else PromptAnswer()
        attached = Attached()
        if not answer.is_blocked and self._expander.is_needed(draft):
            expanded = await self._expander.expand(message_id, draft)
            if expanded is None:
                return PromptAnswer(is_blocked=True), attached
            attached = expanded
        if not answer.is_blocked and self._attaching.is_needed(draft):
            attached += await self._attaching.attach(message_id, draft)
        if not answer.is_blocked and self._server_parts.is_needed(draft):
            attached += await self._server_parts.attach(draft)
        return answer, attached

    async def _has_begun(self) -> None:
        """Wait for the hooks that hear of the session's beginning; an interrupt ends that."""
        if self._beginning is not None:
            await asyncio.wait([self._beginning])
            beginning, self._beginning = self._beginning, None
            self._context_injector.begin_with("" if beginning.cancelled() else beginning.result())
