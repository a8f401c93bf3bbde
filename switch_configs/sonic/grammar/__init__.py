"""The grammar of SONiC: whether it would take these lines."""
