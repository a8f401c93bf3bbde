"""From what was slow and what was good to the part to go and look at."""
