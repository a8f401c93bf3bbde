"""Runs a script on a machine of kind netns, which has no sshd: by its namespaces."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from validation.evidence.gather import Reply

from . import cgroups, machine

_GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class NetnsTransport:
    """A `validation.evidence.gather.Transport` into lab `name`; many threads may use it."""

    name: str

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """Run `script` with `sh -s` on the device; never raises for what it does.

        timeout(1) runs inside: ending nsenter(1) would leave the script running. What the
        script starts belongs to the machine, also in what the machine is said to cost.
        """
        pid = machine.leader(self.name, device)
        if pid is None:
            return Reply(b"", None, f"{device} of lab {self.name} is off")
        script_argv = ["timeout", "-k", "1", f"{timeout_s:g}", "/bin/sh", "-s"]
        argv = cgroups.join_command(self.name, device) + machine.entering(pid, script_argv)
        try:
            done = subprocess.run(
                argv,
                input=script.encode(),
                capture_output=True,
                timeout=timeout_s + _GRACE_S,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return Reply(late.stdout or b"", None, f"no end within {timeout_s:g} s")
        said = done.stderr.decode("utf-8", "replace").strip()
        return Reply(done.stdout, done.returncode, said if done.returncode else "")
