"""Models of switch systems: what a machine of the lab is where its dialect has one here."""
