"""Rules for what a fabric is built of: ports, cables, pools, racks, planes, the lossless class."""
