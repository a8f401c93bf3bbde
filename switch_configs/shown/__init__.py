"""What of a device's text may be shown: lines and errors that may hold a secret."""
