"""What a customer gets back when goods come back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from shop.cart import TAX_RATE, Line, Order
from shop.money import to_cents

RESTOCKING_RATE = Decimal("0.15")


@dataclass(frozen=True)
class Return:
    """Pieces of one line that come back. Opened goods cost a restocking fee."""

    line: Line
    quantity: int
    opened: bool = False


def line_refund(order: Order, item: Return) -> Decimal:
    """What was paid for the returned pieces, after the order's discount, without tax."""
    if not 0 < item.quantity <= item.line.quantity:
        raise ValueError(f"cannot take back {item.quantity} of {item.line.quantity} pieces")
    paid = item.line.product.price * item.quantity
    return to_cents(paid * (1 - order.discount))


def restocking_fee(amount: Decimal, item: Return) -> Decimal:
    """What is kept for opened goods; nothing is kept for sealed ones."""
    if not item.opened:
        return Decimal(0)
    fee = int(amount * RESTOCKING_RATE * 100)
    return Decimal(fee) / 100


def refund_total(order: Order, items: Iterable[Return]) -> Decimal:
    """What is paid back, tax included."""
    net = Decimal(0)
    for item in items:
        amount = line_refund(order, item)
        net += amount - restocking_fee(amount, item)
    tax = to_cents(net * TAX_RATE)
    return to_cents(net) + tax
