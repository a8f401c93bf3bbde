"""Host keys that a site's own authority (CA) has signed: PROTOCOL.certkeys of OpenSSH.

Such a certificate may come over any network: it holds for the names that it says, whoever hands it
on. Its plain key is what is kept: paramiko, which pyinfra and netmiko use, knows no certificates.
"""

from __future__ import annotations

from collections.abc import Collection

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    SSHCertificate,
    SSHCertificateType,
    load_ssh_public_identity,
)

from deploy.errors import RailbedError

from .keys import HostKey, key_in


def authorities(text: str, label: str) -> tuple[HostKey, ...]:
    """The keys of a file of authorities, one a line; RailbedError where a line has none."""
    found: list[HostKey] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = line.split()
        key = key_in(" ".join(words[2:] if words[0] == "@cert-authority" else words))
        if key is None:
            raise RailbedError(
                f"{label}:{number}:1: found no public key, expected `TYPE BASE64`",
                hint="the file that `ssh-keygen -f host_ca` made as host_ca.pub",
            )
        found.append(key)
    if not found:
        raise RailbedError(f"{label}:1:1: found no key, expected that of an authority")
    return tuple(found)


def signed(
    certificate: HostKey, by: Collection[HostKey], names: Collection[str], now_s: float
) -> HostKey | str:
    """The key that a certificate vouches for, for any of these names; else why it does not."""
    try:
        read = load_ssh_public_identity(str(certificate).encode())
        if not isinstance(read, SSHCertificate):
            return "it is no certificate"
        read.verify_cert_signature()
        signer = read.signature_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
        plain = read.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    except (ValueError, InvalidSignature, UnsupportedAlgorithm) as error:
        return f"it cannot be read ({type(error).__name__})"
    if key_in(signer.decode()) not in by:
        return "another authority signed it"
    if read.type is not SSHCertificateType.HOST:
        return "it is of a user, not of a host"
    if not read.valid_after <= now_s < read.valid_before:
        return "it is not valid now"
    said = [one.decode("utf-8", "replace") for one in read.valid_principals]
    if not set(said) & set(names):
        return f"it is of {', '.join(said) or 'no name'}"
    if read.critical_options:
        return "it has options that nobody here knows"
    return key_in(plain.decode()) or "its key is of a kind that is not used"
