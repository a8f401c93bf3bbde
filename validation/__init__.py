"""Is it true? Plans, judges and locates from evidence; never changes anything."""
