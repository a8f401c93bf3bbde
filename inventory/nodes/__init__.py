"""What nodes are told: interfaces, lossless class, kernel, drivers, roles and their variables."""
