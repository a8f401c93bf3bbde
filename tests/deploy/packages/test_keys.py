"""A repository's key is found in what gpg lists, whatever stands beside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deploy.packages.gpg_run import fingerprint_of
from deploy.packages.keys_run import keyring
from inventory.schema.versions import Repository
from inventory.software.lock import VERSIONS
from inventory.software.sources import sources

from . import archive
from .test_refresh import pytestmark as needs

pytestmark = needs[0]

DEBIAN = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# gpg(1), unattended key generation.
PARAMETERS = "%no-protection\nKey-Type: eddsa\nKey-Curve: ed25519\nName-Real: b\nRevoker: 22:{}\n"


def test_a_key_that_another_may_revoke_is_found(tmp_path):
    """GnuPG lists the other's fingerprint between the key and its own (doc/DETAILS, rvk)."""
    home, other = archive.made_key(tmp_path / "home")
    gpg = ["gpg", "--batch", "--homedir", str(home)]
    subprocess.run([*gpg, "--gen-key"], input=PARAMETERS.format(other), text=True, check=True)
    raw = subprocess.run([*gpg, "--export", "b"], capture_output=True, check=True).stdout
    archive.end(home)
    (tmp_path / "b.key").write_bytes(raw)
    found = subprocess.run([*gpg, "--with-colons", "--show-keys", tmp_path / "b.key"],
                           capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert "\nrvk:" in found
    own = next(line.split(":")[9] for line in found.splitlines() if line.startswith("fpr:"))
    row = archive.repository(tmp_path, "b.key", own)
    path = keyring(Repository.model_validate(row), tmp_path, tmp_path / "keys")
    assert fingerprint_of(tmp_path, path.read_text()) == own != other


@pytest.mark.skipif(not DEBIAN.is_file(), reason="needs debian-archive-keyring")
def test_debians_own_keys_are_found_in_its_own_package(tmp_path):
    rows = sources(tmp_path, "debian-12", "amd64").repositories
    assert rows
    for row in rows:
        alone = row.model_copy(update={"keys": [str(DEBIAN)]})
        path = keyring(alone, VERSIONS, tmp_path / "keys")
        assert fingerprint_of(tmp_path, path.read_text()) == row.fingerprints[0]
