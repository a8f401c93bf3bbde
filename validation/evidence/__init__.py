"""What a device answered, when, and that it was this device; and whether that may be believed."""
