"""The turn: requests to the model, its replies as they stream in, and the history that is sent."""
