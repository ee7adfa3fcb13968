"""What dialogs are made of, and the small ones that several screens open. Imports widgets and what is below them."""
