import unittest
from decimal import Decimal

from shop.money import show, to_cents


class MoneyTest(unittest.TestCase):
    def test_half_a_cent_goes_up(self):
        self.assertEqual(to_cents(Decimal("1.005")), Decimal("1.01"))

    def test_less_than_half_a_cent_goes_down(self):
        self.assertEqual(to_cents(Decimal("1.0049")), Decimal("1.00"))

    def test_thousands_are_set_apart(self):
        self.assertEqual(show(Decimal("1234.5")), "1,234.50")
