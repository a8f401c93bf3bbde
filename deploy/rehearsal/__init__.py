"""A site's rollout, rehearsed on its twin: the same inventory and code, on machines of a lab."""
