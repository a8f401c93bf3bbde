"""Soak and fault drill: what is watched, what is pulled, and what may be noticed of it."""
