"""Where things are kept, what is configured and by whom, and which folders are trusted.

Imports `secrets/` and modules beside the packages; pydantic only where a file is read.
"""
