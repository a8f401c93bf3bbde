"""Every intermediate state of a rollout: proved, and an order found that is never wrong."""
