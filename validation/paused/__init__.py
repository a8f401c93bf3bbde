"""The lossless class of rendered text, judged by sums that share nothing with what renders it."""
