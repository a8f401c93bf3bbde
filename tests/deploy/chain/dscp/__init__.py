"""Packets of all classes in a lab, what switches see of them, and which classes they have then."""
