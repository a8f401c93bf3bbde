"""What both engines, Ansible and pyinfra, read of a site, made ready once."""
