"""What an audit found, told: findings, baseline, suppressions, and four forms to write."""
