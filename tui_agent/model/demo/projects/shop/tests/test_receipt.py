import unittest
from decimal import Decimal

from shop.cart import Order
from shop.catalog import CUP, TEA
from shop.receipt import receipt


class ReceiptTest(unittest.TestCase):
    def test_every_line_is_on_it(self):
        order = Order()
        order.add(TEA, 3)
        order.add(CUP)
        self.assertIn("3 x Green tea", receipt(order))
        self.assertIn("17.26", receipt(order))

    def test_the_discount_has_a_line_of_its_own(self):
        order = Order(discount=Decimal("0.25"))
        order.add(CUP, 2)
        self.assertIn("discount 25%", receipt(order))
