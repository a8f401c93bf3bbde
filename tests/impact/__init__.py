"""Which tests a change can touch, by what the files say; see tests/README.md."""
