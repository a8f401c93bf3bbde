"""Optics: modules, their light and heat, and the bits that links lose, by serial number."""
