"""Servers of an audit: what their files and saved outputs say of NICs, marks and routes. Pure."""
