"""Collectives: who takes part in which run, what each must reach, and which node holds it back."""
