"""Asks switches that have a command line and no shell: a login a trip, what is typed, what came.

Nothing that a configuration holds in secret leaves this module: an answer in which one may stand
goes through the system's mask first, in memory, and is nothing where that fails.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

from deploy.context import Context
from deploy.transport import credentials
from deploy.transport.ssh_run import SshTransport, is_shared
from switch_configs import cli, dialect
from switch_configs.answers.typed import Typed, encoded, waited_s
from switch_configs.intent import Looks
from validation.evidence.gather import Reply, Transport

from .login_run import CONNECT_S, LOGINS, Login
from .push_session import PushStopped, Session

LOG = logging.getLogger(__name__)
_MASK_S = 30


def way(context: Context) -> Transport:
    """How the devices of a run are asked: by SSH and their shell, or by what they have instead."""
    return SwitchTransport(SshTransport(context.ssh_config), context)


@dataclass(frozen=True)
class SwitchTransport:
    """`inner`, but for switches that have a command line and no shell.

    Where a TACACS+ server lets people in, few log in at once, whichever way a switch is asked:
    such servers fall over at tens of logins.
    """

    inner: Transport
    context: Context

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """As `Transport` says; a login has a time of its own. RailbedError for a credential."""
        switch = self.context.plan.any_switch.get(device)
        spoken = cli(switch.dialect) if switch else None
        if switch is None:
            return self.inner.run(device, script, timeout_s)
        if spoken is None:
            failed = self._login(device) if self._asks_a_server(device) else None
            return failed or self.inner.run(device, script, timeout_s)
        from .switch_push import connect  # netmiko takes a second to load

        key = credentials.key_file(self.context.plan, self.context.state_dir)
        login, platform = Login.read(self.context), dialect(switch.dialect).platform
        told: list[bytes] = []
        try:
            session = connect(device, platform, self.context, key, spoken, login)
            deadline = time.monotonic() + timeout_s
            try:
                told.extend(map(encoded, answers(session, spoken.looks, script, deadline)))
            finally:
                session.close()
        except PushStopped as error:
            why = f"{error.message}; {error.hint}" if error.hint else error.message
            return Reply(b"".join(told), None, why)
        return Reply(b"".join(told), 0, "")

    def _login(self, device: str) -> Reply | None:
        """Open the connection that a script, however long it runs, then shares; why it failed."""
        with LOGINS:
            reply = self.inner.run(device, "", CONNECT_S)
        return None if reply.exit_status == 0 else reply

    def _asks_a_server(self, device: str) -> bool:
        """Whether a trip to its shell is a login that the site's server is asked about."""
        config = self.context.ssh_config
        return bool(self.context.plan.switch_services.tacacs) and not is_shared(config, device)


def answers(session: Session, looks: Looks, script: str, deadline: float) -> Iterator[Typed]:
    """What comes of each line, until one is not answered: then DeviceUnreachable.

    What does more than look is refused here: most questions to devices are text for a shell.
    """
    for line in script.splitlines():
        if seconds := waited_s(line):
            time.sleep(seconds)
            yield Typed(0, "", "")
            continue
        if not looks.allowed.fullmatch(line):
            yield Typed(1, "", "this system has no shell that could be asked so")
            continue
        reply = session.run(line, max(0.0, deadline - time.monotonic()))
        if reply.exit_status:
            yield Typed(1, "", reply.stderr)
        elif looks.secret.match(line):
            yield _masked(looks.mask, reply.stdout)
        else:
            yield Typed(0, reply.stdout, "")


def _masked(mask: str, text: str) -> Typed:
    """An answer without its secrets."""
    given = text.encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", mask], input=given, capture_output=True, timeout=_MASK_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        LOG.warning("secrets could not be taken out of an answer (%s)", type(error).__name__)
        return Typed(1, "", "its secrets could not be taken out")
    return Typed(0, done.stdout.decode("utf-8", "backslashreplace"), "")
