"""Money is a Decimal and exact. It is rounded once, half up, when it is paid or shown."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def to_cents(amount: Decimal) -> Decimal:
    """Round to whole cents, half up, as it is done at the till."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def show(amount: Decimal) -> str:
    """Write an amount the way it is printed: ``1,234.50``."""
    return f"{to_cents(amount):,}"
