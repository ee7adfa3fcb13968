"""Ways to models: `resolve` makes clients from settings and environment; a module for each kind of endpoint.

What a provider can do (thinking, cache marks, pictures, context size) is data in the model table. Imports the rest of `model/`
and `settings/` below it; an SDK only when its first request is made.
"""
