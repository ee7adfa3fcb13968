"""Keys, tokens and passwords in text: finding them and putting a mask in their place that says what it was.

Imports nothing of the program.
"""
