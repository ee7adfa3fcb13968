"""What may be asked of the session as a whole: where it stands, what it costs, what fills the model's context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.permissions.modes import Mode
from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = [
    "ContextPart",
    "ContextQuery",
    "ContextReport",
    "CostQuery",
    "CostReport",
    "Idle",
    "IdleQuery",
    "Masking",
    "ModelList",
    "ModelName",
    "ModelsQuery",
    "PartKind",
    "SessionState",
    "StateQuery",
    "ToolList",
    "ToolName",
    "ToolsQuery",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Masking(Plain):
    """Whether secrets are hidden, and the variables and the like whose values are known."""

    on: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SessionState(Plain):
    """Where a session stands. `root` is the folder it was started in, `cwd` where the shell stands now; `home` is the user's.

    `root` is empty where it works in no folder of this machine, as in a recording. `masking` is null where nothing is masked.
    """

    session_id: str
    model: str
    mode: Mode
    is_busy: bool
    is_thinking: bool
    root: str = ""
    cwd: str = ""
    additional_dirs: tuple[str, ...] = ()
    home: str = ""
    is_trusted: bool = False
    masking: Masking | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StateQuery(Query[SessionState]):
    """Where does the session stand?"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Idle(Plain):
    """No turn runs and no message waits."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdleQuery(Query[Idle]):
    """When does nothing run any more? It is answered then."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolName(Plain):
    """A tool that may be run by hand, and what it does in a few words."""

    name: str
    words: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolList(Plain):
    """The tools of the session, in the order in which the model gets them."""

    tools: tuple[ToolName, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolsQuery(Query[ToolList]):
    """Which tools are there?"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelName(Plain):
    """A model that the endpoint has: its name in requests, and what people call it (foreign text; may be empty)."""

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelList(Plain):
    """The models that the endpoint lists. `problem` is why it did not, or empty."""

    models: tuple[ModelName, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelsQuery(Query[ModelList]):
    """Which models does the endpoint have? It is asked anew."""


PartKind = Literal["system", "tool", "memory", "note", "person", "model", "thinking", "call", "result"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ContextPart(Plain):
    """One part of the request. `words` are its beginning or its name, as they are: foreign text.

    `tool_use_id` and `name` are those of the tool use that a call or a result is of. One that `is_short` has been shortened or
    left out already.
    """

    kind: PartKind
    words: str
    tokens: int
    tool_use_id: str = ""
    name: str = ""
    is_short: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContextReport(Plain):
    """All parts of the next request, in the order in which the model gets them, each with about how much of it that is."""

    model: str
    parts: tuple[ContextPart, ...]

    @property
    def tokens(self) -> int:
        """About how many tokens all parts have together."""
        return sum(part.tokens for part in self.parts)

    def of(self, kind: PartKind) -> int:
        """About how many tokens the parts of a kind have together."""
        return sum(part.tokens for part in self.parts if part.kind == kind)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContextQuery(Query[ContextReport | None]):
    """What would the next request carry? Null where none is sent, as in a recording."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostReport(Plain):
    """US dollars that the session has cost, as far as prices are known, and what it may cost (null: any amount)."""

    spent_usd: float = 0.0
    limit_usd: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostQuery(Query[CostReport]):
    """What has the session cost?"""
