"""Lasting state of nodes: one folder per role, one contract, two faces (Ansible and pyinfra)."""
