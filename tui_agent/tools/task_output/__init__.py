"""TaskOutput: what a background job has printed, and how it stands."""
