"""Models: one protocol for requests and replies, retries, what is known of each model, and what small questions look like.

Imports `text`, `media` and the standard library. The clients are in `providers/`, the embedded server in `demo/`.
"""
