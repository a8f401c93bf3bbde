"""What a plan gives to others: pure functions from a Plan to text, one file for each form."""

from __future__ import annotations

from .addresses import addresses_csv
from .bom import Line, bill, bom_csv
from .cables import cables_csv
from .containerlab import containerlab_yaml
from .flows import flows_csv
from .json_schema import json_schema
from .lldp import lldp_csv
from .picture import topology_svg
from .slurm import topology_conf, topology_yaml
from .view import PLANES, ExportError

__all__ = [
    "PLANES",
    "ExportError",
    "Line",
    "addresses_csv",
    "bill",
    "bom_csv",
    "cables_csv",
    "containerlab_yaml",
    "flows_csv",
    "json_schema",
    "lldp_csv",
    "topology_conf",
    "topology_svg",
    "topology_yaml",
]
