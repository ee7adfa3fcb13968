"""Think: a place for the model to think in, which does nothing."""
