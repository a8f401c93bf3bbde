"""The words of a plan: each a closed choice."""

from __future__ import annotations

from typing import Literal

Plane = Literal["compute", "storage", "business", "oob"]
Fec = Literal["none", "fc", "rs"]
Tier = Literal["leaf", "spine", "superspine"]
LosslessMode = Literal["full", "ecn", "marking-only"]
Engine = Literal["pyinfra", "ansible"]
AccountRole = Literal["admin", "operator"]
Direction = Literal["up", "down", "peer"]
Clock = Literal["set", "measure"]
Boot = Literal["grub", "bls", "file"]
PagesAt = Literal["boot", "runtime"]
CpuVendor = Literal["intel", "amd"]
PState = Literal["active", "passive", "guided", "disable"]
EnergyPreference = Literal[
    "default", "performance", "balance_performance", "balance_power", "power"
]
Thp = Literal["always", "madvise", "never"]
Iommu = Literal["disabled", "passthrough", "translated"]
Acs = Literal["keep", "disabled"]
Arch = Literal["amd64", "arm64"]
OobTier = Literal["access", "aggregation", "core"]
HeadroomForm = Literal["dedicated", "shared"]
WatchdogAction = Literal["drop", "forward"]
