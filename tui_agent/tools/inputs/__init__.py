"""Tool inputs: their schemas, the mistakes that are corrected, and the errors for the rest.

Imports `tools/` around it and pydantic.
"""
