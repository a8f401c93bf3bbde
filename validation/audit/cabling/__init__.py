"""Cables as other sources list them: sheets, NetBox, LLDP, topology files. Pure."""
