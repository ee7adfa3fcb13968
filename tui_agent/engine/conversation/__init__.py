"""The turn: requests to the model, its replies as they stream in, and the history that is sent.

Imports the other rooms of the engine but not the graph, `execution/`, `model/` and what is below these.
"""
