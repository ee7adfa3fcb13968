"""Orders and refunds as text."""

from __future__ import annotations

from decimal import Decimal

from shop.cart import Order
from shop.money import show

WIDTH = 32


def receipt(order: Order) -> str:
    """Return the receipt of an order."""
    rows = [_row(f"{line.quantity} x {line.product.name}", line.amount) for line in order.lines]
    if order.discount:
        rows.append(_row(f"discount {order.discount:.0%}", order.net - sum(line.amount for line in order.lines)))
    return "\n".join([*rows, "-" * WIDTH, _row("total", order.total)])


def _row(label: str, amount: Decimal) -> str:
    return f"{label:<{WIDTH - 12}}{show(amount):>12}"
