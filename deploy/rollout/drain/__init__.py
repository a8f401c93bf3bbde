"""Which switches are drained before they are changed, and how they are seen idle."""
