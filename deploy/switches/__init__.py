"""Switch configurations on disk and on switches: render, diff, syntax checks, the safe push."""
