"""`railbed enroll`: the host key of each device, and the site's own key on it.

The OOB server comes first: all others are reached through it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from deploy import logs
from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.session import Selection, open_plan
from deploy.transport.ssh_files import HOST_KEYS, first_contact, prepare
from validation.evidence.aside import scratch
from validation.evidence.whole_files import private_folder

from . import contact_run
from .certificates import authorities
from .contact_run import Probe, Way
from .decide import Asked, Decided, decide
from .found import Contact, Enrolled
from .keys import HostKey, Said, key_in, read
from .missing import UNBUILT, what_is_missing
from .site import Site, chosen, open_at_first
from .texts import given_files, read_texts

LOG = logging.getLogger(__name__)
# Each is a login of its own on the jump host, of which sshd lets ten begin at once (sshd_config(5),
# MaxStartups).
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for, beside the devices; `write` is to do it."""

    keys: tuple[str, ...] = ()
    ca: Path | None = None
    ask_once: bool = False
    replace: bool = False
    identity: Path | None = None
    write: bool = False


def enroll_site(
    selection: Selection, named: Sequence[str], options: Options, say: Callable[[str], None]
) -> Enrolled:
    """Decide of each device; with `write` keep the keys, and bring the site's own to each login."""
    if options.replace and not named:
        raise RailbedError("--replace: found no device, expected the names of those set up anew")
    plan = open_plan(selection)
    devices, files = chosen(plan, named), given_files(plan, options.keys)
    site = open_at_first(selection, plan)
    texts = read_texts(site, files)
    asked = Asked(
        authorities(_text(options.ca), str(options.ca)) if options.ca else (),
        options.ask_once,
        options.replace,
    )
    if options.write:
        private_folder(site.state)
        logs.keep(site.state)
    with scratch("contact") as folder:
        work = _Work(site, folder, options, asked, texts, say)
        return work.enroll(devices)


def look_at(site: Site, devices: Sequence[str]) -> tuple[Contact, ...]:
    """What a login of each of these meets, by the host keys that are known; nothing is changed."""
    with scratch("contact") as folder:
        work = _Work(site, folder, Options(), Asked(), {}, lambda _: None)
        return work.enroll(devices).contacts


def _text(path: Path | None) -> str:
    try:
        return path.read_text(encoding="utf-8") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise RailbedError(f"--ca {path} cannot be read ({type(error).__name__})") from None


@dataclass
class _Work:
    """One run: files of its own for ssh, which hold the keys that are decided so far."""

    site: Site
    folder: Path
    options: Options
    asked: Asked
    texts: Mapping[str, list[tuple[str, Said]]]
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        names = [name for name in self.site.known if name in self.site.plan.devices]
        self.keys = {name: key for name in names if (key := self.site.known_key(name))}
        self.files = self.site.files(self.folder, self.keys)
        self.now_s = time.time()

    def enroll(self, devices: Sequence[str]) -> Enrolled:
        """The OOB server, whether it was asked for or not, then all others."""
        server = self.site.plan.oob.name
        there = [one for one in devices if one not in self.site.plan.undeployable]
        mine = server in there
        # Of a server that nobody named nothing is believed that it would be asked for by name.
        asked = self.asked if mine else replace(self.asked, network=False, replace=False)
        first = self._decided([server], self._heard_here, asked)[server]
        self._hold([first])
        written = self._written([first] if mine else [])
        jump = self._contact(first, None, named=mine)
        others = [one for one in there if one != server]
        hear = self._heard_behind if jump.is_open else _nothing
        found = self._decided(others, hear, self.asked)
        self._hold(list(found.values()))
        written = self._written(list(found.values())) or written
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            contact = partial(self._contact, jump=jump)
            contacts = list(pool.map(contact, found.values()))
        contacts += [self._unbuilt(one) for one in devices if one not in there]
        if mine or jump.refused:
            contacts.append(jump)
        contacts.sort(key=lambda one: (one.device != server, one.device))
        return Enrolled(tuple(contacts), self.options.write, written)

    def _decided(
        self,
        devices: Sequence[str],
        hear: Callable[[list[str]], Mapping[str, Said]],
        asked: Asked,
    ) -> dict[str, Decided]:
        asking = [one for one in devices if self._asks(one, asked)]
        heard = hear(asking) if asking else {}
        return {
            one: decide(
                one,
                self.site.names(one),
                self.site.known_key(one),
                self.texts.get(one, []),
                heard.get(one, Said()),
                asked,
                self.now_s,
            )
            for one in devices
        }

    def _asks(self, device: str, asked: Asked) -> bool:
        """Whether a device is asked for its key: by whom it is asked for, or to hold it."""
        printed = any(said.prints for _, said in self.texts.get(device, []))
        return printed or bool(asked.authorities) or asked.network

    def _heard_here(self, devices: list[str]) -> Mapping[str, Said]:
        self.say(f"asking {len(devices)} devices for their host keys")
        places = [self.site.addresses[one] for one in devices]
        text = contact_run.scanned(places, certified=bool(self.asked.authorities))
        return read(text, self.site.by_name)

    def _heard_behind(self, devices: list[str]) -> Mapping[str, Said]:
        server = self.site.plan.oob.name
        self.say(f"asking {len(devices)} devices for their host keys, by {server}")
        places = [self.site.addresses[one] for one in devices]
        certified = bool(self.asked.authorities)
        text = contact_run.scanned_by(self.files[0], server, places, certified=certified)
        return read(text, self.site.by_name)

    def _hold(self, decided: Sequence[Decided]) -> None:
        """From now on logins go by the keys that were found new, too."""
        new = {one.device: one.key for one in decided if one.state == "new" and one.key}
        if new:
            self.keys |= new
            self.files = self.site.files(self.folder, self.keys)

    def _written(self, decided: list[Decided]) -> Path | None:
        new = [one for one in decided if one.state == "new"]
        if not new or not self.options.write:
            return None
        listed, mine = first_contact(self.site.state), self.site.known
        if moved := [one.device for one in new if listed.get(one.device) != mine.get(one.device)]:
            raise RailbedError(
                f"{HOST_KEYS}: {', '.join(moved)}: another run wrote the host key meanwhile",
                hint="`railbed enroll` compares with it",
            )
        listed |= {one.device: str(one.key) for one in new}
        mine.update(listed)
        path = self.site.state / HOST_KEYS
        write_atomically(path, json.dumps(listed, indent=1, sort_keys=True) + "\n", mode=0o600)
        prepare(self.site.plan, self.site.state)
        for one in new:
            LOG.info("%s: host key of %s kept, by %s", path.name, one.device, one.source)
        return path

    def _contact(self, decided: Decided, jump: Contact | None, *, named: bool = True) -> Contact:
        """What a login of a device meets; with `write` a named one gets the site's key first."""
        device, site = decided.device, self.site
        found = Contact(device, site.kind(device), site.users[device], decided)
        way_there = jump is None or jump.is_open
        if way_there and (decided.state == "known" or self._may_try(decided, jump)):
            found = replace(found, probe=self._probe(device))
            found = self._let_in(found) if named else found
        missing = what_is_missing(found, site, way_there=way_there, write=self.options.write)
        return replace(found, missing=missing)

    def _let_in(self, found: Contact) -> Contact:
        """Where the site's key is refused, bring it there by the login that exists."""
        probe, device = found.probe, found.device
        if not (probe and probe.refused and self.options.write and self.site.has_shell(device)):
            return found
        try:
            way = self._way(device)
            why = contact_run.installed(*self.files, device, way, self._public_key()) if way else ""
        except RailbedError as error:
            way, why = None, error.message
        LOG.info("%s: the site's key: %s", device, why or ("is there now" if way else "refused"))
        if why or not way:
            return replace(found, probe=replace(probe, error=why or probe.error))
        return replace(found, probe=self._probe(device), installed=True)

    def _may_try(self, decided: Decided, jump: Contact | None) -> bool:
        """In a preview only the way to the others is tried by a key that is not kept yet."""
        return decided.state == "new" and (self.options.write or jump is None)

    def _probe(self, device: str) -> Probe:
        if self.site.has_shell(device):
            return contact_run.probed(self.files[0], device)
        way = Way()
        with suppress(RailbedError):  # then the key alone
            way = self.site.password(device) or way
        way = replace(way, key_file=self.site.key_file)
        return contact_run.probed_command_line(*self.files, device, way)

    def _way(self, device: str) -> Way | None:
        """The login that exists before the site's key does; None where nobody named one."""
        if self.options.identity:
            return Way(key_file=self.options.identity)
        return self.site.password(device)

    def _public_key(self) -> str:
        path = self.site.key_file.with_name(f"{self.site.key_file.name}.pub")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RailbedError(
                f"{path} cannot be read ({type(error).__name__})",
                hint=f"`ssh-keygen -y -f {self.site.key_file} >{path}` makes it",
            ) from None
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if len(lines) != 1 or not isinstance(key_in(lines[0]), HostKey):
            raise RailbedError(f"{path}: found no public key on one line, expected `TYPE BASE64`")
        return lines[0]

    def _unbuilt(self, device: str) -> Contact:
        kind, user = self.site.kind(device), self.site.users[device]
        return Contact(device, kind, user, Decided(device, "unknown"), missing=(UNBUILT,))


def _nothing(_: list[str]) -> Mapping[str, Said]:
    return {}
