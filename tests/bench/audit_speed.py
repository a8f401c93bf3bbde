"""The audit of other people's configurations: seconds and memory of the whole command.

`python -m tests.bench.audit_speed FOLDER` audits the first 300 files in FOLDER that are of a system
known here (others' configurations are never committed: the intended configurations of
aristanetworks/avd are such a folder); without FOLDER, 300 rendered ones of five systems. Then it
audits 100 MB of noise, binary and of lines.

Each time is that of a process with its start, on the processors (what else the machine does counts
for nothing) and on the clock, which is printed; memory is the most that it held. Ends with RESULT
lines; exit 1 where one is short.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from switch_configs import places_of, render
from tests.switch_configs.sites import DIALECTS, shipped

from .results import result

FILES, MOST_S, MOST_MIB = 300, 30, 512
_MIB = 2**20
_NOISE_BYTES = 100 * 10**6


def foreign(folder: Path) -> Iterator[str]:
    """Texts in a folder that some reader here takes, sorted by path."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if places_of(text):
            yield text


def rendered() -> Iterator[str]:
    """The switches of a shipped site in five systems: one text each."""
    for number in range(FILES):
        system = DIALECTS[number * len(DIALECTS) // FILES]
        plan = shipped("pod-256", system)
        files = render(plan, plan.switches[number % len(plan.switches)].name).files
        yield next(file.text for file in files if places_of(file.text))


def audited(path: Path) -> tuple[float, float]:
    """Seconds of processors, and the most MiB, of `railbed audit --json`; prints the clock's."""
    begin = time.perf_counter()
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "deploy", "audit", "--json", str(path)],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
        raise SystemExit(f"the audit of {path.name} ended with {status}")
    print(f"{path.name}: {time.perf_counter() - begin:.1f} s on the clock")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> int:
    """Audit, print, end with the results."""
    source = foreign(Path(sys.argv[1])) if len(sys.argv) > 1 else rendered()
    draw = random.Random(1)
    lines = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, "files")
        folder.mkdir()
        texts = [text for text, _ in zip(source, range(FILES), strict=False)]
        for number, text in enumerate(texts):
            (folder / f"device{number}.cfg").write_text(text)
        took_s, most_mib = audited(folder)
        size_mib = sum(map(len, texts)) / _MIB
        print(f"{len(texts)} files of {size_mib:.1f} MiB")
        lines += [
            result("audit_files", len(texts), "files", FILES, most=False),
            result("audit_files_time", took_s, "s", MOST_S),
            result("audit_files_memory", most_mib, "MiB", MOST_MIB),
        ]
        for name, data in (("binary", draw.randbytes(_MIB)), ("text", _words(draw))):
            path = Path(made, name)
            path.write_bytes(data * (_NOISE_BYTES // len(data)))
            took_s, most_mib = audited(path)
            lines += [
                result(f"audit_noise_{name}_time", took_s, "s", MOST_S),
                result(f"audit_noise_{name}_memory", most_mib, "MiB", MOST_MIB),
            ]
            path.unlink()
    print(*lines, sep="\n")
    return int(any(one.endswith("short") for one in lines))


def _words(draw: random.Random) -> bytes:
    """Lines of counters, as a bundle holds them without a configuration."""
    rows = (f"Ethernet{draw.randrange(99)}/1 {draw.randrange(10**9)} up\n" for _ in range(30_000))
    return "".join(rows).encode()


if __name__ == "__main__":
    sys.exit(main())
