"""What is said to the model, and all it has to know besides the user's words.

That goes along with the next message, or between two requests as a reminder of its own: memory files, the permission mode,
what hooks have for it, tools that came or went, background work that has ended, tools that were run by hand. Each is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_agent.context_marks import framed
from tui_agent.drafts import Draft
from tui_agent.engine.context.attachments import Attached
from tui_agent.engine.context.job_notices import JobNotices, news_of, news_text
from tui_agent.engine.context.session_memory import SessionMemory
from tui_agent.engine.context.system_prompt import mode_note, tool_news
from tui_agent.engine.conversation.history import History
from tui_agent.engine.hooks.session_hooks import SessionHooks
from tui_agent.engine.session.manual_tools import ManualToolRunner
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.events import Event, ReminderSent, UserMessageSent

__all__ = ["ContextInjector"]


class ContextInjector:
    """Adds to the conversation, and publishes, what is said to the model.

    `model` gives the one that requests go to. `undone` gives, once, what the user took back of the session's changes, and
    `servers`, once, what MCP servers say of themselves. In a conversation that is taken up again, `missed` are the background
    jobs whose end it was never told.
    """

    def __init__(
        self,
        runtime: ToolRuntime,
        history: History,
        memory: SessionMemory,
        *,
        manual_tools: ManualToolRunner,
        undone: Callable[[], str] = str,
        servers: Callable[[], str] = str,
        session_hooks: SessionHooks,
        publish: Callable[[Event], object],
        model: Callable[[], str],
        missed: Sequence[JobNotices] = (),
    ) -> None:
        self._runtime = runtime
        self._history = history
        self._memory = memory
        self._manual_tools = manual_tools
        self._take_undone = undone
        self._take_servers = servers
        self._session_hooks = session_hooks
        self._publish = publish
        self._model = model
        self._missed = missed
        self._thinking_model = model()  # whose thinking the conversation holds
        self._is_memory_due = not len(history)
        self._begun_with = ""
        self._mentions: list[str] = []

    # --- what there is to know ---------------------------------------------------------------------------------------

    def begin_with(self, text: str) -> None:
        """Have the next message say what hooks that heard the session begin have for the model."""
        self._begun_with = text

    def mention(self, text: str) -> None:
        """Have the next message tell the model something that the user did."""
        self._mentions.append(text)

    def clear(self) -> None:
        """Begin a new conversation: it knows nothing of what was or ended before it, and gets the memory files again."""
        self._take_job_news()
        self._take_undone()
        self._session_hooks.take_news()
        self._is_memory_due = True
        self._runtime.mode.forget_told()
        self._runtime.skills.forget_told()
        self._begun_with = ""

    # --- telling it --------------------------------------------------------------------------------------------------

    def say(self, message_id: str, draft: Draft, heard: str = "", attached: Attached | None = None) -> None:
        """Bring in a message of the user's, with all that is due. `heard` is what hooks that heard it add."""
        if self._thinking_model != (model := self._model()):
            self._thinking_model = model
            self._history.drop_thinking()
        parts = []
        if self._is_memory_due:
            self._is_memory_due = False
            parts.append(self._memory.text)
        parts.append(self._memory.take_news())
        parts.append(self._take_mode())
        parts.append(self._runtime.skills.take_news())
        parts.append(tool_news(*self._runtime.tools.take_news()))
        parts.append(framed(self._take_servers()))
        parts.append(self._runtime.agents.take_news())
        parts.append(framed(self._begun_with))
        self._begun_with = ""
        parts.append(self._take_background())
        parts.append(self._manual_tools.take_news())
        parts.append(self._take_undone())
        parts.append(framed("\n".join(self._mentions)))
        self._mentions.clear()
        parts.append(framed(heard))
        context = self._runtime.masker.mask(_joined(*parts))
        text, attached = draft.whole, attached or Attached()
        self._history.add_user(text, context, attached.blocks, message_id)
        self._publish(
            UserMessageSent(
                message_id=message_id,
                text=text,
                context=context,
                shown=draft.text if draft.text != text else "",
                blocks=attached.blocks,
                attached=attached.facts,
            )
        )

    def remind(self, *texts: str) -> bool:
        """Bring in something the model is to act on without a message of the user's; False where there is nothing left."""
        news = _joined(self._manual_tools.take_news(), *map(framed, texts))
        if news:
            self._remind(news)
        return bool(news)

    def remind_of_news(self) -> None:
        """Bring in what the model cannot wait for until the next message: another mode, tools that came or went, background
        work that has ended, changes that the user took back.
        """
        tools = _joined(tool_news(*self._runtime.tools.take_news()), framed(self._take_servers()))
        skills = self._runtime.skills.take_news()
        memory = self._memory.take_news()
        if news := _joined(self._take_mode(), memory, skills, tools, self._take_background(), self._take_undone()):
            self._remind(news)

    def _remind(self, text: str) -> None:
        text = self._runtime.masker.mask(text)
        self._history.add_user(text)
        self._publish(ReminderSent(text=text))

    def _take_mode(self) -> str:
        """Return what the model has to be told of the mode, where it knows of another one."""
        known, mode = self._runtime.mode.tell(), self._runtime.mode.now
        return mode_note(mode, plan=self._runtime.plan.note, before=known) if known != mode else ""

    def _take_background(self) -> str:
        """Return what the model has to be told of background jobs and of hooks in the background."""
        return _joined(self._take_job_news(), self._session_hooks.take_news())

    def _take_job_news(self) -> str:
        """Return what the model has to be told of background jobs that have ended."""
        missed, self._missed = self._missed, ()
        return news_text([*missed, *news_of(self._runtime.jobs.take_news())])


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
