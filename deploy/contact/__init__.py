"""First contact: host keys, logins, the key of the site on each device, and what is missing."""
