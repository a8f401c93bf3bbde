"""Pairs: which NICs load each other in which round, what they must reach, and who is to blame."""
