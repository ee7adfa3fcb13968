"""Running tool uses: their state machine, their order and concurrency, and the eight stages of each."""
