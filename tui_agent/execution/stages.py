"""The eight stages of a tool use: their names, their order, and their start, end and outcome as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from tui_agent.events import ToolStageEnded, ToolStageStarted
from tui_agent.execution.errors import ToolFailure
from tui_agent.execution.execution_context import Publish
from tui_agent.tools.base import ToolError

__all__ = ["STAGES", "StageLog", "StageName"]

StageName = Literal["lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result"]
STAGES: Final[tuple[StageName, ...]] = (
    "lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result",
)  # fmt: skip


class StageLog:
    """The stages of one tool use. Refuses any other order, and turns every exception into `ToolFailure`."""

    def __init__(self, tool_use_id: str, publish: Publish, clock: Callable[[], float] = time.perf_counter) -> None:
        self._tool_use_id = tool_use_id
        self._publish = publish
        self._clock = clock
        self._next = 0

    def skip_to(self, name: StageName) -> None:
        """Skip the stages before `name` that have not been entered: the call failed, and there is nothing to store."""
        self._next = max(self._next, STAGES.index(name))

    @contextmanager
    def stage(self, name: StageName) -> Iterator[None]:
        """Enter a stage. The outcome is `ok`, or the kind of error that ends the use in it."""
        if self._next >= len(STAGES) or STAGES[self._next] != name:
            raise RuntimeError(f"stage {name} does not come after {STAGES[: self._next][-1:]}")
        self._next += 1
        self._publish(ToolStageStarted(tool_use_id=self._tool_use_id, stage=name))
        since = self._clock()
        outcome: str = "execution"
        try:
            yield
            outcome = "ok"
        except ToolFailure as failure:
            outcome = failure.kind
            raise
        except ToolError as error:
            outcome = error.kind
            raise ToolFailure.of(error) from error
        except asyncio.CancelledError as error:
            if not _is_being_cancelled():
                raise ToolFailure.unexpected(error, f"stage {name}") from error
            outcome = "aborted"
            raise
        except (Exception, SystemExit) as error:
            raise ToolFailure.unexpected(error, f"stage {name}") from error
        finally:
            ms = (self._clock() - since) * 1000
            self._publish(ToolStageEnded(tool_use_id=self._tool_use_id, stage=name, outcome=outcome, ms=ms))


def _is_being_cancelled() -> bool:
    """Whether this task was cancelled. Otherwise something that the tool waited for was, which is a failure of the tool."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
