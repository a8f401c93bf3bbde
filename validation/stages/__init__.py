"""The ladder: one folder a rung, `sNN_name/`; `ls` shows the order."""
