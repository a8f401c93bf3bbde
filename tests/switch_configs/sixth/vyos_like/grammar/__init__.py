"""The words that the example takes."""
