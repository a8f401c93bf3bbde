"""Faults made for real in a running lab, and whether validation names them."""
