"""Charts of a report as inline SVG: pure functions from numbers and names to markup."""
