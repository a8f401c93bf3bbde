"""A model of SONiC: see README.md."""
