"""What goes to the model and what came of it in numbers: one request, put together, and its usage as an event."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import date
from typing import Any

from tui_agent.engine.context.system_prompt import Environment, build_system_prompt
from tui_agent.engine.conversation.cache_marks import mark
from tui_agent.engine.conversation.history import History
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.thinking import Thinking
from tui_agent.events import UsageReported
from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import ModelRequest, Usage
from tui_agent.settings.current import CurrentSettings
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.workspace import Workspace

__all__ = ["RequestBuilder", "usage_report"]


class RequestBuilder:
    """Builds the requests of one conversation, which began on the day `began`.

    `tools` and `workspace` are the conversation's own. `thinking` says whether the model thinks, `table` what models can do.
    `instructions` come first in the system prompt, in the place of the main conversation's.
    """

    def __init__(
        self,
        settings: CurrentSettings,
        workspace: Workspace,
        tools: LoadedTools,
        history: History,
        thinking: Thinking,
        table: ModelTable,
        *,
        began: date,
        instructions: str | None = None,
    ) -> None:
        self._settings = settings
        self._workspace = workspace
        self._tools = tools
        self._instructions = {} if instructions is None else {"instructions": instructions}
        self._history = history
        self._thinking = thinking
        self._table = table
        self._began = began
        self._provider: str | None = None  # that the last request went to

    def build(self, model: str, git: GitStatus) -> ModelRequest:
        """Return the request for the conversation as it stands; `git` is what was so when it began."""
        provider = model.rpartition("/")[0]
        if self._provider not in (None, provider):
            self._history.drop_thinking()  # no other provider can read its signatures
        self._provider = provider
        known = self._table.info(model)
        messages = self._history.messages()
        if not known.takes_images:
            messages = without_images(messages)
        defaults = self._thinking.defaults(model, messages, self._settings.now.values.max_tokens)
        workspace, tools = self._workspace, self._tools
        tools.describe_for(model)
        system = build_system_prompt(
            Environment(
                cwd=str(workspace.root),
                platform=f"{platform.system()} {platform.release()}",
                date=self._began.isoformat(),
                model=model,
                additional_dirs=tuple(str(folder) for folder in workspace.additional),
                branch=git.branch,
                changed_files=git.changed_files,
            ),
            tool_prompts=tools.prompts(),
            tool_names=tools.pool.names,
            deferred_tools=tools.listed(),
            **self._instructions,
        )
        request = ModelRequest(
            model=model,
            system=system,
            messages=messages,
            tools=tools.schemas(),
            max_tokens=defaults.max_tokens,
            thinking=defaults.thinking,
        )
        return mark(request, builtin_tools=tools.core_count) if known.takes_cache_marks else request


def without_images(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages in which a line of text stands for each picture and document, for a model that takes none."""
    return [{**message, "content": _without_images(message["content"])} for message in messages]


def _without_images(content: Any) -> Any:  # noqa: ANN401 - text or blocks
    if not isinstance(content, list):
        return content
    return [_without_image(block) for block in content]


def _without_image(block: dict[str, Any]) -> dict[str, Any]:
    match block.get("type"):
        case "image" | "document" as kind:
            return {"type": "text", "text": f"[{kind} left out: this model cannot see it]"}
        case "tool_result" if isinstance(block.get("content"), list):
            return {**block, "content": _without_images(block["content"])}
        case _:
            return block


def usage_report(table: ModelTable, model: str, request_id: str, usage: Usage) -> UsageReported:
    """Return one request's usage with what it cost."""
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return UsageReported(
        request_id=request_id,
        model=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cost_usd=table.cost(model, usage),
        context_tokens=prompt + usage.output_tokens,
        context_size=table.info(model).context_size,
    )
