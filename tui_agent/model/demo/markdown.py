"""Generated Markdown of any length, the same every time: what a long answer is made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

__all__ = ["sample_markdown"]


def sample_markdown(size: int) -> str:
    """Return `size` bytes of Markdown with all that answers hold: headings, prose, lists, tables, quotes, fences."""
    out: list[str] = []
    length = 0
    for section in _sections():
        out.append(section)
        length += len(section.encode())
        if length >= size:
            break
    cut = "".join(out).encode()[:size].decode("utf-8", "ignore")
    return cut + "." * (size - len(cut.encode()))  # where a wide character did not fit


def _sections() -> Iterator[str]:
    for number in count(1):
        yield f"## {number}. Rounding, once more\n\n"
        yield (
            f"An amount is exact until it is shown. Section {number} follows the *same* line through `cart.py`, where it is "
            "multiplied, and `refund.py`, where it is **summed**; the café’s receipt prints it as 1 234,50 €. Nothing may be "
            "rounded twice, because two halves of a cent make a whole one, and somebody has to pay for it.\n\n"
        )
        yield f"1. multiply price by quantity\n2. take the discount off, {number % 90} %\n3. add up\n   - goods\n   - fees\n\n"
        yield (
            "```python\n"
            f"def refund_{number}(lines: list[Line], rate: Decimal) -> Decimal:\n"
            '    """Pay back what was paid, to the cent."""\n'
            "    total = sum((line.price * line.quantity for line in lines), Decimal(0))\n"
            f"    return to_cents(total * (1 - rate))  # step {number}\n"
            "```\n\n"
        )
        yield (
            "| line | price | refund |\n|:-----|------:|-------:|\n"
            f"| tea | 3.35 | {number}.05 |\n| 茶 cups | 12.00 | 10.20 |\n\n"
        )
        yield f"> Round late. See [the notes](https://example.org/rounding#{number}) — they are short.\n\n"
