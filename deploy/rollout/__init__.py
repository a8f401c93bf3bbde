"""A change of a site: survey, waves, gates. It stops at the first gate that does not pass."""
