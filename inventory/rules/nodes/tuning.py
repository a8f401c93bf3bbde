"""Rules over what a profile asks of its kernel: wishes that contradict each other or the OS.

What is wrong here would be found at the next boot at best, and on every node of the profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from inventory.nodes.kernel_arguments import OWNED_BY, arguments
from inventory.nodes.tuning import tuning
from inventory.schema import NodeProfile
from inventory.software.kernels import AMD_PSTATE, PAGES_BY_NODE, is_at_least, named
from inventory.software.systems import SYSTEMS

Finding = tuple[str, str, str]
Rule = Callable[[str, NodeProfile], Iterator[Finding]]

# Parameters that say at run time what an option says.
_SYSCTLS = {
    "hugepages": ("vm.nr_hugepages", "vm.nr_hugepages_mempolicy"),
    "numa_balancing": ("kernel.numa_balancing",),
}
_OTHERS = {"intel": "amd", "amd": "intel"}
# Firmware settings of a NIC that give it virtual functions (mlxconfig of MFT).
_VIRTUAL = ("NUM_OF_VFS", "SRIOV_EN")
_NONE = frozenset({"0", "false", "FALSE", "False"})


def boot_ways_belong_to_the_os(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """An argument that is staged where this OS does not look would never run."""
    system = SYSTEMS.get(profile.os)
    if system and profile.tuning.boot not in system.boot:
        found = f"`{name}`, with tuning.boot `{profile.tuning.boot}` on {profile.os}"
        yield found, " or ".join(f"`{one}`" for one in system.boot), ""


def nothing_is_said_twice(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Of an option and an argument or parameter of the same meaning, one would lose silently."""
    asked = profile.tuning
    written = [_key(one) for one in asked.kernel_arguments]
    for option in _given(profile):
        for key in sorted(OWNED_BY.get(option, frozenset()) & set(written)):
            found = f"`{name}`, with tuning.{option} and `{key}` in tuning.kernel_arguments"
            yield found, "one of them", f"tuning.{option} writes the argument"
        for key in _SYSCTLS.get(option, ()):
            if key in asked.sysctls:
                found = f"`{name}`, with tuning.{option} and `{key}` in tuning.sysctls"
                yield found, "one of them", f"tuning.{option} also holds at run time"
    words = Counter(asked.kernel_arguments)
    for word in sorted(word for word, count in words.items() if count > 1):
        yield f"`{name}`, with the kernel argument {word} twice", "each argument once", ""


def _given(profile: NodeProfile) -> Iterator[str]:
    """Every option of `OWNED_BY` that the profile gives."""
    asked = profile.tuning
    for option in sorted(OWNED_BY):
        section, _, key = option.rpartition(".")
        value = getattr(asked.cpu if section else asked, key)
        if value is not None and value != []:
            yield option


def _key(argument: str) -> str:
    return argument.partition("=")[0]


def arguments_fit_the_cpu(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """The arguments of one maker's driver do nothing on the other's CPUs."""
    cpu, words = profile.tuning.cpu, profile.tuning.kernel_arguments
    if profile.arch != "amd64":
        if cpu.vendor:
            found = f"`{name}`, with tuning.cpu.vendor {cpu.vendor} on {profile.arch}"
            yield found, "no vendor", ""
    elif cpu.vendor:
        for word in words:
            if word.startswith(f"{_OTHERS[cpu.vendor]}_"):
                found = f"`{name}`, with the kernel argument {word} on CPUs of {cpu.vendor}"
                yield found, f"an argument that {cpu.vendor} CPUs know", ""
    needs = {
        "iommu": profile.tuning.iommu,
        "cpu.pstate": cpu.pstate,
        "cpu.max_cstate": cpu.max_cstate,
    }
    for option, value in needs.items():
        if value is not None and cpu.vendor is None:
            found = f"`{name}`, with tuning.{option} and no tuning.cpu.vendor"
            hint = "on arm64 write the argument itself, like iommu.passthrough=1"
            yield found, "`vendor: intel` or `vendor: amd`", hint


def frequency_drivers_can_do_it(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Drivers that set the frequency themselves have two governors, and refuse half a wish.

    intel_pstate.rst, active mode; amd-pstate.rst. With the governor `performance` both refuse
    every other preference (EBUSY).
    """
    cpu = profile.tuning.cpu
    mode = f"tuning.cpu.pstate {cpu.pstate}"
    if cpu.vendor == "intel" and cpu.pstate == "guided":
        yield f"`{name}`, with {mode} on intel", "active, passive or disable", ""
    system = SYSTEMS.get(profile.os)
    if cpu.vendor == "amd" and cpu.pstate and system and system.family == "deb":
        since = AMD_PSTATE[cpu.pstate]
        if not is_at_least(profile.os, since):
            found = f"`{name}`, with {mode} on {named(profile.os)}"
            hint = "with a later kernel write amd_pstate= in tuning.kernel_arguments"
            yield found, f"a mode of its kernel: {cpu.pstate} came with {since[0]}.{since[1]}", hint
    if cpu.pstate == "active" and cpu.governor not in (None, "performance", "powersave"):
        found = f"`{name}`, with {mode} and the governor {cpu.governor}"
        yield found, "performance or powersave", "this mode has no other governor"
    if cpu.energy_preference:
        yield from _preference(name, profile)


def _preference(name: str, profile: NodeProfile) -> Iterator[Finding]:
    cpu = profile.tuning.cpu
    said = f"tuning.cpu.energy_preference {cpu.energy_preference}"
    has_none = cpu.pstate == "disable" or (
        cpu.vendor == "amd" and cpu.pstate in ("passive", "guided")
    )
    if has_none:
        found = f"`{name}`, with {said} and pstate {cpu.pstate}"
        yield found, "no preference", "the CPU has one where it sets its frequency itself"
    elif cpu.governor == "performance" and cpu.energy_preference != "performance":
        yield (
            f"`{name}`, with {said} and the governor performance",
            "performance, or the governor powersave",
            "the driver refuses it",
        )


def pages_are_counted_once(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A size that comes twice, or a count that is said in two ways, has two meanings."""
    for pages in profile.tuning.hugepages:
        if (pages.count is None) == (pages.per_numa is None):
            found = f"`{name}`, with huge pages of {pages.size_kib} KiB"
            both = "neither `count` nor `per_numa`" if pages.count is None else "both"
            yield f"{found} and {both}", "`count`, or `per_numa`", ""
        elif pages.per_numa is not None and not sum(pages.per_numa):
            found = f"`{name}`, with huge pages of {pages.size_kib} KiB on no NUMA node"
            yield found, "a NUMA node with pages", ""
    sizes = Counter(huge.size_kib for huge in profile.tuning.hugepages)
    for size in sorted(size for size, count in sizes.items() if count > 1):
        yield f"`{name}`, with huge pages of {size} KiB twice", "each size once", ""


def kernels_know_pages_by_node(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """An older kernel ignores the whole count, and boots without a page."""
    by_node = [huge for huge in profile.tuning.hugepages if huge.per_numa and huge.at == "boot"]
    if by_node and not is_at_least(profile.os, PAGES_BY_NODE):
        found = f"`{name}`, with huge pages per NUMA node at boot on {named(profile.os)}"
        yield found, "a kernel of 5.16 or later", "`at: runtime`, or `count`"


def boot_loader_entries_hold_a_key_once(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Grubby replaces the value of a key that is there (grubby(8), --args).

    So of `hugepagesz=1G hugepages=8 hugepagesz=2M hugepages=64` one pair would be left.
    """
    if profile.tuning.boot == "bls":
        keys = Counter(_key(one) for one in arguments(tuning(profile.tuning)))
        for key in sorted(key for key, count in keys.items() if count > 1):
            found = f"`{name}`, with `{key}` more than once and tuning.boot `bls`"
            hint = "huge pages of a second size: `at: runtime`" if "hugepage" in key else ""
            yield found, "each key once: grubby keeps one of them", hint


def virtual_functions_have_an_iommu(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A virtual function is given to a virtual machine through the IOMMU, and only so."""
    wished = [one for one in _VIRTUAL if str(profile.nics.settings.get(one, "0")) not in _NONE]
    if wished and profile.tuning.iommu == "disabled":
        found = f"`{name}`, with tuning.iommu disabled and {wished[0]} in nics.settings"
        yield found, "iommu `passthrough` or `translated`", ""


def isolated_cpus_leave_some(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """The system itself needs a CPU: the first, which keeps the time (kernel-parameters.txt)."""
    cpu = profile.tuning.cpu
    if cpu.tickless and cpu.isolated is None:
        yield f"`{name}`, with tuning.cpu.tickless and no `isolated`", "CPUs to take it off", ""
    if cpu.isolated is None:
        return
    said = f"tuning.cpu.isolated {cpu.isolated}"
    if cpu.count is None:
        yield f"`{name}`, with {said} and no `count`", "how many CPUs the server has", ""
        return
    ranges = list(_ranges(cpu.isolated))
    if any(first > last for first, last in ranges):
        yield f"`{name}`, with {said}", "ranges that go up", ""
        return
    if max(last for _, last in ranges) >= cpu.count:
        yield f"`{name}`, with {said}", f"CPUs from 0 to {cpu.count - 1}", ""
    elif {one for first, last in ranges for one in range(first, last + 1)} >= {*range(cpu.count)}:
        yield f"`{name}`, with {said}", "a CPU left for the system", ""
    elif any(first == 0 for first, _ in ranges):
        yield f"`{name}`, with {said}", "CPUs from 1 on", "CPU 0 keeps the time and cannot be idle"


def _ranges(cpus: str) -> Iterator[tuple[int, int]]:
    for part in cpus.split(","):
        first, _, last = part.partition("-")
        yield int(first), int(last or first)


TUNING_RULES: tuple[Rule, ...] = (
    boot_ways_belong_to_the_os,
    nothing_is_said_twice,
    arguments_fit_the_cpu,
    frequency_drivers_can_do_it,
    pages_are_counted_once,
    kernels_know_pages_by_node,
    boot_loader_entries_hold_a_key_once,
    virtual_functions_have_an_iommu,
    isolated_cpus_leave_some,
)
