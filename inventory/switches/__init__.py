"""What each switch system can do of what a site may ask, and what all switches are told."""
