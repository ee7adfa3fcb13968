"""What the session has changed in files, and the way back.

Imports no other room of the engine; `tools/file_changes`, `bus` and what is below these.
"""
