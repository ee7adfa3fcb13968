"""Hiding secrets in 10 MB: as one text, and as it comes out of a command; with twenty secret variables known.

And in a reply as it streams: each of its pieces is looked at together with what stood before it.
"""

from __future__ import annotations

import random
import string
import time
from collections.abc import Iterator

from measuring import Finding

from tui_agent.model.demo.markdown import sample_markdown
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream

_SIZE = 10_000_000
_CHUNK = 65_536
_REPLY = 100_000
_PIECE = 60  # characters of a reply that come in a frame


def _log(rng: random.Random) -> str:
    lines = []
    size = 0
    while size < _SIZE:
        what = f"worker-{rng.randrange(99)} request {rng.getrandbits(64):x}"
        line = f"2026-01-01 12:00:00 INFO {what} done in {rng.random():.3f} s\n"
        lines.append(line)
        size += len(line)
    return "".join(lines)


def measure() -> Iterator[Finding]:
    """Yield what is measured."""
    rng = random.Random(7)
    letters = string.ascii_letters + string.digits
    values = {f"S{number}_TOKEN": "".join(rng.choices(letters, k=40)) for number in range(20)}
    masker, text = Masker(values), _log(rng)
    begun = time.process_time()
    assert masker.mask(text) == text
    yield Finding("masking 10 MB at once", time.process_time() - begun, 2, "s", "processor time")
    stream = MaskStream(masker)
    begun, longest = time.process_time(), 0.0
    for at in range(0, len(text), _CHUNK):
        one = time.perf_counter()
        stream.feed(text[at : at + _CHUNK])
        longest = max(longest, time.perf_counter() - one)
    stream.finish()
    yield Finding("masking 10 MB as it comes", time.process_time() - begun, 2, "s", "processor time")
    yield Finding("masking one piece of 64 KB, longest", longest * 1000, 50, "ms", "the event loop waits so long")
    yield from _reply(masker)
    secret = values["S3_TOKEN"]
    many = text[: _SIZE // 10].replace("INFO", f"INFO {secret}")
    begun = time.process_time()
    assert secret not in masker.mask(many)
    yield Finding("masking 1 MB with a secret in each line", time.process_time() - begun, 2, "s", "processor time")


def _reply(masker: Masker) -> Iterator[Finding]:
    reply, stream = sample_markdown(_REPLY), MaskStream(masker)
    begun = time.process_time()
    for at in range(0, len(reply), _PIECE):
        stream.feed(reply[at : at + _PIECE])
    stream.finish()
    used = (time.process_time() - begun) / (len(reply) / _PIECE)
    yield Finding(f"masking a piece of {_PIECE} characters of a reply", used * 1_000_000, 200, "µs", "processor time")
