"""EnterPlanMode."""
