"""Stage 30: nodes are as their roles leave them."""
