"""The embedded server takes the images and documents that the real API takes, and refuses those that would poison a session."""

from __future__ import annotations

import io
from base64 import b64encode
from typing import Any

import pytest
from conversation_client import assistant, request_of, result_of, user
from PIL import Image
from pypdf import PdfWriter

from tui_agent.model.demo.request_validation import RefusalError, check_request

USE = {"type": "tool_use", "id": "toolu_a_1", "name": "Read", "input": {}}


def image(size: tuple[int, int] = (8, 8), kind: str = "PNG", media_type: str = "image/png") -> dict[str, Any]:
    out = io.BytesIO()
    Image.new("RGB", size).save(out, kind)
    return block("image", out.getvalue(), media_type)


def pdf(pages: int = 1, password: str = "") -> dict[str, Any]:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(72, 72)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return block("document", out.getvalue(), "application/pdf")


def block(kind: str, data: bytes, media_type: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": media_type, "data": b64encode(data).decode()}
    return {"type": kind, "source": source}


def refusal(*blocks: dict[str, Any]) -> str:
    """What the server says to a tool result of these blocks; empty when it takes it."""
    body = request_of(user("go"), assistant(USE), user(result_of(USE, list(blocks))))
    try:
        check_request(body)
    except RefusalError as error:
        return f"{error.status} {error.kind} {error.message}"
    return ""


TAKEN = {
    "an image": [image()],
    "each kind of image": [
        image(),
        image(kind="JPEG", media_type="image/jpeg"),
        image(kind="GIF", media_type="image/gif"),
        image(kind="WEBP", media_type="image/webp"),
    ],
    "an image by address": [{"type": "image", "source": {"type": "url", "url": "https://x.io/a.png"}}],
    "a document with a title": [{"type": "text", "text": "pages"}, {**pdf(), "title": "x (page 1 of 2)"}],
    "a text as a document": [{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}],
    "a large image alone": [image((7900, 1))],
    "twenty of them": [image((7900, 1))] * 20,
    "a hundred small ones": [image()] * 100,
    "a hundred pages": [pdf(60), pdf(40)],
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_the_api_takes_is_taken(name: str) -> None:
    assert refusal(*TAKEN[name]) == ""


HEAVY = block("image", bytes(4_000_000), "image/png")

REFUSED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no source": ([{"type": "image"}], "image.source: Field required"),
    "an unknown source": ([{"type": "image", "source": {"type": "path", "path": "/x"}}], "does not match any"),
    "a source that is no object": ([{"type": "image", "source": "x"}], "Input should be an object"),
    "no data": ([{"type": "image", "source": {"type": "base64", "media_type": "image/png"}}], "data: Field required"),
    "a field too many": ([{**image(), "alt": "x"}], "alt: Extra inputs"),
    "an unknown kind of image": ([image(media_type="image/bmp")], "media_type: Input should be 'image/png'"),
    "another kind than is said": ([image(kind="GIF")], "does not match the provided media type image/png"),
    "no Base64": (
        [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "not base64!"}}],
        "Invalid base64",
    ),
    "no image": ([block("image", b'{"success": true}', "image/png")], "Could not process image"),
    "half an image": (
        [block("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0", "image/png")],
        "Could not process image",
    ),
    "an image that is too heavy": (
        [HEAVY],
        f"image exceeds 5 MB maximum: {len(HEAVY['source']['data'])} bytes > 5242880",
    ),
    "an image that is too large": ([image((8001, 1))], "dimensions exceed max allowed size: 8000"),
    "too many large images": ([image((2001, 1))] * 21, "many-image requests: 2000"),
    "too many images": ([image()] * 101, "101 > 100"),
    "too many pages": ([pdf(60), pdf(41)], "maximum of 100 PDF pages"),
    "no PDF": ([block("document", b"%PDF-1.4 not really", "application/pdf")], "was not valid"),
    "a locked PDF": ([pdf(1, "secret")], "password protected"),
    "an image as a document": ([block("document", b"x", "image/png")], "Input should be 'application/pdf'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_api_refuses_is_refused(name: str) -> None:
    blocks, expected = REFUSED[name]
    said = refusal(*blocks)
    assert said.startswith("400 invalid_request_error ")
    assert expected in said


def test_an_error_holds_no_image() -> None:
    body = request_of(user("go"), assistant(USE), user(result_of(USE, [image()], is_error=True)))
    with pytest.raises(RefusalError, match="must be type `text`"):
        check_request(body)


def test_a_person_may_send_them_too_and_the_model_may_not() -> None:
    check_request(request_of(user(image(), pdf(), "what is it?")))
    with pytest.raises(RefusalError, match="does not match any"):
        check_request(request_of(user("a"), assistant(image()), user("b")))
