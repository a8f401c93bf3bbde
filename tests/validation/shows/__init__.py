"""Fabrics of EOS and NX-OS that exist only as state, and what their switches print of it.

`state.py` makes the state of a healthy fabric from a plan, and breaks it; `eos.py` and `nxos.py`
print what a switch shows of it, by hand in the forms that the readers name as their sources, and
by none of their code.
"""
