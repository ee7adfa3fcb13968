import unittest
from decimal import Decimal

from shop.cart import Order
from shop.catalog import CUP, POT, TEA


class OrderTest(unittest.TestCase):
    def test_an_empty_order_costs_nothing(self):
        self.assertEqual(Order().total, Decimal("0.00"))

    def test_lines_add_up(self):
        order = Order()
        order.add(TEA, 2)
        order.add(POT)
        self.assertEqual(order.net, Decimal("31.60"))

    def test_the_discount_comes_off_before_tax(self):
        order = Order(discount=Decimal("0.1"))
        order.add(CUP, 4)
        self.assertEqual(order.net, Decimal("16.020"))
        self.assertEqual(order.total, Decimal("19.06"))

    def test_no_piece_cannot_be_ordered(self):
        with self.assertRaises(ValueError):
            Order().add(TEA, 0)
