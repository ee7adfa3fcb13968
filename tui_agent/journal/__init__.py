"""The record of a session: one file of JSON lines, appended as things happen, repaired and taken up again.

Imports `bus`, `events/` and modules beside the packages; it knows neither the engine nor a front end.
"""
