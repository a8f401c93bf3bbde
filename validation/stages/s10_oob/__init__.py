"""Stage 10: every device answers as itself at its planned address."""
