"""Rules for the NICs' drivers and firmware: what a role could not do, or would do twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.load import profile_names as named
from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.problems import Problem, close_to, one_of
from inventory.schema import NodeProfile
from inventory.software.compat import WHERE

# What mlxconfig prints for LINK_TYPE_P1: IB(1), ETH(2) (MFT user manual).
_ETHERNET = frozenset({"2", "ETH"})


def firmware_needs_pci_addresses(fabric: Fabric) -> Iterator[Problem]:
    """Tools of firmware know a NIC by its PCI address; names follow the driver that runs."""
    for path, name, profile in _profiles(fabric):
        said = profile.nics
        if not said.settings and said.firmware == "report" and said.model is None:
            continue
        for nic in profile.rails:
            if nic.pci is None:
                found = (
                    f"`{name}`, whose firmware is looked after and whose {nic.port} has no `pci`"
                )
                hint = "`railbed profile FOLDER` reads it from a golden node"
                yield fabric.problem(path, found, "a PCI address for each rail NIC", hint)


def models_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A misspelled model would have no wanted firmware, and nobody would notice."""
    known = sorted({device for row in fabric.versions.compat.firmware for device in row.devices})
    for path, name, profile in _profiles(fabric):
        model = profile.nics.model
        if model is not None and model not in known:
            found = f"`{name}`, whose NICs are `{model}`"
            expected = f"a device whose firmware is known: {one_of(known)}"
            yield fabric.problem(path, found, expected, close_to(model, known) or WHERE)


def burning_needs_a_version(fabric: Fabric) -> Iterator[Problem]:
    """What is burned is chosen by people: never whatever a package brings."""
    wanted = fabric.intent.versions.firmware
    for path, name, profile in _profiles(fabric):
        said = profile.nics
        if said.firmware == "burn" and (said.model is None or said.model not in wanted):
            found = f"`{name}`, which burns firmware, of {said.model or 'no model'} at no version"
            expected = "`nics.model` and its version in `versions.firmware`"
            yield fabric.problem(path, found, expected)


def reloads_are_docas(fabric: Fabric) -> Iterator[Problem]:
    """Only DOCA's openibd unloads and loads all NIC drivers in the order that they need."""
    for path, name, profile in _profiles(fabric):
        if profile.nics.reload == "now" and profile.nics.stack == "inbox":
            found = f"`{name}`, which loads the distribution's drivers again at once"
            yield fabric.problem(path, found, "`reload: reboot`, or `stack: doca`")


def settings_agree_with_the_lossless_class(fabric: Fabric) -> Iterator[Problem]:
    """A number that is typed twice drifts: what the class says holds for NICs too."""
    said = fabric.intent.lossless
    wanted = {"CNP_DSCP": str(said.cnp.dscp), "CNP_802P_PRIO": str(said.cnp.priority)}
    for path, name, profile in _profiles(fabric):
        for key, value in sorted(profile.nics.settings.items()):
            word = key.rpartition("_P")[0]
            if word in wanted and str(value) != wanted[word]:
                found = f"`{name}`, whose NICs have {key} {value}"
                yield fabric.problem(path, found, f"{wanted[word]}, as `lossless.cnp` says")
            if word == "LINK_TYPE" and str(value) not in _ETHERNET:
                found = f"`{name}`, whose NICs have {key} {value}"
                expected = "ETH or 2: RoCE is Ethernet"
                yield fabric.problem(path, found, expected)


def _profiles(fabric: Fabric) -> Iterator[tuple[Path, str, NodeProfile]]:
    for path, name in named.node_profiles(fabric.intent):
        yield path, name, fabric.node_profiles[name]


NIC_STACK_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    firmware_needs_pci_addresses,
    models_are_known,
    burning_needs_a_version,
    reloads_are_docas,
    settings_agree_with_the_lossless_class,
)
