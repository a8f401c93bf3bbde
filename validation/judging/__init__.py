"""From findings to a decision: gates, limits, what is advisory, what runs have in common."""
