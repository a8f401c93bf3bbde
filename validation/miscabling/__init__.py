"""Cables that end elsewhere than planned: the fewest plugs to move, or why none need be."""
