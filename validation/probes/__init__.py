"""Traffic and work that a plan asks for, as data; deploy runs it."""
