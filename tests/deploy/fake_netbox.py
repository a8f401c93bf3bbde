"""A stand-in for NetBox's REST API, on loopback: it keeps records and serves them by page.

Written from NetBox's documentation (netboxlabs.com/docs/netbox): "REST API" (lists with `count`,
`next`, `previous`, `results`; `limit` and `offset`; a missing or wrong token), "Miscellaneous
Parameters" (`MAX_PAGE_SIZE`), and the pages of the models Device, Interface and Cable. It
imports nothing of ours.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

Record = dict[str, Any]


class FakeNetbox:
    """One NetBox. Its records may be changed at any time; `fault` breaks one path."""

    def __init__(self, token: str, version: str = "4.2.3") -> None:
        self.token = token
        self.version = version
        # "Miscellaneous Parameters": 1000 unless set; small here, so that there are pages.
        self.max_page_size = 7
        self.lists: dict[str, list[Record]] = {
            "dcim/devices": [],
            "dcim/interfaces": [],
            "dcim/cables": [],
        }
        self.sites = {"default"}
        self.fault: dict[str, str] = {}
        self.asked: list[str] = []

    def add_device(self, name: str, role: str, serial: str, **more: Any) -> Record:
        """A device as the list of devices shows it (model Device)."""
        record = {
            "id": len(self.lists["dcim/devices"]) + 1,
            "name": name,
            "role": {"id": 1, "name": role.title(), "slug": role},
            "device_type": {"id": 1, "model": "any", "slug": "any"},
            "serial": serial,
            "site": {"id": 1, "name": "Default", "slug": "default"},
            "rack": None,
            "position": None,
            "status": {"value": "active", "label": "Active"},
            "primary_ip4": None,
            **more,
        }
        self.lists["dcim/devices"].append(record)
        return record

    def add_interface(self, device: Record, name: str, mac: str | None) -> Record:
        """An interface (model Interface); NetBox prints MACs in upper case."""
        record = {
            "id": len(self.lists["dcim/interfaces"]) + 1,
            "device": {"id": device["id"], "name": device["name"]},
            "name": name,
            "mac_address": mac.upper() if mac else None,
            "type": {"value": "other", "label": "Other"},
            "mgmt_only": False,
        }
        self.lists["dcim/interfaces"].append(record)
        return record

    def add_cable(self, a: Record, b: Record, kind: str = "dcim.interface") -> Record:
        """A cable with one termination at each end (model Cable, since 3.3)."""
        record: Record = {"id": len(self.lists["dcim/cables"]) + 1, "label": ""}
        for side, end in (("a", a), ("b", b)):
            seen = {"id": end["id"], "device": end["device"], "name": end["name"]}
            record[f"{side}_terminations"] = [
                {"object_type": kind, "object_id": end["id"], "object": seen}
            ]
        self.lists["dcim/cables"].append(record)
        return record

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on a free port of loopback; gives the address."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _handler(netbox: FakeNetbox) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # a reply in one piece, or the kernel waits for acknowledgements

        def do_GET(self) -> None:
            path = urlsplit(self.path).path.removeprefix("/api/").strip("/")
            query = {key: values[-1] for key, values in parse_qs(urlsplit(self.path).query).items()}
            netbox.asked.append(self.path)
            fault = netbox.fault.get(path, "")
            # "REST API", Authentication: `Authorization: Token <token>`; else 403.
            if self.headers.get("Authorization") != f"Token {netbox.token}":
                self._send(403, {"detail": "Invalid token"})
            elif fault == "error":
                self._send(500, {"error": "out of order", "exception": "ProgrammingError"})
            elif fault == "slow":
                time.sleep(1.5)
                self._send(200, {})
            elif fault == "page" and query.get("offset", "0") != "0":
                self._cut()
            elif fault == "elsewhere" and query.get("offset", "0") != "0":
                self._list(path, query, host="192.0.2.1")
            elif fault == "html":
                self._send(200, None, b"<html>a proxy's page</html>")
            elif fault == "redirect":
                self._send(302, None, b"")
            elif path == "status":
                # "REST API", Status: the versions of NetBox and of what it is made of.
                self._send(200, {"netbox-version": netbox.version, "python-version": "3.12.3"})
            elif path in netbox.lists:
                self._list(path, query, shift=1 if fault == "lost" else 0)
            else:
                self._send(404, {"detail": "Not found."})

        def _list(self, path: str, query: dict[str, str], host: str = "", shift: int = 0) -> None:
            if query.get("site", "default") not in netbox.sites:
                said = (
                    f"Select a valid choice. {query['site']} is not one of the available choices."
                )
                self._send(400, {"site": [said]})
                return
            records = netbox.lists[path]
            # "REST API", Pagination: limit 0 asks for as many as a page may hold.
            wanted = int(query.get("limit", 50)) or netbox.max_page_size
            limit = min(wanted, netbox.max_page_size)
            offset = int(query.get("offset", 0))
            start = offset + (shift if offset else 0)
            later = offset + limit < len(records)
            here = f"http://{host or self.headers['Host']}/api/{path}/?"
            rest = {key: value for key, value in query.items() if key not in ("limit", "offset")}
            follow = urlencode({**rest, "limit": limit, "offset": offset + limit})
            reply = {
                "count": len(records),
                "next": here + follow if later else None,
                "previous": here + urlencode({**rest, "limit": limit}) if offset else None,
                "results": records[start : start + limit],
            }
            self._send(200, reply)

        def _send(self, status: int, value: object, raw: bytes | None = None) -> None:
            body = raw if raw is not None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            # "REST API", Versioning: every reply names the version of the API.
            self.send_header("API-Version", ".".join(netbox.version.split(".")[:2]))
            if status == 302:
                self.send_header("Location", "http://192.0.2.1/login/")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _cut(self) -> None:
            """A reply that ends before it is whole."""
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "10000")
            self.end_headers()
            self.wfile.write(b'{"count": 30, "next": null, "previous": null, "results": [{"id"')
            self.wfile.flush()
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    return Handler
