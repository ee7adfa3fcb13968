"""What the shop sells."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Product:
    """A thing for sale; the price is for one piece, without tax."""

    sku: str
    name: str
    price: Decimal


TEA = Product("TEA-1", "Green tea", Decimal("3.35"))
CUP = Product("CUP-2", "Cup", Decimal("4.45"))
POT = Product("POT-1", "Teapot", Decimal("24.90"))

ALL = {product.sku: product for product in (TEA, CUP, POT)}
