"""Rules across objects of a site: one small function each, its docstring is the rule's reason."""
