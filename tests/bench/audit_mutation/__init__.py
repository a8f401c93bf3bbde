"""Mutants of configurations for the audit: tokens, labels by a second reader, who reports them."""
