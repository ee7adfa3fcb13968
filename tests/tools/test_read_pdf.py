"""Read shows pages of PDFs: a range that is asked for, as a document of its own or, where that is too large, as text."""

from __future__ import annotations

import io
import random
import zlib
from base64 import b64decode
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from tool_bench import Bench, Ran

from tui_agent.media import Media
from tui_agent.model.demo.request_validation import check_request
from tui_agent.tools.read import kinds
from tui_agent.tools.read.pdfs import MOST_PAGES_A_READ, PdfProblem, parse_pages, read_pages


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def pdf(pages: int, *, weight: int = 0, has_text: bool = True) -> bytes:
    """A PDF whose page n says `This is page n`; `weight` is how many bytes that cannot be packed each page holds."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number in range(pages):
        text = f"BT /F1 24 Tf 72 700 Td (This is page {number + 1}) Tj ET" if has_text else ""
        body = text.encode() + b"\n%" + random.Random(number).randbytes(weight).replace(b"\n", b"").replace(b"\r", b"")
        stream = zlib.compress(body + b"\n")
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {5 + 2 * number} 0 R >>"
        head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        objects += [page.encode(), head + stream + b"\nendstream"]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, item in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + item + b"\nendobj\n")
    start = out.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def encrypted(password: str, algorithm: str = "RC4-128") -> bytes:
    writer = PdfWriter()
    writer.append(io.BytesIO(pdf(2)))
    writer.encrypt(password, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def shown(ran: Ran) -> list[str]:
    """The texts of the pages of the document in a result, which a strict server takes."""
    assert not ran.is_error, ran.text
    use = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": ran.content}
    roles = [("user", "go"), ("assistant", [use]), ("user", [result])]
    messages = [{"role": role, "content": content} for role, content in roles]
    check_request({"model": "m", "max_tokens": 9, "stream": True, "messages": messages})
    (block,) = [block for block in ran.content if isinstance(block, dict) and block["type"] == "document"]
    return [page.extract_text() for page in PdfReader(io.BytesIO(b64decode(block["source"]["data"]))).pages]


def texts(first: int, last: int) -> list[str]:
    return [f"This is page {number}" for number in range(first, last + 1)]


async def test_a_short_pdf_is_shown_whole(runtime: Bench) -> None:
    runtime.write("x.pdf", pdf(10), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert shown(ran) == texts(1, 10)
    assert ran.data["type"] == "pdf"
    assert (ran.data["file"]["firstPage"], ran.data["file"]["lastPage"], ran.data["file"]["totalPages"]) == (1, 10, 10)
    assert runtime.files.media["toolu_1"].pages == 10


async def test_of_a_long_pdf_pages_must_be_named(runtime: Bench) -> None:
    runtime.write("x.pdf", pdf(25), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert (ran.code, "it has 25 pages" in ran.text) == ("too_many_pages", True)
    assert shown(await runtime.run("Read", {"file_path": "x.pdf", "pages": "3-7"})) == texts(3, 7)
    assert shown(await runtime.run("Read", {"file_path": "x.pdf", "pages": "25"})) == texts(25, 25)
    assert shown(await runtime.run("Read", {"file_path": "x.pdf", "pages": "20-"})) == texts(20, 25)
    assert (await runtime.run("Read", {"file_path": "x.pdf", "pages": "1-21"})).code == "too_many_pages"
    assert (await runtime.run("Read", {"file_path": "x.pdf", "pages": "26-30"})).code == "bad_pages"
    runtime.write("f.py", "x")
    assert (await runtime.run("Read", {"file_path": "f.py", "pages": "1"})).code == "not_a_pdf"


async def test_pages_that_are_too_large_come_as_text(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_DOCUMENT_BYTES", 30_000)
    runtime.write("x.pdf", pdf(3, weight=20_000), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert isinstance(ran.content, str)
    assert "as text only" in ran.text
    assert "--- page 2 ---\nThis is page 2\n\n--- page 3 ---\nThis is page 3" in ran.text
    assert shown(await runtime.run("Read", {"file_path": "x.pdf", "pages": "2"})) == texts(2, 2)
    runtime.write("scan.pdf", pdf(3, weight=20_000, has_text=False), is_read=False)
    ran = await runtime.run("Read", {"file_path": "scan.pdf"})
    assert (ran.code, "Read fewer pages" in ran.text) == ("too_large", True)


async def test_text_of_pages_that_does_not_fit_goes_on_with_another_read(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, result_chars=1100)
    runtime.files.media["earlier"] = Media(pages=100)
    runtime.write("x.pdf", pdf(10), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert ran.text.endswith('[PARTIAL view: pages 1–3. Read on with pages="4-10".]')


async def test_a_conversation_that_holds_its_share_of_pages_gets_text(runtime: Bench) -> None:
    runtime.files.media["earlier"] = Media(pages=95)
    runtime.write("x.pdf", pdf(8), is_read=False)
    assert shown(await runtime.run("Read", {"file_path": "x.pdf", "pages": "1-5"})) == texts(1, 5)
    ran = await runtime.run("Read", {"file_path": "x.pdf", "pages": "1-6"})
    assert "the conversation can take 5 more pages" in ran.text
    assert "This is page 6" in ran.text


BROKEN = {
    "a PDF in name": (b"%PDF-1.4 not really a pdf\n", "broken"),
    "a cut PDF": (pdf(3)[:300], "broken"),
    "a PDF without pages": (pdf(0), "broken"),
    "a locked PDF": (encrypted("secret"), "encrypted"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_pdf_that_the_api_would_refuse_is_an_error_that_says_so(runtime: Bench, name: str) -> None:
    data, code = BROKEN[name]
    runtime.write("x.pdf", data, is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert (ran.is_error, ran.code) == (True, code), ran.text
    assert not runtime.files.media


def test_no_damage_to_a_pdf_is_more_than_a_problem() -> None:
    chance = random.Random(3)
    seeds = [pdf(2), encrypted("")]
    read = problems = 0
    for _ in range(60):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.choice((1, 4, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            limits = {"most_bytes": chance.choice((1, 10**6)), "most_pages": 20, "budget": 9000}
            read_pages(bytes(data), None, stopped=Event(), **limits)
            read += 1
        except PdfProblem:
            problems += 1
    assert read > 5
    assert problems > 5


async def test_a_pdf_that_opens_without_a_password_is_unlocked(runtime: Bench) -> None:
    runtime.write("x.pdf", encrypted(""), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.pdf"})
    assert shown(ran) == texts(1, 2)


async def test_what_is_only_called_a_pdf_is_text(runtime: Bench) -> None:
    runtime.write("x.pdf", "<html>no such file</html>\n")
    assert (await runtime.run("Read", {"file_path": "x.pdf"})).text == "1\t<html>no such file</html>"


@given(
    first=st.integers(1, 300), length=st.integers(0, 40), total=st.integers(1, 300), blank=st.sampled_from(["", " "])
)
def test_a_range_of_pages_means_what_it_says(first: int, length: int, total: int, blank: str) -> None:
    last = first + length
    for pages, end in (
        (f"{first}{blank}-{blank}{last}", last),
        (f"{first}-{blank}", total),
        (f"{blank}{first}", first),
    ):
        wanted = [page for page in range(first, end + 1) if page <= total]
        if wanted and len(wanted) <= MOST_PAGES_A_READ:
            assert parse_pages(pages, total) == (wanted[0], wanted[-1])
        else:
            with pytest.raises(PdfProblem) as problem:
                parse_pages(pages, total)
            assert problem.value.code == ("too_many_pages" if wanted else "bad_pages")


@given(st.text(max_size=8))
def test_no_text_breaks_the_parser_of_pages(pages: str) -> None:
    try:
        first, last = parse_pages(pages, 30)
    except PdfProblem:
        return
    assert 1 <= first <= last <= 30


@pytest.mark.parametrize("pages", ["0", "0-3", "5-3", "a", "1,2", "-3", "1--2", "1-2-3", "٣x"])
def test_what_is_no_range_is_refused(pages: str) -> None:
    with pytest.raises(PdfProblem, match="page"):
        parse_pages(pages, 30)
