"""Tests of the SONiC dialect."""
