"""Labs that were applied once and kept, and what is removed of labs that were cut off."""
