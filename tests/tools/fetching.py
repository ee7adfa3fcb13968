"""A WebFetch with a fake name server, on a web server in the same loop; and what a call of it comes to."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tool_bench import Ran
from web_server import WebServer, serving

from tui_agent.tools.base import Invalid, Progress, Result, ToolContext, ToolError
from tui_agent.tools.file_state import FileState
from tui_agent.tools.inputs.schema import parse_input
from tui_agent.tools.services import AskModel, Services
from tui_agent.tools.web_fetch.cache import PageCache
from tui_agent.tools.web_fetch.client import Client
from tui_agent.tools.web_fetch.tool import WebFetchTool
from tui_agent.tools.workspace import Workspace

CERTIFICATE = Path(__file__).parents[1] / "support/site_test.pem"


class Names:
    """A name server: answers in turn, the last one again and again. `asked` are the names."""

    def __init__(self, **known: list[list[str]]) -> None:
        self.known = {name.replace("__", "-").replace("_", "."): answers for name, answers in known.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self.known.get(host)
        if answers is None:
            raise OSError("Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@dataclass
class Fetching:
    """`permitted` are the hosts that a rule names, `guarded` those that one denies or asks about."""

    folder: Path
    server: WebServer
    names: Names = field(default_factory=Names)
    permitted: set[str] = field(default_factory=lambda: {"127.0.0.1", "site.test", "www.site.test"})
    guarded: set[str] = field(default_factory=set)
    environment: dict[str, str] = field(default_factory=dict)
    ask_model: AskModel | None = None
    now: float = 0.0
    tls: ssl.SSLContext | None = None
    keeps: bool = True

    def __post_init__(self) -> None:
        self.names.known.setdefault("site.test", [["127.0.0.1"]])
        self.names.known.setdefault("www.site.test", [["127.0.0.1"]])
        self.tool = WebFetchTool(Client(self.names, self.tls or _context()), PageCache(lambda: self.now))

    def context(self) -> ToolContext:
        return ToolContext(
            workspace=Workspace(self.folder, home=self.folder / "home"),
            files=FileState(),
            tool_use_id="toolu_1",
            environment=self.environment,
            results_dir=self.folder / "results" if self.keeps else None,
            services=Services(
                ask_model=self.ask_model,
                permits_host=lambda host: host in self.permitted,
                guards_host=lambda host: host in self.guarded,
            ),
        )

    async def __call__(self, url: str, **fields: Any) -> Ran:
        url = self.server.url(url) if url[:1] == "/" != url[1:2] else url.replace("PORT", str(self.server.port))
        input: Any = parse_input(self.tool, {"url": url, **fields})
        context = self.context()
        verdict = await self.tool.validate(input, context)
        if isinstance(verdict, Invalid):
            return Ran(verdict.message, is_error=True, kind="validation", code=verdict.code)
        progress: list[Progress] = []
        results: list[Result[Any]] = []
        try:
            async for item in self.tool.call(input, verdict.plan, context):
                if isinstance(item, Progress):
                    progress.append(item)
                else:
                    results.append(item)
        except ToolError as error:
            return Ran(error.message, is_error=True, kind=error.kind, code=error.data.get("code"))
        (result,) = results
        return Ran(
            self.tool.to_result(result.output),
            is_error=result.is_error,
            data=self.tool.to_data(result.output),
            progress=progress,
        )


@contextlib.asynccontextmanager
async def fetching(folder: Path, pages: Mapping[str, Any] | None = None, **options: Any) -> AsyncIterator[Fetching]:
    tls = None
    if options.pop("is_secure", False):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(CERTIFICATE)
        options["tls"] = ssl.create_default_context(cafile=str(CERTIFICATE))
    async with serving(tls) as server:
        server.pages.update(pages or {})
        yield Fetching(folder, server, **options)


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()
