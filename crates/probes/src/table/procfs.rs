//! The levers of the machine below `/proc` and `/sys`. What is written is what already stood there.

use super::own;
use crate::attempt::{opens, opens_for_writing, reads_any, writes_the_same};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::{ONLY_A, Probe};
use std::fs;
use std::io::Write;

const READS: (&str, crate::probe::Act) = ("read a setting of the kernel", |_| reads_any("/proc/sys/kernel/ostype"));
const INFO: (&str, crate::probe::Act) = ("read the list of processors", |_| reads_any("/proc/cpuinfo"));

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "core-pattern",
        "write the program that the kernel starts on a crash",
        |_| writes_the_same("/proc/sys/kernel/core_pattern"),
        READS,
    )
    .as_root()
    .lesson("user namespaces do not help: the check is for the global uid"),
    Probe::new(
        "modprobe-path",
        "write the program that the kernel starts for modules",
        |_| writes_the_same("/proc/sys/kernel/modprobe"),
        READS,
    )
    .as_root(),
    Probe::new("hostname-by-proc", "write the host's name", |_| writes_the_same("/proc/sys/kernel/hostname"), READS)
        .as_root(),
    Probe::new(
        "overcommit-by-proc",
        "write how memory is promised",
        |_| writes_the_same("/proc/sys/vm/overcommit_memory"),
        READS,
    )
    .as_root(),
    Probe::new(
        "forwarding-by-proc",
        "write whether packets are forwarded",
        |_| writes_the_same("/proc/sys/net/ipv4/ip_forward"),
        READS,
    )
    .as_root(),
    Probe::new(
        "randomisation-by-proc",
        "write whether addresses are random",
        |_| writes_the_same("/proc/sys/kernel/randomize_va_space"),
        READS,
    )
    .as_root(),
    Probe::new(
        "sysrq-trigger",
        "open the kernel's emergency lever",
        |_| opens_for_writing("/proc/sysrq-trigger"),
        READS,
    )
    .as_root(),
    Probe::new(
        "drop-caches",
        "open the lever that empties the caches",
        |_| opens_for_writing("/proc/sys/vm/drop_caches"),
        READS,
    )
    .as_root(),
    Probe::new(
        "binfmt-register",
        "open the register of program formats",
        |_| opens_for_writing("/proc/sys/fs/binfmt_misc/register"),
        READS,
    )
    .as_root()
    .unproven("the register is mounted on few machines"),
    Probe::new(
        "irq-affinity",
        "open the lever for interrupts",
        |_| opens_for_writing("/proc/irq/default_smp_affinity"),
        INFO,
    )
    .as_root(),
    Probe::new("kcore", "open the kernel's memory", |_| opens("/proc/kcore"), INFO).as_root(),
    Probe::new("kernel-log", "read the kernel's log by /proc", |_| opens("/proc/kmsg"), INFO).as_root(),
    Probe::new("kernel-keys", "read the list of keys", |_| reads_any("/proc/keys"), INFO)
        .tiers(ONLY_A, "the list names only keys that the reader may view"),
    Probe::new("kernel-timers", "read the kernel's timers", |_| opens("/proc/timer_list"), INFO).as_root(),
    Probe::new(
        "kernel-symbols",
        "read where the kernel is in memory",
        |_| {
            let lines = crate::attempt::read("/proc/kallsyms").unwrap_or_default();
            let shown = lines.split(|b| *b == b'\n').any(|l| l.len() > 16 && !l.starts_with(b"0000000000000000"));
            Outcome::when(shown, "addresses are shown", "no address is shown")
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "sysfs-write",
        "write a setting of the kernel by /sys",
        |_| {
            let files = [
                "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
                "/sys/kernel/profiling",
                "/sys/kernel/rcu_expedited",
                "/sys/kernel/mm/ksm/run",
            ];
            any(files.iter().map(opens_for_writing))
        },
        READS,
    )
    .as_root(),
    Probe::new(
        "uevent-helper",
        "write the program that the kernel starts for devices",
        |_| any(["/sys/kernel/uevent_helper", "/proc/sys/kernel/hotplug"].iter().map(writes_the_same)),
        READS,
    )
    .as_root()
    .unproven("newer kernels have no such program"),
    Probe::new(
        "debugfs",
        "list what debuggers see",
        |_| {
            any(["/sys/kernel/debug", "/sys/kernel/tracing"].iter().map(|p| {
                Outcome::when(fs::read_dir(p).is_ok_and(|mut d| d.next().is_some()), "listed", "nothing listed")
            }))
        },
        INFO,
    )
    .as_root()
    .unproven("it is mounted on few machines"),
    Probe::new(
        "cgroup-move",
        "move oneself into a cgroup of the host",
        |c| {
            any(c.cgroups.iter().map(|file| {
                let written = fs::OpenOptions::new().write(true).open(file).and_then(|mut f| f.write_all(b"0"));
                Outcome::of(written, "moved")
            }))
        },
        ("read one's own cgroup", |_| reads_any("/proc/self/cgroup")),
    )
    .as_root(),
    Probe::new(
        "cgroup-make",
        "make a cgroup beside the host's",
        |c| {
            any(c.cgroups.iter().filter_map(|file| file.parent()).map(|folder| {
                let made = folder.join("ringfence-probe");
                Outcome::of(fs::create_dir(&made), "made").then(|| drop(fs::remove_dir(&made)))
            }))
        },
        own::WRITE,
    )
    .as_root(),
    Probe::new(
        "cgroup-release-agent",
        "open the program that the kernel starts for empty cgroups",
        |c: &Context| {
            any(c.cgroups.iter().filter_map(|f| f.parent()).map(|f| opens_for_writing(f.join("release_agent"))))
        },
        own::WRITE,
    )
    .as_root(),
];

fn any(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let mut last = Outcome::Refused("there is none".to_owned());
    for outcome in outcomes {
        if outcome.worked() {
            return outcome;
        }
        last = outcome;
    }
    last
}
