"""What each switch system is asked of its cables, sessions and routes, and in which words."""
