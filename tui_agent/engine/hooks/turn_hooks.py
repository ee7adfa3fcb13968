"""Hooks about one conversation's turns: what they say after the tool uses of a reply, and when the turn is about to end.

The main conversation and every agent have their own; only the event that the end of a turn is differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from tui_agent.engine.hooks.background_output import BackgroundOutput
from tui_agent.engine.hooks.dispatcher import HookDispatcher
from tui_agent.events import Notice
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.text import clean_line
from tui_agent.tools.jobs import Jobs

__all__ = ["TurnHooks"]

_MOST_BLOCKS: Final = 8


class TurnHooks:
    """One conversation's. `agent_type` is that of the agent whose it is, empty for the main conversation."""

    def __init__(
        self, dispatcher: HookDispatcher, jobs: Jobs, background_output: BackgroundOutput, *, agent_type: str = ""
    ) -> None:
        self._dispatcher = dispatcher
        self._jobs = jobs
        self._background_output = background_output
        self._agent_type = agent_type
        self._event: Literal["Stop", "SubagentStop"] = "SubagentStop" if agent_type else "Stop"

    async def after_batch(self, calls: Sequence[tuple[Mapping[str, Any], ToolOutcome]]) -> tuple[str | None, str]:
        """Tell of all tool uses of a reply. Return why the turn is to end, or None; and what the model is to know."""
        dispatcher, event = self._dispatcher, "PostToolBatch"
        if not dispatcher.runner.is_heard(event):
            return None, ""
        entries = [
            {
                "tool_name": outcome.name,
                "tool_input": dispatcher.inputs.tool_input(outcome.name, input),
                "tool_use_id": outcome.tool_use_id,
                "tool_response": dispatcher.inputs.response(outcome.content, outcome.data),
            }
            for input, outcome in calls
        ]
        outcomes = await dispatcher.run(event, dispatcher.inputs.common(event, tool_calls=entries))
        context = await dispatcher.context_of(outcomes)
        stop = dispatcher.stop_reason(event, outcomes)
        blocking = next((outcome for outcome in outcomes if outcome.said.blocks), None)
        if stop is None and blocking is not None:
            stop = clean_line(blocking.said.reason, 1000) or "it gave no reason"
            dispatcher.publish(Notice(level="warning", text=f"A {event} hook ended the turn: {stop}"))
        return stop, context

    async def stop(self, last_message: str, blocks: int) -> str:
        """Let hooks hear that the model has finished. Return what it is to do before it may, empty where it may.

        `blocks` is how often in a row they have had it go on already.
        """
        dispatcher, event = self._dispatcher, self._event
        if not dispatcher.runner.is_heard(event):
            return ""
        fields = {"agent_transcript_path": dispatcher.inputs.transcript} if self._agent_type else {}
        input = dispatcher.inputs.common(
            event,
            stop_hook_active=blocks > 0,
            last_assistant_message=last_message,
            background_tasks=[
                {"id": job.id, "type": job.kind, "command": job.command, "description": job.description}
                for job in self._jobs.running
            ],
            session_crons=[],
            **fields,
        )
        outcomes = await dispatcher.run(event, input, *((self._agent_type,) if self._agent_type else ()))
        if dispatcher.stop_reason(event, outcomes) is not None:
            return ""
        reasons = [outcome.said.reason or "Go on." for outcome in outcomes if outcome.said.blocks]
        contexts = await dispatcher.context_of(outcomes)
        if not reasons:
            if contexts:
                self._background_output.add(contexts)
            return ""
        if blocks >= _MOST_BLOCKS:
            text = f"{event} hooks had the model go on {_MOST_BLOCKS} times in a row; the turn ends now."
            dispatcher.publish(Notice(level="warning", text=text))
            return ""
        return await dispatcher.fit("\n\n".join(filter(None, ("\n".join(reasons), contexts))))
