"""What a host really runs, beside what the plan wants: the host state, row by row."""
