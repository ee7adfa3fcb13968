"""TaskStop: end a background job."""
