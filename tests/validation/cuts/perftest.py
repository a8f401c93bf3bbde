"""ib_write_bw, ib_write_lat, ib_send_lat."""

from __future__ import annotations

from pathlib import Path

from validation.parse.loads import perftest, perftest_lat

from . import Case

_HERE = Path(__file__).parents[2] / "evidence" / "perftest"
CASES = (
    *(
        Case(f"perftest-{path.stem}", perftest.bandwidth, path.read_text(encoding="utf-8"))
        for path in sorted(_HERE.glob("ib_write_bw_*.txt"))
        if "no_server" not in path.name
    ),
    *(
        Case(f"perftest-{path.stem}", perftest_lat.latency, path.read_text(encoding="utf-8"))
        for path in sorted(_HERE.glob("ib_*_lat_*.txt"))
    ),
    *(
        Case(f"perftest-{name}", perftest.bandwidth, sample=f"ib_write_bw_{name}.txt")
        for name in (
            "bidir_D5_gbits_rocev2_100G",
            "rdma_cm_MBs_cx5_100G",
            "server_banner_and_job_noise_400G",
        )
    ),
    Case("perftest-lat-cx5", perftest_lat.latency, sample="ib_write_lat_roce_rdma_cm.txt"),
)
