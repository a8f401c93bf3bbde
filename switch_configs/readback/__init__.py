"""What a configuration says, in words of no switch system, and what it must say."""
