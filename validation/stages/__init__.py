"""The ladder: one file per rung, `stage_NN_name.py`; `ls` shows the order."""
