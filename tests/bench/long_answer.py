"""A long answer at full speed, 20 bytes a delta: processor time, how it grows with the answer, and keys meanwhile."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator

from measuring import Finding, Server, World, cpu_seconds, open_app, percentile, scratch, wait_quiet
from terminal import Terminal

from tui_agent.events import AssistantMessageCompleted
from tui_agent.model.demo.markdown import sample_markdown

PROMPT = "Tell me everything about rounding."
RUNS = 5
CPU_LIMIT_S = 0.9
GROWTH_LIMIT = 10.5  # of ten times the text
TIMES = 4  # as many lines in a fence, and items in a list
TIMES_LIMIT = 4.4
ECHO_LIMIT_MS = 20.0
# Letters that are in no sample text, so that their bytes in the output are the echo and nothing else.
LETTERS = [chr(code) for code in (*range(0x430, 0x450), *range(0x10D0, 0x10F1), *range(0x561, 0x587))]


def measure() -> Iterator[Finding]:
    """Yield the cost of 200 KB and of 2 MB beyond a reply of nothing, of a long fence and a long list, and the echo of keys."""
    with scratch() as world:
        nothing, short, long = medians(world, ".", sample_markdown(200_000), sample_markdown(2_000_000))
        short, long = short - nothing, long - nothing
        yield Finding(
            "processor time of 200 KB beyond an empty reply", short, CPU_LIMIT_S, "s", f"empty reply {nothing:.2f} s",
        )  # fmt: skip
        yield growth("2 MB, times that of 200 KB", short, long, GROWTH_LIMIT)
        for what, text, count in (("lines in one fence", fence, 5_000), ("items in one list", items, 1_000)):
            few, many = (cost - nothing for cost in medians(world, text(count), text(TIMES * count)))
            yield growth(f"{TIMES * count} {what}, times that of {count}", few, many, TIMES_LIMIT)
        echoes = echoes_during(world, sample_markdown(400_000))
    detail = f"{len(echoes)} keys, median {statistics.median(echoes) * 1000:.0f}, worst {max(echoes) * 1000:.0f}"
    yield Finding("echo of keys meanwhile, p95", percentile(echoes, 0.95) * 1000, ECHO_LIMIT_MS, "ms", detail)


def growth(what: str, small: float, large: float, limit: float) -> Finding:
    """Return how many times the cost of less the cost of more is."""
    detail = f"{large:.2f} s and {small:.2f} s"
    return Finding(f"processor time of {what}", large / small, limit, "×", detail)


def fence(lines: int) -> str:
    """Return a fence of so many lines."""
    return "\n".join(
        ["```python", *(f"total_{number} = price * {number}  # to the cent" for number in range(lines)), "```"]
    )


def items(count: int) -> str:
    """Return a list of so many items."""
    return "\n".join(f"- step {number}: *multiply* the price by `{number}`" for number in range(count))


def medians(world: World, *answers: str) -> list[float]:
    """Return what each answer costs, runs interleaved, by the medians of the runs."""
    runs = [[cost_of(world, answer) for answer in answers] for _ in range(RUNS)]
    return [statistics.median(one) for one in zip(*runs, strict=True)]


def server_of(world: World, answer: str) -> Server:
    """Return a server that says this and nothing else, whatever it is asked."""
    script = world.home / f"answer-{len(answer)}.toml"
    script.write_text(
        'title = "An answer"\npace = { delta_bytes = 20, delay_ms = 0 }\n'
        "[[answer]]\nsaid = '.'\ngoto = \"answer\"\n"
        f'[[reply]]\nname = "answer"\n[[reply.block]]\ntext = {json.dumps(answer, ensure_ascii=False)}\n'
    )
    return Server(world, str(script))


def cost_of(world: World, answer: str) -> float:
    """Return the processor seconds from sending the message until the screen is quiet again."""
    with server_of(world, answer), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        before = cpu_seconds(app.process.pid)
        app.press("enter")
        wait_for_end(world, app)
        used = cpu_seconds(app.process.pid) - before
    said = world.of(AssistantMessageCompleted)[-1].content[0]["text"]
    assert said.rstrip() == answer.rstrip(), "the measured answer is not the whole one"
    return used


def echoes_during(world: World, answer: str) -> list[float]:
    """Return the seconds from each key to its echo while the answer streams."""
    found: list[float] = []
    with server_of(world, answer), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        app.press("enter")
        written = app.size
        app.wait_for(lambda: app.size > written + 10_000, "the answer to stream")
        for letter in LETTERS:
            if has_ended(world):
                break
            start, pressed = app.size, time.monotonic()
            app.type(letter)
            found.append(app.wait_for_bytes(letter.encode(), start) - pressed)
    return found


def submit_when_ready(app: Terminal) -> None:
    """Type the message once the program has settled, its imports in the background included."""
    app.wait_for(lambda: app.size, "a first frame")
    wait_quiet(app, 2.0)
    used, since = 0.0, time.monotonic()

    def is_idle() -> bool:
        nonlocal used, since
        now = cpu_seconds(app.process.pid)
        if now > used + 0.02:
            used, since = now, time.monotonic()
        return time.monotonic() - since > 3.0  # longer than it waits before it imports what the first answer needs

    app.wait_for(is_idle, "the program to have nothing left to do")
    app.type(PROMPT)
    wait_quiet(app, 0.5)


def has_ended(world: World) -> bool:
    """Whether the newest journal says that the turn is over, by its last few kilobytes."""
    journals = world.journals()
    if not journals:
        return False
    with journals[-1].open("rb") as file:
        file.seek(max(0, journals[-1].stat().st_size - 4096))
        return b'"turn_finished"' in file.read()


def wait_for_end(world: World, app: Terminal) -> None:
    app.wait_for(lambda: has_ended(world), "the end of the turn")
    wait_quiet(app, 0.5)


if __name__ == "__main__":
    for finding in measure():
        print(finding, flush=True)
