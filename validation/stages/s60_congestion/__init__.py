"""Congestion: many NICs send to one, beside a flow that must not suffer for it."""
