"""Secrets in shapes that hide them: keys without their headers, and tokens with characters inside that nobody sees."""

from __future__ import annotations

import base64
import hashlib
import random
from itertools import pairwise

import pytest

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream

RNG = random.Random(5)
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7"


def body(size: int, width: int, start: bytes = b"") -> list[str]:
    text = base64.b64encode(start + RNG.randbytes(size)).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


RSA = body(1190, 64, bytes.fromhex("308204a40201000282010100"))
OPENSSH = body(380, 70, b"openssh-key-v1\0")
EC = body(110, 64, bytes.fromhex("30770201010420"))
KEYS = {
    "rsa": ["-----BEGIN RSA PRIVATE KEY-----", *RSA, "-----END RSA PRIVATE KEY-----"],
    "openssh": ["-----BEGIN OPENSSH PRIVATE KEY-----", *OPENSSH, "-----END OPENSSH PRIVATE KEY-----"],
    "ec": ["-----BEGIN EC PRIVATE KEY-----", *EC, "-----END EC PRIVATE KEY-----"],
}
LISTINGS = {
    "as it is": "{line}",
    "Read": "     {number}→{line}",
    "grep -n": "{number}:{line}",
    "Grep": "conf/key.txt:{number}:{line}",
    "grep context": "conf/key.txt-{number}-{line}",
    "diff": "+{line}",
    "indented": "    {line}",
    "yaml": '  "{line}",',
    "cat -A": "{line}$",
    "windows": "{line}\r",
    "coloured": "\x1b[01;31m\x1b[K{line}\x1b[m\x1b[K",
}


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("first", [1, 2])
def test_a_key_without_its_header(kind: str, listing: str, first: int) -> None:
    first = 1 if kind == "ec" else first  # it has two whole lines
    lines = KEYS[kind][first:-1]
    shown = "\n".join(LISTINGS[listing].format(line=line, number=at) for at, line in enumerate(lines, 3))
    masked = Masker().mask(f"before\n{shown}\nafter it\n")
    assert [line for line in lines[: -1 if first > 1 else None] if line in masked] == []
    assert masked.startswith("before\n")
    assert masked.endswith("\nafter it\n")
    assert masked.count("\n") == len(lines) + 2


def test_cut_at_any_border() -> None:
    for lines in (RSA[2:9], OPENSSH[1:], EC):
        text = "first line\n" + "\n".join(lines) + "\nlast line\n"
        for size in (1, 7, 13, 64, 65, 66, 130, 1000):
            stream = MaskStream(Masker())
            # Of what may yet be any word, its first characters are shown.
            places = range(0, len(text) + size, size) if size > 12 else (0, 30, *range(31, len(text) + size, size))
            out = "".join([stream.feed(text[a:b]) for a, b in pairwise(places)] + [stream.finish()])
            assert [line for line in lines[1:] if line[2:-2] in out] == [], size
            assert out.endswith("\nlast line\n")


@pytest.mark.parametrize(
    "header", ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE", "PGP PUBLIC KEY BLOCK", "SSH SIGNATURE"]
)
def test_what_is_public_stays(header: str) -> None:
    lines = body(2000, 64)
    text = "\n".join(["x", f"-----BEGIN {header}-----", *lines, f"-----END {header}-----", "y"])
    assert Masker().mask(text) == text
    stream = MaskStream(Masker())
    out = "".join([stream.feed(text[at : at + 100]) for at in range(0, len(text), 100)] + [stream.finish()])
    assert out == text


def test_what_only_looks_like_it_stays() -> None:
    sums = [hashlib.sha256(bytes([at])).hexdigest() for at in range(9)]
    texts = [
        "\n".join(f"{one}  file" for one in sums), "\n".join(sums), "\n".join(one.upper() for one in sums),
        "\n".join(f'"integrity": "sha512-{"".join(body(64, 88))}",' for _ in range(4)), "\n".join(body(900, 76)),
        "a" * 64 + "\n" + "b" * 64, "\n".join(f"data:image/png;base64,{''.join(body(300, 400))}" for _ in range(3)),
        "\n".join("/".join(["src", "Component1", "DeepFolder2", "AnotherOne3"] * 2)[:64] for _ in range(1)),
    ]  # fmt: skip
    for text in texts:
        assert Masker().mask(text) == text


HIDDEN = {
    "colour at a digit": "\x1b[01;31m\x1b[K3\x1b[m\x1b[K".join(TOKEN.split("3")),
    "colour at each": "".join(f"\x1b[31m{sign}\x1b[0m" for sign in TOKEN),
    "utf-16": "".join(f"{sign}\0" for sign in TOKEN),
    "utf-16 big": "".join(f"\0{sign}" for sign in TOKEN),
    "utf-16 with a mark": "\ufffd\ufffd" + "".join(f"{sign}\0" for sign in f"a = {TOKEN}\n"),
    "nul": TOKEN[:9] + "\0" + TOKEN[9:],
    "no width": TOKEN[:9] + "\u200b" + TOKEN[9:20] + "\u2060\ufeff" + TOKEN[20:],
    "soft hyphen": TOKEN[:9] + "\u00ad" + TOKEN[9:],
    "link": f"\x1b]8;;https://x.example\x07{TOKEN[:12]}\x1b]8;;\x07{TOKEN[12:]}",
    "at the end": f"x \x1b[1m{TOKEN}\x1b[",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=list(HIDDEN))
def test_a_token_with_signs_inside_that_nobody_sees(text: str) -> None:
    masked = Masker().mask(f"see {text} there")
    assert "[secret: GitHub token]" in masked
    assert "Q\0" not in masked
    assert "pQ6r" not in masked.replace("\0", "")
    assert masked.startswith("see ")
    assert masked.endswith(" there")
    for size in (1, 5, 17):
        stream = MaskStream(Masker())
        whole = f"see {text} there"
        out = "".join([stream.feed(whole[at : at + size]) for at in range(0, len(whole), size)] + [stream.finish()])
        assert out == masked


def test_a_value_that_is_known_with_colours_inside() -> None:
    masker = Masker({"SHOP": "canary-of-mine-1"})
    assert "mine" not in masker.mask("x canary-\x1b[1mof\x1b[m-mine-1 y")


def test_a_text_with_colours_and_no_secret_stays() -> None:
    text = "\x1b[1mword\x1b[m \0 and\u200b more\x1b[K\n"
    assert Masker().mask(text) == text


BREAKS = {
    "backspace": "\x08",
    "struck over": "X\x08",
    "return": "\r",
    "DEL": "\x7f",
    "right to left": "\u202e",
    "isolate": "\u2066",
    "no text": "\ufffd",
    "escaped byte": "\udcff",
    "continued line": "\\\n",
    "continued line of Windows": "\\\r\n",
}


@pytest.mark.parametrize("sign", BREAKS.values(), ids=list(BREAKS))
def test_a_token_that_a_sign_breaks_up(sign: str) -> None:
    text = f"see {TOKEN[:18]}{sign}{TOKEN[18:]} there\n"
    masked = Masker().mask(text)
    assert masked == "see [secret: GitHub token] there\n"
    for place in range(len(text)):
        stream = MaskStream(Masker())
        assert stream.feed(text[:place]) + stream.feed(text[place:]) + stream.finish() == masked


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_with_its_lines_reversed(kind: str) -> None:
    lines = KEYS[kind][::-1]
    text = "\n".join(["before", *lines, "after it", ""])
    masked = Masker().mask(text)
    assert not any(line in masked for line in lines[1:-1])
    assert masked.startswith(f"before\n{lines[0]}\n")
    assert masked.endswith(f"{lines[-1]}\nafter it\n")
    stream = MaskStream(Masker())
    assert "".join(stream.feed(f"{line}\n") for line in text.splitlines()) + stream.finish() == masked
