import unittest
from decimal import Decimal

from shop.cart import Order
from shop.catalog import CUP, POT, TEA
from shop.refund import Return, refund_total


def order_of(*lines, discount="0"):
    order = Order(discount=Decimal(discount))
    for product, quantity in lines:
        order.add(product, quantity)
    return order


class RefundTest(unittest.TestCase):
    def test_nothing_back_is_nothing_paid(self):
        self.assertEqual(refund_total(order_of((TEA, 1)), []), Decimal("0.00"))

    def test_one_sealed_pot(self):
        order = order_of((POT, 1))
        self.assertEqual(refund_total(order, [Return(order.lines[0], 1)]), Decimal("29.63"))

    def test_more_than_was_bought_is_refused(self):
        order = order_of((TEA, 1))
        with self.assertRaises(ValueError):
            refund_total(order, [Return(order.lines[0], 2)])

    def test_everything_back_is_what_was_paid(self):
        order = order_of((CUP, 1), (POT, 1), discount="0.05")
        self.assertEqual(refund_total(order, [Return(line, 1) for line in order.lines]), order.total)

    def test_an_opened_cup_costs_a_fee(self):
        order = order_of((CUP, 1))
        self.assertEqual(refund_total(order, [Return(order.lines[0], 1, opened=True)]), Decimal("4.50"))

    def test_two_cups_on_sale(self):
        order = order_of((CUP, 2), discount="0.05")
        self.assertEqual(refund_total(order, [Return(order.lines[0], 2)]), Decimal("10.06"))
