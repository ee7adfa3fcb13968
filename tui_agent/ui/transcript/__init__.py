"""The conversation as painted lines: where each block stands, how it looks, what is found and selected in it."""
