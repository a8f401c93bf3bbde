"""What a device lacks before railbed may work on it, and what mends that. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from .found import Contact, Missing
from .site import Site

_WHOSE = "compare on its console: `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`"
UNBUILT = Missing("a row in asbuilt.csv", "`railbed asbuilt import --help` says how it comes there")


def what_is_missing(
    found: Contact, site: Site, *, way_there: bool, write: bool
) -> tuple[Missing, ...]:
    """In the order in which it is mended."""
    if found.refused:
        return (_refused(found, site),)
    return tuple(_lacks(found, site, way_there=way_there, write=write))


def _refused(found: Contact, site: Site) -> Missing:
    known = site.known_key(found.device) or found.key.key
    if found.key.state == "refused":
        why = found.key.why
    else:
        sent = found.probe.sent if found.probe else ""
        prints = known.fingerprint if known else "another"
        why = f"{found.key.source} has {prints}; it answers with {sent or 'another'}"
    anew = f"`railbed enroll {found.device} --keys FILE --replace`"
    return Missing(f"its host key: {why}", f"{_WHOSE}; if it was set up anew, {anew}")


def _lacks(found: Contact, site: Site, *, way_there: bool, write: bool) -> Iterator[Missing]:
    device, server = found.device, site.plan.oob.name
    if found.key.state == "unknown":
        mend = f"`railbed enroll {device} --keys FILE` with its known_hosts line or console log"
        yield Missing(f"its host key: {found.key.why}", mend)
        return
    if found.key.state == "new" and not write:
        yield Missing(
            "its host key is not kept yet", f"`railbed enroll {device} --write`, as above"
        )
    if found.probe is None:
        if not way_there:
            yield Missing(
                f"the way there: {server} lets nobody in yet", f"`railbed enroll {server}`"
            )
        return
    yield from _login(found, site)


def _login(found: Contact, site: Site) -> Iterator[Missing]:
    probe, device = found.probe, found.device
    if probe is None or (probe.login and probe.root):
        return
    if probe.login:
        rule = f"{found.user} ALL=(ALL) NOPASSWD: ALL"
        mend = f"as root there: echo '{rule}' >/etc/sudoers.d/railbed"
        yield Missing(f"sudo without a password for {found.user}", mend)
    elif not probe.refused:
        mend = "is it powered, cabled, and does it have its lease (`railbed apply --only oob`)?"
        yield Missing(f"an answer: {probe.error}", mend)
    elif site.has_shell(device):
        mend = f"`railbed enroll {device} --write` brings it there, by its password"
        if not site.password_name(device):
            mend = (
                f"`railbed enroll {device} --identity KEY --write` brings it there by a key that "
                "is let in; or name the `password` of its login"
            )
        yield Missing(f"the site's key at its login {found.user}: {probe.error}", mend)
    else:
        mend = f"give its user {found.user} {site.key_file}.pub, or name `switch_password`"
        yield Missing(f"a login as {found.user}: {probe.error}", mend)
