"""The offline syntax proof of NVIDIA Cumulus Linux 5.x: what may be said in NVUE, by release."""
