"""The inputs of tools: their schemas, what is forgiven, and what a model is told of the rest.

Imports `tools/` around it and pydantic.
"""
