"""Reads BIOS attributes from BMCs by Redfish over HTTPS; changes no setting.

What there is, is found by following links from the service root, because makers name their
systems differently (DMTF DSP0266, "Resource discovery"; DSP0268, ComputerSystem and Bios). The
user's name and password go into one request to open a session, or into each where the BMC has
no sessions; they are in no argument list, log, message or evidence. A session is closed again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from deploy.errors import RailbedError

ROOT = "/redfish/v1/"
# Attributes of a large BIOS are about 200 kB; a reply beyond this is no such resource.
_LARGEST_BYTES = 8 << 20
_PART_BYTES = 64 << 10
_MOST_PAGES = 50
_NO_SESSIONS = frozenset({404, 405, 501})
Auth = Literal["session", "basic"]


class BmcUnread(RailbedError):
    """One BMC did not say what it was asked: a sentence, in which no secret is."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=3)


@dataclass(frozen=True, slots=True)
class BmcAccess:
    """Where a BMC is and who asks; the password is in no text that this object prints.

    `trust` is a file with the certificates to trust, True for the machine's own, False for any.
    """

    address: str
    user: str
    password: str = field(repr=False)
    auth: Auth = "session"
    trust: str | bool = True
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class BiosReply:
    """What a BMC said of the asked attributes, and which resources said it."""

    system: str
    bios: str
    settings: str | None
    serial: str | None
    registry: str | None
    etag: str | None
    running: dict[str, object]
    pending: dict[str, object] | None


def read_bios(access: BmcAccess, attributes: Collection[str]) -> BiosReply:
    """Read these attributes, running and pending; BmcUnread says what could not be read.

    Attributes beside them are dropped here: some BIOSes list passwords among them.
    """
    try:
        with _Bmc(access) as bmc:
            return _read(bmc, attributes)
    except requests.exceptions.SSLError:
        raise BmcUnread("its certificate is not trusted (--ca FILE, or --insecure)") from None
    except requests.Timeout:
        raise BmcUnread(f"no answer within {access.timeout_s:g} s") from None
    except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
        raise BmcUnread("a reply was cut short") from None
    except requests.RequestException as error:
        raise BmcUnread(f"it cannot be reached: {type(error).__name__}") from None


class _Bmc:
    """One BMC, with a session where it has any."""

    def __init__(self, access: BmcAccess) -> None:
        self._access = access
        self._base = f"https://{access.address}"
        self._http = requests.Session()
        # No proxy, and no ~/.netrc that would replace the credentials.
        self._http.trust_env = False
        self._http.verify = access.trust
        self._http.headers.update({"Accept": "application/json", "OData-Version": "4.0"})
        self._session = ""

    def __enter__(self) -> _Bmc:
        if self._access.trust is False:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        if self._access.auth == "basic" or not self._open():
            self._http.auth = (self._access.user, self._access.password)
        return self

    def __exit__(self, *_: object) -> None:
        # A BMC has few sessions, and keeps those that nobody closes for half an hour.
        if self._session:
            with suppress(requests.RequestException):
                self._send("DELETE", self._session)
        self._http.close()

    def _open(self) -> bool:
        """Open a session (DSP0266, "Redfish session login authentication"); False for none."""
        links = self.get(ROOT).get("Links")
        place = _link(links, "Sessions") if isinstance(links, dict) else None
        if place is None:
            return False
        asked = {"UserName": self._access.user, "Password": self._access.password}
        reply = self._send("POST", place, json=asked)
        if reply.status in _NO_SESSIONS:
            return False
        if reply.status != requests.codes.created or not reply.token:
            raise _refused(reply.status, "a session")
        self._http.headers["X-Auth-Token"] = reply.token
        self._session = reply.location
        return True

    def get(self, path: str) -> dict[str, Any]:
        """The JSON object at a path, with its ETag; BmcUnread where there is none."""
        found = self.look(path)
        if found is None:
            raise BmcUnread(f"there is no {path}")
        return found

    def look(self, path: str) -> dict[str, Any] | None:
        """As `get`, None where the BMC says that there is nothing."""
        reply = self._send("GET", path)
        if reply.status == requests.codes.not_found:
            return None
        if reply.status != requests.codes.ok:
            raise _refused(reply.status, path)
        try:
            found = json.loads(reply.body)
        except ValueError:
            raise BmcUnread(f"{path} is no JSON: is this a BMC?") from None
        if not isinstance(found, dict):
            raise BmcUnread(f"{path} is no JSON object")
        if reply.etag:
            found.setdefault("@odata.etag", reply.etag)
        return found

    def _send(self, method: str, path: str, **more: Any) -> _Reply:
        url = urljoin(self._base, path)
        if urlsplit(url)[:2] != urlsplit(self._base)[:2]:
            raise BmcUnread("it sends us on to another server")
        # Of a redirect, the credentials would go along.
        more |= {"timeout": self._access.timeout_s, "allow_redirects": False, "stream": True}
        with self._http.request(method, url, **more) as reply:
            body = bytearray()
            for part in reply.iter_content(_PART_BYTES):
                body += part
                if len(body) > _LARGEST_BYTES:
                    raise BmcUnread(f"{path} is larger than {_LARGEST_BYTES >> 20} MiB")
            told = reply.headers
            return _Reply(
                status=reply.status_code,
                body=bytes(body),
                etag=told.get("ETag", ""),
                token=told.get("X-Auth-Token", ""),
                location=urlsplit(told.get("Location", "")).path,
            )


@dataclass(frozen=True, slots=True)
class _Reply:
    """What came; headers that it lacks are empty."""

    status: int
    body: bytes
    etag: str
    token: str = field(repr=False)
    location: str


def _refused(status: int, what: str) -> BmcUnread:
    if status in (401, 403):
        return BmcUnread(f"it refuses the user or the password ({status})")
    return BmcUnread(f"it answers {status} to {what}")


def _read(bmc: _Bmc, attributes: Collection[str]) -> BiosReply:
    found = [_of_system(bmc, path, system, attributes) for path, system in _systems(bmc)]
    replies = [reply for reply in found if reply is not None]
    if not replies:
        raise BmcUnread("none of its systems has a Bios resource")
    # A baseboard of GPUs is a system too; the one that is meant has what is asked for.
    fitting = [reply for reply in replies if reply.running] if len(replies) > 1 else replies
    if len(fitting) != 1:
        names = ", ".join(reply.system for reply in replies)
        raise BmcUnread(f"several systems have a BIOS, and none of them is the one meant: {names}")
    return fitting[0]


def _systems(bmc: _Bmc) -> Iterator[tuple[str, dict[str, Any]]]:
    place = _link(bmc.get(ROOT), "Systems")
    if place is None:
        raise BmcUnread("its service root has no Systems")
    for _ in range(_MOST_PAGES):
        page = bmc.get(place)
        members = page.get("Members")
        for member in members if isinstance(members, list) else []:
            path = member.get("@odata.id") if isinstance(member, dict) else None
            if isinstance(path, str):
                yield path, bmc.get(path)
        place = page.get("Members@odata.nextLink")
        if not isinstance(place, str):
            return
    raise BmcUnread("its list of systems does not end")


def _of_system(
    bmc: _Bmc, path: str, system: dict[str, Any], attributes: Collection[str]
) -> BiosReply | None:
    place = _link(system, "Bios")
    bios = bmc.look(place) if place else None
    if place is None or bios is None:
        return None
    settings = _settings(bios)
    waiting = bmc.look(settings) if settings else None
    return BiosReply(
        system=path,
        bios=place,
        settings=settings,
        serial=_text(system, "SerialNumber"),
        registry=_text(bios, "AttributeRegistry"),
        etag=_text(bios, "@odata.etag"),
        running=_asked(bios, attributes, place),
        pending=None if waiting is None else _asked(waiting, attributes, str(settings)),
    )


def _settings(bios: dict[str, Any]) -> str | None:
    """Where changes wait for the next start (DSP0266, `@Redfish.Settings`)."""
    said = bios.get("@Redfish.Settings")
    return _link(said, "SettingsObject") if isinstance(said, dict) else None


def _asked(resource: dict[str, Any], names: Collection[str], where: str) -> dict[str, object]:
    attributes = resource.get("Attributes", {})
    if attributes is None:
        return {}
    if not isinstance(attributes, dict):
        raise BmcUnread(f"Attributes of {where} is no JSON object")
    return {name: attributes[name] for name in sorted(names) if name in attributes}


def _link(resource: dict[str, Any], key: str) -> str | None:
    """The path that a property links to (DSP0266, "Reference properties")."""
    said = resource.get(key)
    path = said.get("@odata.id") if isinstance(said, dict) else None
    return path if isinstance(path, str) and path else None


def _text(resource: dict[str, Any], key: str) -> str | None:
    said = resource.get(key)
    return said.strip() or None if isinstance(said, str) else None
