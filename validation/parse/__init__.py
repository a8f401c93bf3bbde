"""Readers of tools' output: text in, frozen data out. Strict about what is missing."""
