"""Signing in to remote servers: what is kept of it, one at a time among processes, and the browser's way back.

Only `signer` imports the SDK.
"""
