"""The grammar of Cumulus Linux: whether it would take these lines."""
