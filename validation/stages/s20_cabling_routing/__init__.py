"""Stage 20: ports, neighbours, sessions and paths are the plan's."""
