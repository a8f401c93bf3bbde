"""Reading what others printed or wrote, strictly: fields, numbers, sections."""
