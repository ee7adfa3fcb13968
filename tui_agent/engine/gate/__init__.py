"""Who decides: the permission mode, rules, questions to the user, forms, plan mode, and what the sandbox allows.

Imports no other room of the engine; `execution/`, `permissions/`, `sandbox/`, `settings/` and what is below these.
"""
