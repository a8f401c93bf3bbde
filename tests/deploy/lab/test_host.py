"""Installing on the host starts no service, and leaves its policy as it was.

Each test sees /usr/sbin through an overlay in a mount namespace of its own, with an
apt-get that only notes the policy it would have run under (invoke-rc.d(8): 101 forbids).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from deploy.lab.host import INSTALL

pytestmark = pytest.mark.lab

APT = """#!/bin/sh
/usr/sbin/policy-rc.d; echo "$? $*" >> "$NOTES/apt"
touch "$NOTES/running"
while [ -e "$NOTES/hold" ]; do sleep 0.05; done
[ ! -e "$NOTES/fail" ] || { rm "$NOTES/fail"; exit 100; }
"""
ENTER = """
mount -t overlay overlay -o "lowerdir=/usr/sbin,upperdir=$NOTES/upper,workdir=$NOTES/work" /usr/sbin
rm -f /usr/sbin/policy-rc.d
[ ! -e "$NOTES/policy" ] || install -m 755 "$NOTES/policy" /usr/sbin/policy-rc.d
/bin/sh -c "$INSTALL" sh some-package
status=$?
if [ -e /usr/sbin/policy-rc.d ]; then cat /usr/sbin/policy-rc.d; fi > "$NOTES/after"
exit $status
"""


def begin(notes: Path) -> subprocess.Popen[bytes]:
    for folder in ("bin", "upper", "work"):
        (notes / folder).mkdir()
    apt = notes / "bin" / "apt-get"
    apt.write_text(APT)
    apt.chmod(0o755)
    environment = {
        "PATH": f"{apt.parent}:/usr/sbin:/usr/bin:/sbin:/bin",
        "NOTES": str(notes),
        "INSTALL": INSTALL,
    }
    return subprocess.Popen(
        ["unshare", "--mount", "/bin/sh", "-c", ENTER], env=environment, start_new_session=True
    )


def noted(notes: Path, name: str) -> str:
    return (notes / name).read_text()


def test_no_service_may_start_and_the_policy_is_gone_after(tmp_path: Path) -> None:
    assert begin(tmp_path).wait(20) == 0
    assert noted(tmp_path, "apt").startswith("101 -qq -y")
    assert noted(tmp_path, "apt").endswith("install some-package\n")
    assert noted(tmp_path, "after") == ""


def test_package_lists_are_fetched_where_an_install_fails(tmp_path: Path) -> None:
    (tmp_path / "fail").touch()
    assert begin(tmp_path).wait(20) == 0
    tried = noted(tmp_path, "apt").splitlines()
    assert [" install " in line for line in tried] == [True, False, True]
    assert tried[1].endswith(" update")
    assert noted(tmp_path, "after") == ""


def test_an_administrators_policy_is_obeyed_and_stays(tmp_path: Path) -> None:
    theirs = "#!/bin/sh\nexit 104\n"
    (tmp_path / "policy").write_text(theirs)
    assert begin(tmp_path).wait(20) == 0
    assert noted(tmp_path, "apt").startswith("104 ")
    assert noted(tmp_path, "after") == theirs


def test_a_policy_that_a_power_cut_left_is_known_as_ours_and_removed(tmp_path: Path) -> None:
    (tmp_path / "policy").write_text("#!/bin/sh\n# railbed: until apt has ended\nexit 101\n")
    assert begin(tmp_path).wait(20) == 0
    assert noted(tmp_path, "after") == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_the_installer_do_not_leave_the_policy(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "hold").touch()
    process = begin(tmp_path)
    while not (tmp_path / "running").exists():
        time.sleep(0.02)
    installers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in installers:
        os.kill(int(pid), number)
    (tmp_path / "hold").unlink()
    assert process.wait(20) == 0
    assert noted(tmp_path, "after") == ""
