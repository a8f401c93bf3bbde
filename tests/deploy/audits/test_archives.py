"""Archives are read in memory, within limits; one bad member hides no other."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from deploy.audits import gathered as gathering
from deploy.audits import limits, unpack
from deploy.audits.gathered import STDIN, gathered
from deploy.audits.limits import MIB
from validation.audit.audit import audit

from .texts import one, rendered, write


def tar(members: dict[str, bytes], mode: str = "w") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as packed:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return made.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return made.getvalue()


EOS = one("eos").encode()
PACKED = {
    "a.tar": tar({"leaf.cfg": EOS}),
    "a.tar.gz": tar({"leaf.cfg": EOS}, "w:gz"),
    "a.tgz": tar({"leaf.cfg": EOS}, "w:gz"),
    "a.tar.xz": tar({"leaf.cfg": EOS}, "w:xz"),
    "a.tar.bz2": tar({"leaf.cfg": EOS}, "w:bz2"),
    "a.zip": zipped({"leaf.cfg": EOS}),
    "leaf.cfg.gz": gzip.compress(EOS),
    "leaf.cfg.xz": lzma.compress(EOS),
    "leaf.cfg.bz2": bz2.compress(EOS),
    "named-otherwise": tar({"leaf.cfg": EOS}, "w:gz"),
}


def whys(path: Path) -> list[str]:
    return [f"{each.source}: {each.why}" for each in gathered(path).refused]


@pytest.mark.parametrize("name", PACKED)
def test_an_archive_is_taken_alone_in_a_folder_and_in_another(tmp_path, name):
    alone = write(tmp_path / "1" / name, PACKED[name])
    member = f"{name}/leaf.cfg" if not name.startswith("leaf") else "leaf.cfg"
    assert set(gathered(alone).texts) == {member}
    assert set(gathered(alone.parent).texts) == {member}
    write(tmp_path / "2/all.zip", zipped({f"in/{name}": PACKED[name]}))
    assert set(gathered(tmp_path / "2").texts) == {f"all.zip/in/{member}"}
    deep = zipped({"b.tar": tar({name: PACKED[name]})})
    write(tmp_path / "3/all.zip", deep)
    found = gathered(tmp_path / "3")
    assert not found.texts
    assert "an archive in an archive in an archive" in found.refused[0].why


def test_what_climbs_links_and_devices_are_refused_and_the_rest_is_read(tmp_path):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as packed:
        for name in ("../up.cfg", "/etc/abs.cfg", "a/../../b.cfg", "good.cfg"):
            info = tarfile.TarInfo(name)
            info.size = len(EOS)
            packed.addfile(info, io.BytesIO(EOS))
        for name, kind in (("l.cfg", tarfile.SYMTYPE), ("h.cfg", tarfile.LNKTYPE),
                           ("d.cfg", tarfile.CHRTYPE), ("f.cfg", tarfile.FIFOTYPE)):  # fmt: skip
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            packed.addfile(info)
    found = gathered(write(tmp_path / "x.tar", made.getvalue()))
    assert set(found.texts) == {"x.tar/good.cfg"}
    assert {one.source: one.why.partition(":")[0] for one in found.refused} == {
        "x.tar/../up.cfg": "a path that climbs out of its archive",
        "x.tar/etc/abs.cfg": "an absolute path in an archive",
        "x.tar/a/../../b.cfg": "a path that climbs out of its archive",
        "x.tar/l.cfg": "a link",
        "x.tar/h.cfg": "a link",
        "x.tar/d.cfg": "a device or FIFO in an archive",
        "x.tar/f.cfg": "a device or FIFO in an archive",
    }
    up = gathered(write(tmp_path / "x.zip", zipped({"../up.cfg": EOS, "good.cfg": EOS})))
    assert set(up.texts) == {"x.zip/good.cfg"}
    assert up.refused[0].why.startswith("a path that climbs")


@pytest.fixture
def small_limits(monkeypatch):
    """A hundredth of the real ones: the tests need not make gigabytes."""
    monkeypatch.setattr(limits, "BOMB_BYTES", MIB)
    monkeypatch.setattr(limits, "BOMB_RATIO", 50)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_bomb_is_stopped_and_the_rest_is_read(tmp_path, pack):
    write(tmp_path / "bomb.cfg.gz", pack(bytes(6 * MIB)))
    write(tmp_path / "bomb.tar.gz", pack(tar({"a.cfg": b"!" * 6 * MIB, "b.cfg": EOS})))
    write(tmp_path / "leaf.cfg", EOS)
    found = gathered(tmp_path)
    assert set(found.texts) == {"leaf.cfg"}
    assert {one.source for one in found.refused} >= {"bomb.tar.gz"}
    assert all("times its size" in one.why or "binary" in one.why for one in found.refused)


@pytest.mark.usefixtures("small_limits")
def test_a_zip_that_lies_or_swells_is_stopped(tmp_path):
    write(tmp_path / "a.zip", zipped({"a.cfg": b"!\n" * 3 * MIB}))
    assert "times its size" in whys(tmp_path)[0]


def test_all_together_have_a_limit(tmp_path, monkeypatch):
    many = {f"{number}.cfg": b"!" * 1000 for number in range(50)}
    write(tmp_path / "a.tar.gz", tar(many, "w:gz"))
    write(tmp_path / "b.tar.gz", tar({"leaf.cfg": EOS}, "w:gz"))
    monkeypatch.setattr(
        gathering, "Reader", lambda: gathering_reader(limits.Budget(unpacked=20_000))
    )
    told = whys(tmp_path)
    assert any("the rest is not read" in one for one in told)
    monkeypatch.setattr(gathering, "Reader", lambda: gathering_reader(limits.Budget(members=10)))
    assert any("files: the rest is not read" in one for one in whys(tmp_path))


def gathering_reader(budget: limits.Budget) -> object:
    from deploy.audits.reader import Reader

    return Reader(budget=budget)


def test_headers_ask_for_no_memory(tmp_path):
    info = tarfile.TarInfo("x" * 100)
    info.type, info.size = tarfile.XHDTYPE, 1 << 40
    write(tmp_path / "a.tar", info.tobuf() + bytes(4096))
    info.type, info.size = tarfile.REGTYPE, 1 << 60
    write(tmp_path / "b.tar", info.tobuf() + EOS)
    assert [one.partition(": ")[2] for one in whys(tmp_path)] == [
        "a cut or damaged archive: what it lost is not known"
    ] * 2
    big = bytearray(lzma.compress(EOS))
    big[16] = 37  # A dictionary of 1 GiB (.xz file format, 5.3.1), and the header's checksum.
    big[20:24] = zlib.crc32(big[12:20]).to_bytes(4, "little")
    assert "damaged" in whys(write(tmp_path / "c.cfg.xz", bytes(big)))[0]


@pytest.mark.parametrize("kind", ["a.tar", "a.tar.gz", "a.tar.xz", "a.zip", "leaf.cfg.gz"])
def test_an_archive_that_is_cut_anywhere_is_no_pass(tmp_path, kind):
    whole = PACKED[kind]
    for at in range(1, 20):
        path = write(tmp_path / kind, whole[: len(whole) * at // 20])
        found = gathered(path)
        # What is cut off behind the last member is nothing.
        assert found.refused or [*found.texts.values()] == [{"a.tar/leaf.cfg": EOS.decode()}], at


def test_what_is_no_archive_although_its_name_says_so_is_a_text(tmp_path):
    for at in (0, 1, 5, 90, 200):
        write(tmp_path / f"cut-{at}.tar.gz", PACKED["a.tar"][:at])
    write(tmp_path / "leaf.cfg.gz", EOS)
    found = gathered(tmp_path)
    assert found.texts["leaf.cfg.gz"] == {"leaf.cfg.gz": EOS.decode()}
    refused = {one.source for one in audit(found.texts, found.refused).not_read}
    assert refused == {f"cut-{at}.tar.gz" for at in (0, 1, 5, 90, 200)}


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path):
    data = bytearray(tar({"a.cfg": EOS, "b.cfg": EOS}))
    data[data.index(b"b.cfg")] ^= 1
    found = gathered(write(tmp_path / "a.tar", bytes(data)))
    assert set(found.texts) == {"a.tar/a.cfg"}
    assert found.refused


@pytest.mark.parametrize("magic", [b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07\0"])
def test_what_nobody_here_unpacks_is_named(tmp_path, magic):
    assert "unpack it first" in whys(write(tmp_path / "a.cfg", magic + bytes(600)))[0]


def test_an_encrypted_member_is_told(tmp_path):
    data = bytearray(zipped({"leaf.cfg": EOS}))
    for head, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(head) + at] |= 1
    assert whys(write(tmp_path / "a.zip", bytes(data))) == ["a.zip/leaf.cfg: encrypted"]


def test_bundles_of_switches_and_hosts(tmp_path):
    sonic = rendered("sonic")
    root = "sonic_dump_leaf1_20241101_120000"
    members = {
        f"{root}/etc/sonic/config_db.json": sonic["/etc/sonic/config_db.json"].encode(),
        f"{root}/dump/frr.running_config": b"Building configuration...\n\nCurrent configuration:\n"
        + sonic["/etc/sonic/frr/frr.conf"].encode(),
        f"{root}/dump/bgp.table.gz": gzip.compress(b"routes\n"),
        f"{root}/etc/sonic/old_config/config_db.json": b"{}",
        f"{root}/log/syslog.1.gz": gzip.compress(b"words\n"),
    }
    write(tmp_path / f"{root}.tar.gz", tar(members, "w:gz"))
    cumulus = rendered("cumulus")["/etc/nvue.d/startup.yaml"].encode()
    support = {
        "cl_support_leaf2/etc/nvue.d/startup.yaml": cumulus,
        "cl_support_leaf2/etc/frr/frr.conf": b"frr version 8.4\n",
        "cl_support_leaf2/Support/ip.route": b"routes\n",
    }
    write(tmp_path / "cl_support_leaf2.txz", tar(support, "w:xz"))
    report = {"sosreport-n1/etc/hostname": b"n1\n", "sosreport-n1/etc/shadow": b"secret\n"}
    write(tmp_path / "sosreport-n1.tar.xz", tar(report, "w:xz"))
    found = gathered(tmp_path)
    assert {name.rpartition("/")[2]: set(texts) for name, texts in found.texts.items()} == {
        root: {"/etc/sonic/config_db.json", "/etc/sonic/frr/frr.conf"},
        "cl_support_leaf2": {"/etc/nvue.d/startup.yaml"},
        "sosreport-n1": {"/etc/hostname"},
    }
    assert not found.refused


def test_standard_input(monkeypatch):
    for data in (EOS, PACKED["a.tar.gz"], PACKED["a.zip"], PACKED["leaf.cfg.gz"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        (name,) = gathered(STDIN).texts
        assert name.startswith("stdin")


def test_nothing_is_opened_for_writing(tmp_path, monkeypatch):
    path = write(tmp_path / "a.zip", zipped({"b.tar.gz": PACKED["a.tar.gz"]}))
    monkeypatch.setattr(Path, "write_bytes", None)
    monkeypatch.setattr(tarfile.TarFile, "extractall", None)
    monkeypatch.setattr(zipfile.ZipFile, "extractall", None)
    assert gathered(path).texts
    assert {one.name for one in tmp_path.iterdir()} == {"a.zip"}
    assert unpack.kind_of(b"") == ""
