"""Work under guard: however it is cut off, none of its processes and labs stays."""
