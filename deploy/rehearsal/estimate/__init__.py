"""How long the real rollout would take, as a range, and on what that stands."""
