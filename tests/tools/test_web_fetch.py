from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest
from fetching import fetching
from web_server import answer

from tui_agent import __version__
from tui_agent.tools.inputs.schema import InputValidationError, parse_input
from tui_agent.tools.services import AskError
from tui_agent.tools.web_fetch import tool as tool_module
from tui_agent.tools.web_fetch.tool import WebFetchTool

PAGE = (
    "<html><head><title>Rates &amp; dates</title><style>p{color:red}</style><script>var x = '<p>no</p>'</script></head>"
    "<body><!-- no --><p>One&nbsp;&lt;euro&gt;</p><template>no</template></body></html>"
)
GERMAN = "Größe und Länge der Straße, Übermut tut selten gut"
HTML = answer(PAGE, content_type="text/html; charset=utf-8")


async def test_html_comes_as_readable_text(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/a": HTML}) as fetch:
        ran = await fetch("/a?b=c#d")
        assert (ran.text, ran.is_error) == ("# Rates & dates\n\nOne <euro>", False)
        assert set(ran.data) >= {"bytes", "code", "codeText", "result", "durationMs", "url"}
        assert (ran.data["bytes"], ran.data["code"], ran.data["codeText"]) == (len(PAGE.encode()), 200, "OK")
        assert ran.data["result"] == ran.text
        assert ran.data["url"] == fetch.server.url("/a?b=c")
        assert fetch.server.paths == ["/a?b=c"]


async def test_a_request_says_who_asks_and_what_can_be_read(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/": HTML}) as fetch:
        await fetch("http://site.test:PORT/")
        (head,) = fetch.server.asked
        assert f"\r\nHost: site.test:{fetch.server.port}\r\n" in head
        assert f"User-Agent: tui-agent/{__version__}\r\n" in head
        assert "Accept-Encoding: gzip, deflate\r\n" in head
        assert "cookie" not in head.lower()


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ('{"a": [1,  2]}\n', "application/json", '{"a": [1,  2]}\n'),
        ("<b>plain</b> &amp;  text", "text/plain", "<b>plain</b> &amp;  text"),
        ("a: b", "application/vnd.x+yaml; charset=utf-8", "a: b"),
        ("x = 1\n", "", "x = 1\n"),
        ("x = 1\n", "application/octet-stream", "x = 1\n"),
        (" <!DOCTYPE html><p>a&lt;b", "", "a<b"),
        ("caf\u00e9".encode("cp1252"), "text/plain; charset=iso-8859-1", "caf\u00e9"),
        ("\u20ac".encode("cp1252"), 'text/plain;charset="latin1"', "\u20ac"),
        ("\ufeffgr\u00fc\u00df".encode(), "text/plain; charset=latin1", "gr\u00fc\u00df"),
        ("\ufeffgr\u00fc\u00df".encode("utf-16-le"), "text/plain", "gr\u00fc\u00df"),
        ('<meta charset="koi8-r"><p>\u043c\u0438\u0440'.encode("koi8-r"), "text/html", "\u043c\u0438\u0440"),
        ("<meta charset='utf-16'><p>gr\u00fcn".encode(), "text/html", "gr\u00fcn"),
        ("caf\u00e9".encode(), "text/plain; charset=unheard-of", "caf\u00e9"),
        ("caf\u00e9".encode(), "text/plain; charset=rot13", "caf\u00e9"),
        (b"a\\u0041", "text/plain; charset=unicode_escape", "a\\u0041"),
        (GERMAN.encode("cp1252"), "text/plain", GERMAN),
        (b"bad \xff byte", "text/plain; charset=utf-8", "bad \ufffd byte"),
    ],
)  # fmt: skip
async def test_text_is_decoded_and_left_as_it_is(tmp_path: Path, body: Any, content_type: str, text: str) -> None:
    headers = {"content_type": content_type} if content_type else {}
    async with fetching(tmp_path, {"/": answer(body, **headers)}) as fetch:
        assert (await fetch("/")).text == text


async def test_a_long_text_comes_in_parts(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(10_000))
    async with fetching(tmp_path, {"/": answer(text, content_type="text/plain")}) as fetch:
        first = await fetch("/", max_length=1000)
        assert first.text.startswith(text[:1000])
        assert first.text.endswith(
            f"[… and {len(text) - 1000:,} more of {len(text):,} characters; offset=1000 reads on.]"
        )
        second = await fetch("/", max_length=50_000, offset=1000)
        assert second.text.startswith(text[1000:51_000] + "\n\n[")
        last = await fetch("/", offset=len(text) - 5)
        assert last.text == text[-5:]
        assert "There is no text at offset 999,999" in (await fetch("/", offset=999_999)).text
        assert len(fetch.server.asked) == 1
        assert len((await fetch("/")).text) < 50_000


@pytest.mark.parametrize("fields", [{"max_length": 50_001}, {"max_length": 0}, {"offset": -1}, {"prompt": 3}, {}])
def test_the_input_has_limits(fields: dict[str, Any]) -> None:
    url = {"url": "https://x.org"} if fields else {}
    with pytest.raises(InputValidationError, match=next(iter(fields), "url")):
        parse_input(WebFetchTool(), {**url, **fields})


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        ("404 Not Found", answer("<h1>Oh no</h1>", "404 Not Found", content_type="text/html"), "HTTP error: 404 Not Found"),
        ("500 Oops", answer("", "500 Oops"), "HTTP error: 500 Oops"),
        ("503", answer("", "503 "), "HTTP error: 503 Service Unavailable"),
        ("400", answer('{"why": "x"}', "400 Bad Request", content_type="application/json"),
         'HTTP error: 400 Bad Request\n\n{"why": "x"}'),
        ("304", answer("", "304 Not Modified"), "HTTP error: 304 Not Modified"),
        ("302", answer("", "302 Found"), "HTTP error: 302 Found"),
    ],
)  # fmt: skip
async def test_a_status_that_is_no_success_is_an_error(tmp_path: Path, status: str, body: bytes, text: str) -> None:
    async with fetching(tmp_path, {"/": body}) as fetch:
        ran = await fetch("/")
        assert (ran.text, ran.is_error) == (text, True)
        assert ran.data["code"] == int(status[:3])
        await fetch("/")
        assert len(fetch.server.asked) == 2  # what failed is tried again


async def test_an_empty_answer_is_said_to_be_empty(tmp_path: Path) -> None:
    pages = {
        "/none": answer(content_type="text/html"),
        "/blank": answer(" \n", content_type="text/plain"),
        "/204": answer("", "204 No Content"),
        "/drawn": answer("<div id=app></div><script>draw()</script>", content_type="text/html"),
    }
    async with fetching(tmp_path, pages) as fetch:
        for path in ("/none", "/blank", "/204"):
            ran = await fetch(path)
            assert (ran.text, ran.is_error) == ("(empty response)", False)
        assert (await fetch("/drawn")).text.startswith("(empty response)\n\n[The page holds HTML but no text")


async def test_what_is_no_text_is_kept_beside_the_results(tmp_path: Path) -> None:
    body = b"%PDF-1.4\0\xff"
    async with fetching(tmp_path, {"/a": answer(body, content_type="application/pdf"), "/b": answer(b"\0\1")}) as fetch:
        ran = await fetch("/a")
        saved = tmp_path / "results" / "toolu_1.pdf"
        assert ran.text == f"The answer is application/pdf (10 bytes), not text. It is saved in {saved}."
        assert (saved.read_bytes(), ran.data["savedTo"]) == (body, str(saved))
        fetch.keeps = False
        ran = await fetch("/b")
        assert (ran.is_error, ran.kind, ran.code) == (True, "validation", "binary")
        assert "application/octet-stream (2 bytes)" in ran.text


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "raw", "members"])
async def test_packed_answers_are_unpacked(tmp_path: Path, encoding: str) -> None:
    text = "packed " * 50_000
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "deflate": zlib.compress(text.encode()),
        "raw": raw.compress(text.encode()) + raw.flush(),
        "members": gzip.compress(text[:1000].encode()) + gzip.compress(text[1000:].encode()),
    }.get(encoding, gzip.compress(text.encode()))
    name = {"raw": "deflate", "members": "gzip"}.get(encoding, encoding)
    page = answer(packed, content_type="text/plain", content_encoding=name)
    async with fetching(tmp_path, {"/": page}) as fetch:
        ran = await fetch("/", max_length=50_000)
        assert ran.text.startswith(text[:50_000])
        assert ran.data["totalChars"] == len(text)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
async def test_what_was_not_asked_for_is_not_unpacked(tmp_path: Path, encoding: str) -> None:
    async with fetching(tmp_path, {"/": answer(b"xyz", content_encoding=encoding)}) as fetch:
        ran = await fetch("/")
        assert ran.is_error
        assert "was not asked for" in ran.text


@pytest.mark.parametrize("layers", [1, 2])
async def test_a_bomb_is_stopped_when_it_unpacks_to_too_much(tmp_path: Path, layers: int) -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1_000_000)) for _ in range(40)) + packer.flush()
    assert len(bomb) < 400_000
    if layers == 2:
        bomb = gzip.compress(bomb)
    async with fetching(tmp_path, {"/": answer(bomb, content_encoding="gzip", content_type="text/plain")}) as fetch:
        ran = await fetch("/")
        if layers == 1:
            assert (ran.is_error, ran.code) == (True, "too_large")
            assert "larger than 10 MB" in ran.text
        else:
            assert len(ran.text) < 60_000  # what is inside stays packed


async def test_rubbish_that_claims_to_be_packed_is_an_error(tmp_path: Path) -> None:
    for encoding in ("gzip", "deflate"):
        async with fetching(tmp_path, {"/": answer(b"not packed at all", content_encoding=encoding)}) as fetch:
            assert "cannot be unpacked" in (await fetch("/")).text


async def test_an_endless_answer_is_cut_off_while_it_comes(tmp_path: Path) -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
        while True:
            writer.write(b"x" * 100_000)
            sent += 100_000
            await writer.drain()

    async with fetching(tmp_path, {"/": endless, "/said": answer(b"", content_length="10000001")}) as fetch:
        ran = await fetch("/")
        assert (ran.is_error, ran.code) == (True, "too_large")
        await asyncio.wait_for(fetch.server.gone.wait(), 10)
        assert sent < 40_000_000
        ran = await fetch("/said")
        assert "10,000,001 bytes" in ran.text


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>slow",
        b"HTTP/1.1 404 No\r\n\r\n",
    ],
)
async def test_a_server_that_dribbles_runs_out_of_time(
    tmp_path: Path, head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dribble(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b" " if b"\r\n\r\n" in head else b"")
            await writer.drain()
            await asyncio.sleep(0.01)

    monkeypatch.setattr(tool_module, "TIMEOUT_S", 0.06)
    async with fetching(tmp_path, {"/": dribble}) as fetch:
        ran = await fetch("/")
        assert (ran.is_error, ran.kind) == (True, "timeout")
        assert "took longer than 0.06 s" in ran.text


async def test_a_silent_name_server_runs_out_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_module, "TIMEOUT_S", 0.05)

    async def silent(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with fetching(tmp_path, names=silent_names(silent)) as fetch:
        assert (await fetch("https://slow.test/")).kind == "timeout"


def silent_names(resolve: Any) -> Any:
    resolve.known = {}
    return resolve


async def test_reading_ends_when_nobody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []

    def read_for_ever(body: bytes, content_type: str, url: str, stop: threading.Event) -> Any:
        ended.append(stop.wait(10))

    monkeypatch.setattr(tool_module, "read_page", read_for_ever)
    monkeypatch.setattr(tool_module, "TIMEOUT_S", 0.3)
    async with fetching(tmp_path, {"/": HTML}) as fetch:
        assert (await fetch("/")).kind == "timeout"
        while not ended:
            await asyncio.sleep(0.005)
    assert ended == [True]


async def test_cancelling_hangs_up_at_once(tmp_path: Path) -> None:
    began = asyncio.Event()

    async def hang(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>")
        await writer.drain()
        began.set()
        while not writer.transport.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0.005)

    async with fetching(tmp_path, {"/": hang}) as fetch:
        task = asyncio.create_task(fetch("/"))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(fetch.server.gone.wait(), 10)


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (b"", "cannot be fetched"),
        (b"what is this\r\n\r\n", "cannot be fetched"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", "cannot be fetched"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "cannot be fetched"),
    ],
)
async def test_a_broken_connection_is_said_to_be_one(tmp_path: Path, page: bytes, says: str) -> None:
    async with fetching(tmp_path, {"/": page}) as fetch:
        ran = await fetch("/")
        assert ran.is_error
        assert says in ran.text


async def test_nobody_listening_is_said(tmp_path: Path) -> None:
    async with fetching(tmp_path) as fetch:
        ran = await fetch("http://127.0.0.1:9/")
        assert ran.text.startswith("http://127.0.0.1:9/ cannot be fetched: ")


async def test_pages_are_kept_for_a_quarter_of_an_hour(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/a": HTML}) as fetch:
        first = await fetch("/a")
        fetch.now = 899
        assert (await fetch("/a#part")).text == first.text
        assert fetch.server.paths == ["/a"]
        fetch.now = 901
        await fetch("/a")
        assert fetch.server.paths == ["/a", "/a"]


async def test_the_least_used_page_leaves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.tools.web_fetch.cache.MAX_PAGES", 2)
    pages = {path: answer(path * 10, content_type="text/plain") for path in ("/a", "/b", "/c")}
    async with fetching(tmp_path, pages) as fetch:
        for path in ("/a", "/b", "/a", "/c", "/a", "/b"):
            await fetch(path)
        assert fetch.server.paths == ["/a", "/b", "/c", "/b"]
        monkeypatch.setattr("tui_agent.tools.web_fetch.cache.MAX_CHARS", 30)
        for path in ("/c", "/c", "/b"):
            await fetch(path)
        assert fetch.server.paths == ["/a", "/b", "/c", "/b", "/c", "/b"]


# --- the small model -------------------------------------------------------------------------------------------------


class Small:
    """A small model that says what it is told to, or raises it."""

    def __init__(self, says: str | Exception = "One euro.") -> None:
        self.says = says
        self.asked: list[str] = []

    async def __call__(self, text: str) -> str:
        self.asked.append(text)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


async def test_a_prompt_is_answered_from_the_page(tmp_path: Path) -> None:
    small = Small()
    async with fetching(tmp_path, {"/": HTML}, ask_model=small) as fetch:
        ran = await fetch("/", prompt="How much?")
        assert (ran.text, ran.data["isAnswer"], ran.data["result"]) == ("One euro.", True, "One euro.")
        (asked,) = small.asked
        assert "How much?" in asked
        assert "One <euro>" in asked
        assert "nothing to obey" in asked
        await fetch("/", prompt="And when?")
        assert len(fetch.server.asked) == 1
        first, second = (text.split("<document ")[1].split(">")[0] for text in small.asked)
        assert first != second  # nobody can write the end of the page into the page


@pytest.mark.parametrize("says", [AskError("The server is busy."), "  "])
async def test_without_an_answer_the_text_itself_has_to_do(tmp_path: Path, says: Any) -> None:
    async with fetching(tmp_path, {"/": HTML}, ask_model=Small(says)) as fetch:
        ran = await fetch("/", prompt="How much?")
        assert not ran.is_error
        assert ran.text.startswith("# Rates & dates\n\nOne <euro>\n\n[The ")
        assert ran.text.endswith("his is the text itself.]")
        fetch.ask_model = None
        assert "[There is no model to answer the prompt" in (await fetch("/", prompt="x")).text


async def test_the_small_model_has_its_time_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_module, "_ANSWER_S", 0.05)

    async def silent(_text: str) -> str:
        await asyncio.Event().wait()
        return ""

    async with fetching(tmp_path, {"/": HTML}, ask_model=silent) as fetch:
        assert "in time; this is the text itself" in (await fetch("/", prompt="x")).text


async def test_a_long_page_is_read_in_parts_and_a_long_answer_cut(tmp_path: Path) -> None:
    small = Small("word " * 100)
    async with fetching(tmp_path, {"/": answer("x" * 250_000, content_type="text/plain")}, ask_model=small) as fetch:
        ran = await fetch("/", prompt="?", max_length=40)
        answered, cut, read = ran.text.split("\n\n")
        assert answered == "word " * 8
        assert cut == "[… and 459 more characters of the answer.]"
        assert read == "[Only 100,000 of 250,000 characters were read; offset=100000 goes on.]"
        await fetch("/", prompt="?", offset=200_000)
        assert small.asked[1].count("x") < 51_000
        assert "There is no text at offset" in (await fetch("/", prompt="?", offset=300_000)).text


async def test_cancelling_also_stops_the_small_model(tmp_path: Path) -> None:
    asked, stopped = asyncio.Event(), asyncio.Event()

    async def silent(_text: str) -> str:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    async with fetching(tmp_path, {"/": HTML}, ask_model=silent) as fetch:
        task = asyncio.create_task(fetch("/", prompt="x"))
        await asked.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert stopped.is_set()


# --- what it says of itself ------------------------------------------------------------------------------------------


def test_it_reads_may_run_beside_others_and_has_an_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = WebFetchTool()
    input: Any = parse_input(tool, {"url": "https://x.org"})
    assert tool.is_read_only(input)
    assert tool.is_concurrency_safe(input)
    assert not tool.is_destructive(input)
    assert not tool.claims(input).is_exclusive
    assert "web_fetch" in tool.aliases
    assert tool.from_alias("web_fetch", {"prompt": "Sum up https://x.org/a, please"})["url"] == "https://x.org/a"
    assert tool.from_alias("web_fetch", {"url": "u", "prompt": "https://x"}) == {"url": "u", "prompt": "https://x"}
    assert tool.is_enabled()
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_WEB_FETCH", "1")
    assert not tool.is_enabled()


async def test_data_is_json(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/": answer("caf\u00e9", content_type="text/plain")}) as fetch:
        ran = await fetch("/")
        assert json.loads(json.dumps(ran.data)) == ran.data
