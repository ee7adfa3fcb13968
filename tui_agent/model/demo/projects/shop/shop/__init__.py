"""A small shop: what is in the cart, what is paid, and what goes back when goods come back."""
