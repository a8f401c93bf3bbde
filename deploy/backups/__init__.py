"""Running configurations of switches as they were: kept, compared, and brought back."""
