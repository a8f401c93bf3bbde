"""Everything that roles own on a device, and where the device is not as it says."""
