"""How devices are reached: OpenSSH and the files that every tool shares; credentials."""
