"""Read shows images as the API takes them, whatever the file's name says, and refuses those that it would not take."""

from __future__ import annotations

import io
import random
import struct
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from PIL import ExifTags, Image
from tool_bench import Bench, Ran

from tui_agent.media import Media, image_size, image_type, media_in
from tui_agent.model.demo.request_validation import check_request
from tui_agent.tools.shared_read import images
from tui_agent.tools.shared_read.images import LONGEST_SIDE, MOST_BYTES


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def drawn(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB", **options: Any) -> bytes:
    """An image whose left half is red and whose right half is blue."""
    image = Image.new("RGB", size, (200, 30, 30))
    image.paste((30, 30, 200), (size[0] // 2, 0, *size))
    out = io.BytesIO()
    image.convert(mode).save(out, kind, **options)
    return out.getvalue()


def noise(size: tuple[int, int]) -> Image.Image:
    return Image.frombytes("RGB", size, random.Random(1).randbytes(size[0] * size[1] * 3))


def sent(ran: Ran) -> tuple[Image.Image, bytes, str]:
    """The image of a result, as the model gets it, from blocks that a strict server takes."""
    assert not ran.is_error, ran.text
    use = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": ran.content}
    roles = [("user", "go"), ("assistant", [use]), ("user", [result])]
    messages = [{"role": role, "content": content} for role, content in roles]
    check_request({"model": "m", "max_tokens": 9, "stream": True, "messages": messages})
    (block,) = [block for block in ran.content if isinstance(block, dict) and block["type"] == "image"]
    data = b64decode(block["source"]["data"])
    image = Image.open(io.BytesIO(data))
    image.load()
    return image, data, block["source"]["media_type"]


KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@pytest.mark.parametrize("kind", KINDS)
async def test_an_image_within_the_limits_is_sent_as_it_is(runtime: Bench, kind: str) -> None:
    data = drawn(kind)
    assert (image_type(data), image_size(data)) == (KINDS[kind], (60, 40))
    runtime.write("x.txt", data, is_read=False)  # the name says nothing
    ran = await runtime.run("Read", {"file_path": "x.txt"})
    _, got, media_type = sent(ran)
    assert (got, media_type) == (data, KINDS[kind])
    assert ran.text == f"x.txt: {KINDS[kind]}, 60 × 40 pixels"
    file = ran.data["file"]
    assert (ran.data["type"], file["originalSize"], file["dimensions"]["originalWidth"]) == ("image", len(data), 60)
    preview = file["preview"]
    rgb = b64decode(preview["rgb"])
    assert len(rgb) == preview["width"] * preview["height"] * 3
    assert rgb[0] > 150 > rgb[2]
    assert rgb[-1] > 150 > rgb[-3]


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 40}, {"exact": True, "lossless": True}])
def test_the_size_of_each_kind_of_webp_is_known(options: dict[str, Any]) -> None:
    assert image_size(drawn("WEBP", (123, 45), **options)) == (123, 45)
    assert image_size(drawn("WEBP", (123, 45), "RGBA", **options)) == (123, 45)
    assert image_size(drawn("JPEG", (123, 45), progressive=True)) == (123, 45)


async def test_a_large_image_is_made_smaller(runtime: Bench) -> None:
    runtime.write("x.png", drawn("PNG", (5000, 300)), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.png"})
    image, _, media_type = sent(ran)
    assert (image.size, media_type) == ((LONGEST_SIDE, 120), "image/png")
    assert "shown as image/png, 2000 × 120 pixels" in ran.text


async def test_a_heavy_image_is_made_lighter(runtime: Bench) -> None:
    out = io.BytesIO()
    noise((1200, 900)).save(out, "PNG")
    assert len(out.getvalue()) > MOST_BYTES
    runtime.write("x.png", out.getvalue(), is_read=False)
    _, data, media_type = sent(await runtime.run("Read", {"file_path": "x.png"}))
    assert (len(data) <= MOST_BYTES, media_type) == (True, "image/jpeg")


async def test_a_photograph_is_turned_upright(runtime: Bench) -> None:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6  # the top of what is seen is on the right of the file
    runtime.write("x.jpg", drawn("JPEG", exif=exif), is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.jpg"})
    image, _, _ = sent(ran)
    assert image.size == (40, 60)
    top, bottom = image.convert("RGB").getpixel((20, 5)), image.convert("RGB").getpixel((20, 55))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert (top[0] > 150, bottom[2] > 150) == (True, True)


async def test_of_an_animation_the_first_frame_is_sent(runtime: Bench) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    runtime.write("x.gif", out.getvalue(), is_read=False)
    image, _, _ = sent(await runtime.run("Read", {"file_path": "x.gif"}))
    assert not getattr(image, "is_animated", False)
    assert image.convert("RGB").getpixel((5, 5)) == (255, 0, 0)


@pytest.mark.parametrize(
    ("kind", "mode"), [("JPEG", "CMYK"), ("PNG", "I;16"), ("PNG", "P"), ("PNG", "LA"), ("PNG", "1")]
)
async def test_every_kind_of_colour_can_be_sent(runtime: Bench, kind: str, mode: str) -> None:
    data = drawn(kind, mode="L" if mode == "I;16" else mode)
    if mode == "I;16":
        out = io.BytesIO()
        Image.new("I;16", (30, 30), 40_000).save(out, "PNG")
        data = out.getvalue()
    runtime.write("x", data, is_read=False)
    image, _, _ = sent(await runtime.run("Read", {"file_path": "x"}))
    assert image.mode in ("RGB", "P", "LA", "1")
    if mode == "I;16":
        assert image.convert("L").getpixel((3, 3)) == 40_000 // 256


def bomb(width: int, height: int) -> bytes:
    """A small PNG that says it is large."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


def wide_frame() -> bytes:
    """A GIF that says it is small, with a frame that is not."""
    data = bytearray(drawn("GIF"))
    at = data.index(b",", 13)  # the image descriptor: position, then width and height
    data[at + 5 : at + 9] = struct.pack("<HH", 12_000, 9_000)
    return bytes(data)


BROKEN = {
    "a picture of too many pixels": (bomb(30_000, 30_000), "30,000 × 30,000 pixels"),
    "a frame of too many pixels": (wide_frame(), "pixels"),
    "a cut PNG": (drawn("PNG", (300, 300))[:-40], "broken image"),
    "a cut JPEG": (drawn("JPEG", (300, 300))[:-400], "broken image"),
    "a JPEG's first bytes": (b"\xff\xd8\xff\xe0\0\x10JFIF\0" + b"x" * 40, "broken image"),
    "a PNG without pixels": (bomb(0, 10), "broken image"),
    "a GIF of nothing": (b"GIF89a\x05\0\x05\0\0\0\0;", "broken image"),
    "a WebP of rubbish": (b"RIFF\x40\0\0\0WEBPVP8X" + b"\0" * 60, "broken image"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_image_is_an_error_that_says_so(runtime: Bench, name: str) -> None:
    data, expected = BROKEN[name]
    runtime.write("x.png", data, is_read=False)
    ran = await runtime.run("Read", {"file_path": "x.png"})
    assert (ran.is_error, ran.code) == (True, "bad_image"), ran.content
    assert expected in ran.text


def test_no_damage_to_an_image_is_more_than_a_problem() -> None:
    chance = random.Random(3)
    seeds = [drawn(kind, (40, 30)) for kind in KINDS]
    fitted = problems = 0
    for _ in range(300):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.choice((1, 4, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            images.fit_image(bytes(data))
            fitted += 1
        except images.ImageProblem:
            problems += 1
    assert fitted > 20
    assert problems > 100


async def test_what_is_only_called_an_image_is_what_it_is(runtime: Bench) -> None:
    runtime.write("x.png", '{"success": true}')
    assert (await runtime.run("Read", {"file_path": "x.png"})).text == '1\t{"success": true}'
    runtime.write("gif.txt", "GIF89a is what such files begin with\n")
    assert (await runtime.run("Read", {"file_path": "gif.txt"})).text.startswith("1\tGIF89a is")


async def test_more_images_than_a_request_takes_are_refused(runtime: Bench) -> None:
    runtime.write("x.png", drawn("PNG"), is_read=False)
    for number in range(90):
        runtime.files.media[f"other_{number}"] = Media(images=1)
    ran = await runtime.run("Read", {"file_path": "x.png"})
    assert (ran.is_error, ran.code) == (True, "no_room")
    runtime.files.media.pop("other_3")
    ran = await runtime.run("Read", {"file_path": "x.png"})
    assert runtime.files.media["toolu_1"] == media_in(ran.content)
    runtime.files.clear()
    assert not runtime.files.media


async def test_an_image_is_decoded_once_while_it_stays_the_same(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = runtime.write("x.png", drawn("PNG"), is_read=False)
    first = await runtime.run("Read", {"file_path": "x.png"})
    monkeypatch.setattr(images, "image_type", lambda _data: pytest.fail("decoded again"))
    assert (await runtime.run("Read", {"file_path": "x.png"})).content == first.content
    monkeypatch.undo()
    path.write_bytes(drawn("PNG", (10, 10)))
    assert (await runtime.run("Read", {"file_path": "x.png"})).data["file"]["dimensions"]["originalWidth"] == 10


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO", "AVIF"])
async def test_an_image_of_another_kind_is_named_and_so_is_the_way_out(kind: str, runtime: Bench) -> None:
    data = b"\0\0\0\x1cftypavif" + bytes(20) if kind == "AVIF" else drawn(kind)
    runtime.write("picture.png", data, is_read=False)
    ran = await runtime.run("Read", {"file_path": "picture.png"})
    assert (ran.is_error, ran.code) == (True, "bad_image")
    assert f"of the kind {kind}; PNG, JPEG, GIF and WebP can be shown. Convert it" in ran.text
    assert not (await runtime.run("Read", {"file_path": "picture.png", "encoding": "base64"})).is_error


@pytest.mark.parametrize("data", [b"BM is a text\n", b"II*", b"8BPS is one too"])
async def test_a_text_that_begins_like_one_of_another_kind_is_text(data: bytes, runtime: Bench) -> None:
    runtime.write("f", data, is_read=False)
    assert (await runtime.run("Read", {"file_path": "f"})).text == "1\t" + data.decode().rstrip("\n")


@pytest.mark.parametrize("data", [b"BM\0\0", b"\0\0\1\0", b"\0\0\0\x1cftypisom\0\0", b"\0\0\1\xba\0\0"])
async def test_other_bytes_are_still_only_binary(data: bytes, runtime: Bench) -> None:
    runtime.write("f", data, is_read=False)
    assert (await runtime.run("Read", {"file_path": "f"})).code == "binary"
