"""What a switch's ports really do with the lossless class, beside what its configuration says."""
