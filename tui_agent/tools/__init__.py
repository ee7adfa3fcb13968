"""The tools: the contract they keep, the registry that offers them, and a folder for each.

`base` is the contract, `catalog` the list of what exists, `registry` what one run may use, `schema` the way in from a
model's JSON. `files`, `encodings` and `atomic` are how tools touch files. Nothing here knows the bus, the model or, outside
`view.py`, the screen. Imports `settings/`, `sandbox/`, `secrets/` and what is below these.
"""
