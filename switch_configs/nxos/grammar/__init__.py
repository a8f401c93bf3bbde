"""The grammar of Cisco NX-OS: whether it would take these lines."""
