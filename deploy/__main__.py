"""`python -m deploy` is the command line."""

from .cli import main

main()
