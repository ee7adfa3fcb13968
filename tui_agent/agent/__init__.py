"""The turn: asking the model, running what it asks for, until it stops asking."""
