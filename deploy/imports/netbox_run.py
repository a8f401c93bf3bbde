"""Reads a NetBox by its REST API, with pynetbox; changes nothing there.

Either everything that was asked for came, or an error says what did not: a list that grew or
shrank while it was read, or a page that was cut, is never taken for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pynetbox
import requests

from deploy.errors import RailbedError
from inventory.imports.netbox_records import CABLES, DEVICES, INTERFACES, Records

# NetBox's own most for a page (its parameter MAX_PAGE_SIZE, "Miscellaneous Parameters").
_PAGE = 1000
# 3.3 brought cables with a list of terminations at each end.
_OLDEST = (3, 3)


@dataclass(frozen=True, slots=True)
class NetboxAccess:
    """Where a NetBox is and who asks; the token is in no text that this object prints.

    `site` is the slug of one site, "" for all; `timeout_s` bounds each wait for the server.
    """

    url: str
    token: str = field(repr=False)
    site: str = ""
    timeout_s: float = 30.0


class _Session(requests.Session):
    """Waits no longer than agreed, and tells the token to one server only."""

    def __init__(self, access: NetboxAccess) -> None:
        super().__init__()
        self._timeout_s = access.timeout_s
        self._server = urlsplit(access.url)[:2]
        # Without it, an entry in ~/.netrc would replace the token.
        self.auth = _as_it_is

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Ask, unless a page's link leads to another server."""
        if urlsplit(request.url or "")[:2] != self._server:
            raise RailbedError(
                f"NetBox sends us on to another server: {urlsplit(request.url or '').hostname}",
                hint="name it in --url by the address that its own links have",
            )
        return super().send(
            request, **{**kwargs, "timeout": self._timeout_s, "allow_redirects": False}
        )


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def read_netbox(access: NetboxAccess) -> Records:
    """Read devices, interfaces and cables; RailbedError where any of them is not whole."""
    if urlsplit(access.url).scheme not in ("http", "https") or not urlsplit(access.url).netloc:
        raise RailbedError("--url is no web address", hint="like https://netbox.example.net")
    api = pynetbox.api(access.url, token=access.token)
    try:
        with _Session(access) as api.http_session:
            version = _version(api.status())
            return Records(
                version=version,
                devices=_all(api.dcim.devices, access.site, DEVICES),
                interfaces=_all(api.dcim.interfaces, access.site, INTERFACES),
                cables=_all(api.dcim.cables, access.site, CABLES),
            )
    except pynetbox.RequestError as error:
        raise _refused(error) from None
    except requests.Timeout:
        raise _unread(access, f"no answer within {access.timeout_s:g} s") from None
    except (pynetbox.ContentError, requests.exceptions.JSONDecodeError):
        raise _unread(access, "what came is no JSON: not a NetBox, or a reply cut short") from None
    except requests.RequestException as error:
        raise _unread(access, f"{type(error).__name__}") from None


def _version(status: object) -> str:
    version = str(status.get("netbox-version", "")) if isinstance(status, Mapping) else ""
    numbers = version.split(".")
    if not all(part.isdigit() for part in numbers[:2]) or len(numbers) < 2:
        raise RailbedError("NetBox does not say its version", hint="is --url a NetBox?")
    if (int(numbers[0]), int(numbers[1])) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise RailbedError(f"NetBox {version} is too old", hint=f"{oldest} is the oldest we read")
    return version


def _all(endpoint: Any, site: str, what: str) -> list[Mapping[str, object]]:
    """All records of a list as they came: pynetbox's objects would cost a second for 10,000."""
    found = endpoint.filter(site=site, limit=_PAGE) if site else endpoint.all(limit=_PAGE)
    try:
        records = list(found.response)
        count = found.request.count
        numbers = {record["id"] for record in records}
    except (KeyError, TypeError, AttributeError):
        raise RailbedError(f"{what}: not a list of NetBox", hint="is --url a NetBox?") from None
    if count != len(records) or len(numbers) != len(records):
        raise RailbedError(
            f"{what}: {count} were announced, {len(numbers)} came; nothing is written",
            hint="somebody changed NetBox meanwhile, or a page was lost: run it again",
        )
    return records


def _refused(error: pynetbox.RequestError) -> RailbedError:
    status = error.req.status_code
    if status in (401, 403):
        return RailbedError(
            f"NetBox refuses the token ({status})", hint="it needs the right to view dcim objects"
        )
    if status == requests.codes.bad_request:
        return RailbedError(f"NetBox refuses the question (400): {error.error[:200]}")
    return RailbedError(f"NetBox answers {status} {error.req.reason}; nothing is written")


def _unread(access: NetboxAccess, why: str) -> RailbedError:
    return RailbedError(
        f"NetBox at {urlsplit(access.url).hostname} cannot be read: {why}; nothing is written"
    )
