"""ib_write_bw, ib_write_lat, ib_send_lat, and the file of --out_json."""

from __future__ import annotations

from pathlib import Path

from validation.parse import perftest, perftest_json, perftest_lat

from . import Case

_HERE = Path(__file__).parents[2] / "evidence" / "perftest"
_SCREEN = (_HERE / "ib_write_bw_json_client.txt").read_text(encoding="utf-8")
_CLIENT_JSON = (_HERE / "ib_write_bw_client.json").read_text(encoding="utf-8")
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
    Case("perftest-json", lambda text: perftest_json.report(text, _SCREEN), _CLIENT_JSON),
    Case("perftest-json-screen", lambda text: perftest_json.report(_CLIENT_JSON, text), _SCREEN),
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
