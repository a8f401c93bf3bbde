"""The grammar of Arista EOS: whether it would take these lines."""
