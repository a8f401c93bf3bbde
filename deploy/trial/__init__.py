"""A first push to a real switch of a system and release that nobody has pushed to."""
