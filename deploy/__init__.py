"""The only room that changes the world: command line, runbook, hands and lab."""
