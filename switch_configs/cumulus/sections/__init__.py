"""One module a part of NVUE's tree; each puts what it says of a switch into the tree."""
