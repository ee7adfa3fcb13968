"""An order: lines, a discount, tax, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from shop.catalog import Product
from shop.money import to_cents

TAX_RATE = Decimal("0.19")


@dataclass(frozen=True)
class Line:
    """A number of pieces of one product."""

    product: Product
    quantity: int

    @property
    def amount(self) -> Decimal:
        return self.product.price * self.quantity


@dataclass
class Order:
    """What a customer buys. The discount is a share: 0.1 takes a tenth off."""

    discount: Decimal = Decimal(0)
    lines: list[Line] = field(default_factory=list)

    def add(self, product: Product, quantity: int = 1) -> Line:
        """Put pieces of a product into the order."""
        if quantity < 1:
            raise ValueError("at least one piece")
        line = Line(product, quantity)
        self.lines.append(line)
        return line

    @property
    def net(self) -> Decimal:
        """The goods after the discount, exact."""
        return sum((line.amount for line in self.lines), Decimal(0)) * (1 - self.discount)

    @property
    def total(self) -> Decimal:
        """What is paid, tax included."""
        return to_cents(self.net * (1 + TAX_RATE))
