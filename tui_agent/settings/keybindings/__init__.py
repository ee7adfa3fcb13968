"""Keys as a user binds them: what there is to bind, how keys are written, and the files that bind them.

Imports `settings/` around it.
"""
