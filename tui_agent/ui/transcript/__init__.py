"""The conversation as painted lines: where each block stands, how it looks, what is found and selected in it.

Imports the projection, the tools' views by name, and `viewkit/`.
"""
