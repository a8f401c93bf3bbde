"""A golden node's saved outputs, read tool by tool; `golden_node.py` makes a profile of them."""
