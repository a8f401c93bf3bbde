"""A stand-in for a BMC's Redfish service, on loopback over TLS: it keeps settings and sessions.

Written from DMTF DSP0266 (Redfish Specification: service root without authentication, HTTP Basic
and session login with `X-Auth-Token` and `Location`, 401 with `WWW-Authenticate`, ETags,
`Members@odata.nextLink`, `@Redfish.Settings`) and DSP0268 (ServiceRoot, ComputerSystem, Bios:
`Attributes` are text, numbers, booleans or null). It imports nothing of ours.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ROOT = "/redfish/v1"
Resource = dict[str, Any]


class FakeBmc:
    """One BMC. Its resources may be changed at any time; `fault` breaks one path.

    Makers differ in `system`, in the names of the Bios resource and of its settings, and in
    whether there are sessions at all.
    """

    def __init__(
        self,
        system: str = "1",
        bios: str = "Bios",
        settings: str = "Settings",
        *,
        sessions: bool = True,
        most_sessions: int = 4,
    ) -> None:
        self.user, self.password = "operator", "s3cret-of-the-bmc"
        self.most_sessions = most_sessions if sessions else 0
        self.tokens: dict[str, str] = {}
        # Two clients at once must not get one session: who ends it ends the other's.
        self.sessions = count(1)
        self.fault: dict[str, str] = {}
        # Everything that was asked, as METHOD PATH, and by whom.
        self.asked: list[str] = []
        self.kinds: set[str] = set()
        self.system = f"{ROOT}/Systems/{system}"
        self.bios = f"{self.system}/{bios}"
        self.settings = f"{self.bios}/{settings}"
        self.resources: dict[str, Resource] = {
            f"{ROOT}/Systems": {"Members": [{"@odata.id": self.system}]},
            self.system: {"SerialNumber": "SYS-1 ", "Bios": {"@odata.id": self.bios}},
            self.bios: {
                "AttributeRegistry": "BiosAttributeRegistry.v1_0_0",
                "Attributes": {},
                "@Redfish.Settings": {"SettingsObject": {"@odata.id": self.settings}},
            },
            self.settings: {"Attributes": {}},
        }
        root: Resource = {"Systems": {"@odata.id": f"{ROOT}/Systems"}}
        if sessions:
            root["Links"] = {"Sessions": {"@odata.id": f"{ROOT}/SessionService/Sessions"}}
        self.resources[ROOT] = root

    def runs(self, **attributes: object) -> None:
        """What the BIOS took at its last start."""
        self.resources[self.bios]["Attributes"] = attributes

    def waits(self, **attributes: object) -> None:
        """What it will take at the next one."""
        self.resources[self.settings]["Attributes"] = attributes

    def baseboard(self, *, bios: bool) -> None:
        """Another system beside it, as a baseboard of GPUs is one."""
        place = f"{ROOT}/Systems/HGX_Baseboard_0"
        self.resources[f"{ROOT}/Systems"]["Members"].insert(0, {"@odata.id": place})
        self.resources[place] = {"Bios": {"@odata.id": f"{place}/Bios"}} if bios else {}
        if bios:
            self.resources[f"{place}/Bios"] = {"Attributes": {"GpuThing": True}}

    @contextmanager
    def serving(self, folder: Path) -> Iterator[str]:
        """Serve on a free port; gives HOST:PORT. Its certificate is FOLDER/bmc.pem."""
        certificate = make_certificate(folder)
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, folder / "bmc.key")
        # A client that went away is no news.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        poll = {"poll_interval": 0.01}
        threading.Thread(target=server.serve_forever, kwargs=poll, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()


def make_certificate(folder: Path) -> Path:
    """A certificate for loopback that nobody signed, and its key."""
    path = folder / "bmc.pem"
    if path.exists():
        return path
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a BMC")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    (folder / "bmc.key").write_bytes(secret)
    return path


def _handler(bmc: FakeBmc) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        def do_GET(self) -> None:
            path = self._begin("GET")
            if path != ROOT and not self._is_known():
                return self._refuse()
            if self._is_broken(path):
                return None
            resource = bmc.resources.get(path)
            if resource is None:
                return self._say(404, {"error": {"code": "Base.1.0.ResourceMissingAtURI"}})
            body = {"@odata.id": path, **resource}
            digest = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:8]
            return self._say(200, body, ETag=f'W/"{digest}"')

        def do_POST(self) -> None:
            path = self._begin("POST")
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            if path != f"{ROOT}/SessionService/Sessions":
                return self._say(405, {})
            if bmc.fault.get(path) == "absent":
                return self._say(404, {})
            if (asked.get("UserName"), asked.get("Password")) != (bmc.user, bmc.password):
                return self._refuse()
            if len(bmc.tokens) >= bmc.most_sessions:
                return self._say(503, {"error": {"code": "Base.1.0.SessionLimitExceeded"}})
            number = next(bmc.sessions)
            token = f"token-{number}"
            bmc.tokens[token] = f"{path}/{number}"
            place = f"https://{self.headers['Host']}{bmc.tokens[token]}"
            return self._say(201, {}, **{"X-Auth-Token": token, "Location": place})

        def do_DELETE(self) -> None:
            path = self._begin("DELETE")
            token = self.headers.get("X-Auth-Token", "")
            if bmc.tokens.get(token) != path:
                return self._refuse()
            del bmc.tokens[token]
            return self._say(204, None)

        def do_PATCH(self) -> None:
            self._begin("PATCH")
            self._say(200, {})

        def _begin(self, method: str) -> str:
            path = self.path.rstrip("/")
            bmc.asked.append(f"{method} {path}")
            return path

        def _is_known(self) -> bool:
            said = f"{bmc.user}:{bmc.password}".encode()
            basic = f"Basic {base64.b64encode(said).decode()}"
            if self.headers.get("X-Auth-Token") in bmc.tokens:
                bmc.kinds.add("session")
                return True
            bmc.kinds.add("basic")
            return self.headers.get("Authorization") == basic

        def _refuse(self) -> None:
            self._say(401, {"error": {"code": "Base.1.0.NoValidSession"}},
                      **{"WWW-Authenticate": 'Basic realm="Redfish"'})  # fmt: skip

        def _is_broken(self, path: str) -> bool:
            fault = bmc.fault.get(path, "")
            if fault == "slow":
                time.sleep(0.6)
            elif fault == "error":
                self._say(500, {})
            elif fault == "redirect":
                self._say(302, {}, Location="https://127.0.0.1:1/redfish/v1")
            elif fault in ("html", "list"):
                self._raw(200, b"<html></html>" if fault == "html" else b"[1]", {})
            elif fault == "cut":
                self.send_response(200)
                self.send_header("Content-Length", "5000")
                self.end_headers()
                self.wfile.write(b'{"Attributes": {')
                self.close_connection = True
            return fault in ("error", "redirect", "html", "list", "cut")

        def _say(self, status: int, body: object, **headers: str) -> None:
            text = b"" if body is None else json.dumps(body).encode()
            self._raw(status, text, headers)

        def _raw(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("OData-Version", "4.0")
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    return Handler
