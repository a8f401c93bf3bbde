"""Switches and cables as they run: files, FRR, kernel settings, filters, BFD, loss on a wire."""
