"""What known_hosts, ssh-keyscan, consoles and an authority say of devices; which of it holds."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from shutil import which

import paramiko
import pytest

from deploy.contact.certificates import authorities, signed
from deploy.contact.decide import Asked, Decided, decide
from deploy.contact.keys import HostKey, Said, best, key_in, read
from deploy.errors import RailbedError

from .machines import keygen

pytestmark = pytest.mark.skipif(not which("ssh-keygen"), reason="needs ssh-keygen")
NAMES = {
    name: device
    for device, address in (("leaf1", "10.0.0.1"), ("leaf2", "10.0.0.2"))
    for name in (device, f"{device}.hall.internal", address)
}
NOW_S = time.time()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[HostKey]:
    """Two keys, by ssh-keygen."""
    folder = tmp_path_factory.mktemp("keys")
    return [made(folder / f"k{number}") for number in range(2)]


def made(path: Path) -> HostKey:
    keygen(path)
    key = key_in(path.with_suffix(".pub").read_text())
    assert key is not None
    return key


def test_a_fingerprint_is_that_of_ssh_keygen(tmp_path):
    key = made(tmp_path / "k")
    words = ["ssh-keygen", "-l", "-f", str(tmp_path / "k.pub")]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == key.fingerprint
    assert said.split()[-1] == f"({key.word})"
    assert read(said, NAMES, "leaf1")["leaf1"].prints == ((key.word, key.fingerprint),)


@pytest.mark.parametrize(
    "line",
    [
        "leaf1,10.0.0.1 {}",
        "10.0.0.1 {} a comment",
        "[10.0.0.1]:22 {}",
        "leaf1.hall.internal {}",
        "{}",  # of a console: by who it is of
        "<14>Nov 27 10:00:01 cloud-init: {}",
        "ec2: {}",
    ],
)
def test_a_line_leads_to_its_device(line, pair):
    assert read(line.format(f"{pair[0]} root@leaf1"), NAMES) == {"leaf1": Said(keys=(pair[0],))}


def test_a_hashed_name_is_found(pair):
    hashed = paramiko.HostKeys.hash_host("10.0.0.2")
    assert read(f"{hashed} {pair[0]}", NAMES) == {"leaf2": Said(keys=(pair[0],))}


@pytest.mark.parametrize(
    "line",
    [
        "elsewhere {} leaf1",  # who wrote a known_hosts may comment as they like
        "|1|AAAA|AAAA {} root@leaf1",
        "{} root@elsewhere",
        "leaf1 ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA==",  # its bytes are of another kind
        "leaf1 ssh-ed25519 AAAA%",
        "",
    ],
)
def test_what_says_nothing_of_a_device_of_ours_is_left_out(line, pair):
    assert read(line.format(pair[0]), NAMES) == {}


def test_the_kept_key_is_the_best_kind(pair):
    rsa = HostKey("ssh-rsa", "AAAA")
    assert best([rsa, pair[0]]) == pair[0]
    assert best([]) is None


def certificate(folder: Path, name: str, *more: str, kind: str = "-h") -> HostKey:
    """The certificate of a new host key, signed by `folder`/ca; both by ssh-keygen."""
    keygen(folder / name)
    words = ["ssh-keygen", "-q", "-s", str(folder / "ca"), "-I", name, kind]
    subprocess.run([*words, *more, str(folder / f"{name}.pub")], check=True, capture_output=True)
    text = (folder / f"{name}-cert.pub").read_text()
    said = read(f"leaf1 {text}", NAMES)["leaf1"]
    assert said.keys == ()
    return said.certificates[0]


def test_a_certificate_vouches_for_its_key_by_name_and_time(tmp_path):
    keygen(tmp_path / "ca")
    by = authorities((tmp_path / "ca.pub").read_text(), "ca.pub")
    assert authorities(f"@cert-authority * {by[0]}", "f") == by
    good = certificate(tmp_path, "good", "-n", "10.0.0.1,other", "-V", "-1d:+1d")
    assert signed(good, by, ("leaf1", "10.0.0.1"), NOW_S) == key_in(
        (tmp_path / "good.pub").read_text()
    )
    assert signed(good, by, ("leaf2",), NOW_S) == "it is of 10.0.0.1, other"
    assert signed(good, by, ("10.0.0.1",), NOW_S + 2 * 86400) == "it is not valid now"
    # As `ssh-keyscan -c` of OpenSSH 9.2 prints it: it names no host.
    assert read(str(good), NAMES) == {"leaf1": Said(certificates=(good,))}
    bare = certificate(tmp_path, "bare")
    assert signed(bare, by, ("leaf1",), NOW_S) == "it is of no name"
    user = certificate(tmp_path, "user", "-n", "leaf1", kind="-q")
    assert signed(user, by, ("leaf1",), NOW_S) == "it is of a user, not of a host"
    stranger = authorities(str(made(tmp_path / "other")), "f")
    assert signed(good, stranger, ("10.0.0.1",), NOW_S) == "another authority signed it"
    data = good.text[:-8] + ("A" if good.text[-8] != "A" else "B") + good.text[-7:]
    assert "cannot be read" in str(signed(HostKey(good.kind, data), by, ("10.0.0.1",), NOW_S))


def test_a_file_of_no_authority_is_refused():
    with pytest.raises(RailbedError, match="f:2:1: found no public key"):
        authorities("# ours\nssh-ed25519\n", "f")
    with pytest.raises(RailbedError, match="f:1:1: found no key"):
        authorities("# ours\n", "f")


def of(known=None, texts=(), heard=None, **asked) -> Decided:
    return decide("leaf1", ("leaf1",), known, texts, heard or Said(), Asked(**asked), NOW_S)


def test_what_vouches_comes_in_its_order(tmp_path):
    keygen(tmp_path / "ca")
    by = authorities((tmp_path / "ca.pub").read_text(), "ca.pub")
    one = certificate(tmp_path, "one", "-n", "leaf1")
    key = key_in((tmp_path / "one.pub").read_text())
    found = of(heard=Said(certificates=(one,)), authorities=by)
    assert found == Decided("leaf1", "new", key, "a certificate of the authority")
    assert of(known=key, heard=Said(certificates=(one,)), authorities=by).state == "known"
    assert of(heard=Said(certificates=(one,))).state == "unknown"  # nobody named its authority


def test_nothing_is_kept_that_only_the_network_says(pair):
    heard = Said(keys=(pair[0],))
    assert of(heard=heard).why.endswith("which nothing vouches for")
    assert of(heard=heard, network=True).source == "the network, asked once"
    assert of(texts=[("f", Said(keys=(pair[0],)))]) == Decided("leaf1", "new", pair[0], "f")
    said = Said(prints=((pair[0].word, pair[0].fingerprint),))
    assert of(texts=[("f", said)], heard=heard).source == "its fingerprint in f"
    assert of(texts=[("f", said)]).why == "its fingerprint is known, and it was not heard"
    assert of().why == "nothing says what its key is"


@pytest.mark.parametrize("network", [False, True])
def test_who_differs_is_refused_with_both_fingerprints(pair, network):
    mine, other = pair
    printed = Said(prints=((other.word, other.fingerprint),))
    cases = [
        of(mine, texts=[("f", Said(keys=(other,)))], network=network),
        of(mine, texts=[("f", printed)], network=network),
        of(mine, heard=Said(keys=(other,)), network=network),
        of(None, [("f", Said(keys=(mine,)))], Said(keys=(other,)), network=network),
        of(None, [("f", printed)], Said(keys=(mine,)), network=network),
        of(None, [("f", Said(keys=(mine,))), ("g", Said(keys=(other,)))], network=network),
        of(mine, [("f", Said(keys=(mine,)))], Said(keys=(other,)), network=True, replace=True),
    ]
    for number, found in enumerate(cases):
        assert found.state == "refused", number
        assert mine.fingerprint in found.why, number
        assert other.fingerprint in found.why, number


def test_to_replace_a_known_key_something_must_vouch_for_the_new_one(pair):
    mine, other = pair
    assert of(mine, [("f", Said(keys=(other,)))], replace=True).key == other
    assert of(mine, heard=Said(keys=(other,)), network=True, replace=True).key == other
    assert of(mine, heard=Said(keys=(other,)), replace=True) == Decided(
        "leaf1", "known", mine, "hostkeys.json"
    )


def test_a_text_that_takes_a_key_back_refuses_it(pair, tmp_path):
    """sshd(8): a line marked @revoked, mostly of all hosts; one of an authority is no host's."""
    assert read(f"@cert-authority leaf1 {pair[0]}", NAMES) == {}
    assert read(f"@cert-authority * {pair[0]}", NAMES, "leaf1") == {}
    for line in ("@revoked * {}", "@revoked leaf1 {}"):
        found = read(line.format(pair[0]), NAMES)
        assert found["leaf1"] == Said(revoked=(pair[0],))
        texts = [("f", found["leaf1"])]
        for one in (
            of(pair[0], texts),
            of(pair[0], texts, replace=True),
            of(None, texts, Said(keys=(pair[0],)), network=True),
            of(None, [*texts, ("g", Said(keys=(pair[0],)))]),
        ):
            assert one.state == "refused"
            assert "which is revoked in f" in one.why
        assert of(pair[1], texts).state == "known"
        assert of(pair[0], [*texts, ("g", Said(keys=(pair[1],)))], replace=True).key == pair[1]
    keygen(tmp_path / "ca")
    by = authorities((tmp_path / "ca.pub").read_text(), "ca.pub")
    heard = Said(certificates=(certificate(tmp_path, "one", "-n", "leaf1"),))
    assert of(None, [("f", Said(revoked=by))], heard, authorities=by).state == "unknown"


def test_who_answers_with_another_kind_than_the_known_fingerprint_is_not_believed(pair):
    printed = Said(prints=((pair[0].word, pair[0].fingerprint),))
    rsa = HostKey("ssh-rsa", "AAAA")
    found = of(None, [("f", printed)], Said(keys=(rsa,)), network=True)
    assert (found.state, found.key) == ("unknown", None)


def test_another_kind_of_key_is_no_quarrel(pair):
    rsa = HostKey("ssh-rsa", "AAAA")
    assert of(pair[0], [("f", Said(keys=(rsa,)))]).state == "known"
