"""Servers by Ansible and pyinfra, each in a process of its own, and what was read of them."""
