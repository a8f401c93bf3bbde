"""Versions: what a site wants of software, firmware and BIOS, and what is known to go together."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from ..plan import Arch
from .types import Closed, Key, Name, OsName, Text

_SHA256 = re.compile(r"[0-9a-f]{64}")
# Of version 4 keys (RFC 4880, 12.2): a key ID is too short to name one.
_FINGERPRINT = re.compile(r"[0-9A-F]{40}")
# Without a password: it would stand in plans and logs; apt has auth.conf(5) for it.
# What a person types as one may hold a slash or another @ (RFC 3986 wants both encoded).
_PLAIN = r"(https?|file)://(?![^/\s]*@|[^/\s]*:(?!\d+/)\S*@)[^\s\[\]]+"
_URL = re.compile(_PLAIN)
_KEY = re.compile(rf"{_PLAIN}|(?!\w+://)[^\s\[\]]+")
# A file of the site's own lies beside the rows; what leads out of the folder is none.
# A query is often a login, and the place stands in the package: on every node, for all to read.
_PLACE = re.compile(rf"(?!\w+://.*[?#])(?:{_PLAIN}|(?!/|\w+://|(?:.*/)?\.\.(?:/|$))[^\s\[\]]+)")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_UPSTREAM = re.compile(r"[0-9][A-Za-z0-9.~]*")
_NEED = re.compile(r"[a-z0-9][a-z0-9+.-]+(=([0-9]+:)?[0-9][A-Za-z0-9.+~-]*)?")
_STREAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z0-9][A-Za-z0-9._-]*")
_SUITE = re.compile(r"[A-Za-z0-9./][A-Za-z0-9+._/-]*")
# Names as BMCs have them: `ProcCStates`, `QuietBoot_00C9`, `CPU0.NPS`.
_ATTRIBUTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")


def matching(pattern: re.Pattern[str], expected: str) -> BeforeValidator:
    """A check that a value is text of this pattern; `expected` is what an error says."""

    def check(value: object) -> object:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise ValueError(expected)
        return value

    return BeforeValidator(check)


def _bios_value(value: object) -> object:
    if not isinstance(value, str | int) or value == "":
        raise ValueError("text, a whole number, `true` or `false`")
    return value


Sha256 = Annotated[str, matching(_SHA256, "64 hex digits in lower case")]
Fingerprint = Annotated[
    str, matching(_FINGERPRINT, "40 hex digits in upper case, as `gpg --show-keys` prints them")
]
Url = Annotated[
    str, matching(_URL, "a URL that begins with http://, https:// or file://, without a login")
]
KeyPlace = Annotated[str, matching(_KEY, "a file, or a URL of one without a login")]
ArchivePlace = Annotated[
    str, matching(_PLACE, "a file below versions/, or a URL of one without a login or query")
]
PackageName = Annotated[str, matching(_PACKAGE, "a package name (Debian Policy 5.6.1)")]
Upstream = Annotated[
    str, matching(_UPSTREAM, "a quoted version, like '2.19.6', without `-` and `:`")
]
Need = Annotated[
    str, matching(_NEED, "a package, or one at its exact version: `libnccl-dev=2.27.3-1+cuda12.9`")
]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Suite = Annotated[str, matching(_SUITE, "a suite of the repository, like noble, or a folder/")]
Stream = Annotated[str, matching(_STREAM, "a module and its stream, like nvidia-driver:580-open")]
BiosAttribute = Annotated[
    str, matching(_ATTRIBUTE, "a BIOS attribute as its BMC names it, like ProcCStates")
]
# What Redfish allows as the value of an attribute (DMTF DSP0268, Bios).
BiosValue = Annotated[str | int | bool, BeforeValidator(_bios_value)]
# Device to its quoted firmware version, and BIOS attribute to its value.
FirmwareFile = dict[Key, Text]
BiosFile = dict[BiosAttribute, BiosValue]


class VersionsSection(Closed):
    """`versions:` of fabric.yml. What is not said here is neither wanted nor checked."""

    software: dict[Key, Text] = Field(
        default_factory=dict, description="component to its quoted version, on every node"
    )
    firmware: FirmwareFile = Field(
        default_factory=dict, description="device to its quoted firmware version"
    )
    bios: dict[Name, BiosFile] = Field(
        default_factory=dict, description="node profile to BIOS attributes and their values"
    )


class Published(Closed):
    """One version of a component that exists for an OS and an architecture."""

    component: Key = Field(description="a component of `components`")
    version: Text = Field(description="quoted upstream version")
    os: OsName = Field(description="the OS, like ubuntu-24.04")
    arch: Arch = Field(description="amd64 or arm64")
    file: Text | None = Field(default=None, description="where its file is published")
    sha256: Sha256 | None = Field(default=None, description="SHA-256 of that file")
    source: Text = Field(description="where this was read")


class SameVersion(Closed):
    """Two components that work at one version only."""

    component: Key = Field(description="a component of `components`")
    equals: Key = Field(description="the component whose version it must have")
    source: Text = Field(description="where this was read")


class Minimum(Closed):
    """A version that needs another component at some version or later."""

    component: Key = Field(description="a component of `components`")
    version: Text = Field(description="quoted upstream version")
    needs: Key = Field(description="the component that it needs")
    at_least: Text = Field(description="quoted oldest version of that component")
    source: Text = Field(description="where this was read")


class FirmwareSet(Closed):
    """Firmware that its maker tested together: of NICs, that which a release of DOCA brings."""

    doca_ofed: Text | None = Field(
        default=None, description="quoted release of DOCA; none where the host's drivers are free"
    )
    devices: FirmwareFile = Field(description="device to its quoted firmware version")
    source: Text = Field(description="where this was read")


class SwitchRelease(Closed):
    """A release of a switch OS that runs on an ASIC; None for a switch without one."""

    dialect: Key = Field(description="a switch system: `railbed dialects`")
    release: Text = Field(description="quoted release of the switch OS")
    asic: Key | None = Field(description="the ASIC, as the profiles of switches name it")
    source: Text = Field(description="where this was read")


class CompatFile(Closed):
    """`compat.yml`: only what was read in a public source; all else is unknown, an error."""

    components: dict[Key, Text] = Field(
        default_factory=dict, description="what a version can be wanted of"
    )
    published: list[Published] = Field(
        default_factory=list, description="component x OS x architecture"
    )
    same: list[SameVersion] = Field(default_factory=list, description="equal versions")
    minimum: list[Minimum] = Field(default_factory=list, description="oldest versions that work")
    firmware: list[FirmwareSet] = Field(
        default_factory=list, description="firmware, of NICs by release of DOCA"
    )
    switch_os: list[SwitchRelease] = Field(
        default_factory=list, description="switch OS x release x ASIC"
    )

    def with_rows(self, more: CompatFile) -> CompatFile:
        """These rows and those of a site."""
        return CompatFile(
            components={**self.components, **more.components},
            published=[*self.published, *more.published],
            same=[*self.same, *more.same],
            minimum=[*self.minimum, *more.minimum],
            firmware=[*self.firmware, *more.firmware],
            switch_os=[*self.switch_os, *more.switch_os],
        )


class Repository(Closed):
    """Where packages of one OS come from, and whose signature counts (apt-secure(8), dnf.conf(5)).

    With `suites` it is one for apt, without one for dnf.
    """

    os: OsName = Field(description="the OS whose nodes get them, like ubuntu-24.04")
    arch: list[Arch] = Field(
        default=["amd64", "arm64"], description="architectures that it has; both if not said"
    )
    url: Url = Field(description="its root, of the maker or of a mirror")
    suites: list[Suite] = Field(
        default_factory=list,
        description="its suites; one that ends in / is a flat repository's folder; none for dnf",
    )
    components: list[Name] = Field(
        default_factory=list, description="its components, like main; none of a flat one"
    )
    streams: list[Stream] = Field(
        default_factory=list, description="for dnf: module streams to take, like nvidia-driver:580"
    )
    signed: Literal["lists", "packages", "both"] | None = Field(
        default=None, description="for dnf: what its keys sign, `both` if not said"
    )
    keys: list[KeyPlace] = Field(
        min_length=1, description="files or URLs of its key, or of a .deb that holds it; "
        "the first that has all of `fingerprints` counts"
    )  # fmt: skip
    fingerprints: list[Fingerprint] = Field(
        min_length=1, description="the keys that may sign it, by quoted fingerprint; no other may"
    )
    source: Text = Field(description="where this was read")

    @model_validator(mode="after")
    def _components_as_suites_need(self) -> Repository:
        """sources.list(5): a suite has components, an exact path has none."""
        if not self.suites and self.components:
            raise ValueError("`suites` beside `components`")
        if self.suites and (self.streams or self.signed):
            raise ValueError("no `streams` and no `signed` beside `suites`, which are apt's")
        flat = [suite.endswith("/") for suite in self.suites]
        if any(flat) and (not all(flat) or self.components):
            raise ValueError("no components and folders alone, in a flat repository")
        if flat and not any(flat) and not self.components:
            raise ValueError("`components`, or suites that end in /")
        return self


class SourcesFile(Closed):
    """`sources.yml`: all that a lock is made of, on whatever controller."""

    repositories: list[Repository] = Field(description="each with the keys that may sign it")


class Build(Closed):
    """A package that no repository has: from a source of the site's choice, built once."""

    package: PackageName = Field(description="its name")
    component: Key = Field(description="the component of the lock that it is for, like nccl_tests")
    version: Upstream = Field(description="quoted version of the source")
    os: OsName = Field(description="the OS whose nodes get it, like ubuntu-24.04")
    archive: ArchivePlace = Field(description="its source, a tar file: a file or a URL")
    sha256: Sha256 = Field(description="SHA-256 of that file")
    licence: Text = Field(description="what the source is under, by its SPDX name")
    licence_file: Text = Field(description="the file of the source that says so")
    needs: list[Need] = Field(
        min_length=1, description="packages that it is built with, beside a compiler and make"
    )
    depends: list[PackageName] = Field(
        default_factory=list, description="packages that it runs with, beside its libraries'"
    )
    run: list[Line] = Field(
        min_length=1, description="lines for sh in the source's folder; what they leave below "
        "$DESTDIR is the package"
    )  # fmt: skip


class BuildsFile(Closed):
    """`builds.yml` of a site: what `packages build` makes."""

    builds: list[Build] = Field(description="each from one source")
