//! Why a tier is missing on this machine, from what the machine itself says, and what to do about it.
//!
//! Nothing here advises to switch a protection of the system off: a right is given to one program, or the next tier is
//! used.

use ringfence_policy::scale::Tier;
use std::path::Path;

fn setting(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|t| t.trim().to_owned())
}

/// What to do where a tier is not to be had.
pub(crate) fn fix(tier: Tier, reason: &str, program: &Path) -> String {
    if reason.contains("Landlock") || reason.contains("landlock") {
        return landlock();
    }
    if tier != Tier::A && reason.contains("namespaces") {
        return "the sandbox around this one does not even let processes be started as a box needs it (`clone3`): run \
                Ringfence outside it"
            .into();
    }
    match tier {
        Tier::A => namespaces(program),
        Tier::B => in_container("`--cap-add SYS_PTRACE` lets the supervisor act for the run's processes").unwrap_or_else(|| {
            "the supervisor may not look at its own processes here; a run uses tier C, which has no allowlist of names".into()
        }),
        Tier::C => landlock(),
    }
}

/// What to do where the supervisor cannot connect for the run, or not for every program.
pub(super) fn supervised(reason: &str) -> Option<String> {
    if reason.contains("not permitted") {
        return Some(fix(Tier::B, reason, Path::new("")));
    }
    let names = "names are answered over TCP in this tier: a program that asks over UDP only needs tier A, or the option \
                 `use-vc` of its resolver";
    reason.contains("lookup").then(|| names.to_owned())
}

fn landlock() -> String {
    match setting("/sys/kernel/security/lsm") {
        Some(list) if !list.split(',').any(|l| l == "landlock") => {
            format!("add `landlock` to the kernel's start parameter `lsm=` (it is `{list}` now) and start again")
        }
        _ => "use a kernel with Landlock: 5.13 or newer, built with CONFIG_SECURITY_LANDLOCK".into(),
    }
}

fn namespaces(program: &Path) -> String {
    if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
        return format!(
            "AppArmor lets only named programs have user namespaces: name this one. Write to `/etc/apparmor.d/ringfence`:\n\n{}\n\n\
             then load it with `sudo apparmor_parser -r /etc/apparmor.d/ringfence`; or use tier B",
            apparmor_profile(program)
        );
    }
    let none = |path| setting(path).as_deref() == Some("0");
    if none("/proc/sys/user/max_user_namespaces") {
        return "this machine allows no user namespaces (`user.max_user_namespaces` is 0); whoever runs it decides on \
                that, and until then a run uses tier B or C"
            .into();
    }
    if none("/proc/sys/kernel/unprivileged_userns_clone") {
        return "this machine keeps user namespaces for root (`kernel.unprivileged_userns_clone` is 0); whoever runs it \
                decides on that, and until then a run uses tier B or C"
            .into();
    }
    let flags = "its seccomp profile must let this program make namespaces and mounts (`--security-opt seccomp=PROFILE` \
                 with clone, unshare, mount and pivot_root added, and an unmasked /proc)";
    in_container(flags).unwrap_or_else(|| {
        "something here forbids namespaces: a security module, or a sandbox around this one; a run uses tier B or C"
            .into()
    })
}

fn in_container(flags: &str) -> Option<String> {
    let marks = ["/.dockerenv", "/run/.containerenv"].iter().any(|p| Path::new(p).exists());
    let named = std::env::var_os("container").is_some();
    let filtered = setting("/proc/self/status").is_some_and(|s| s.lines().any(|l| l == "Seccomp:\t2"));
    (marks || named || filtered)
        .then(|| format!("this is a container or a sandbox: {flags}; or use the next tier, which needs less"))
}

/// A profile that gives one program the right to user namespaces, and changes nothing else.
pub(super) fn apparmor_profile(program: &Path) -> String {
    format!(
        "abi <abi/4.0>,\ninclude <tunables/global>\n\nprofile ringfence {} flags=(unconfined) {{\n  userns,\n\n  \
         include if exists <local/ringfence>\n}}",
        quoted(program)
    )
}

/// A path as AppArmor reads it: quoted, with what it would take for a pattern escaped.
fn quoted(program: &Path) -> String {
    let mut out = String::from("\"");
    for c in program.to_string_lossy().chars() {
        if matches!(c, '\\' | '"' | '*' | '?' | '[' | ']' | '{' | '}' | '^' | ',' | '@') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// What newer kernels would add to this one's Landlock.
pub(super) fn landlock_next(version: i32) -> Option<String> {
    const ADDED: &[(i32, &str)] = &[
        (2, "moving files between folders"),
        (3, "truncation"),
        (4, "TCP ports"),
        (5, "device ioctls"),
        (6, "signals and abstract sockets kept inside"),
        (7, "denials in the audit log"),
        (8, "all threads at once"),
        (9, "sockets in the file system"),
        (10, "UDP"),
    ];
    let more: Vec<&str> = ADDED.iter().filter(|(v, _)| *v > version).map(|(_, what)| *what).collect();
    (!more.is_empty()).then(|| more.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_names_one_program_and_no_pattern() {
        let profile = apparmor_profile(Path::new("/opt/a b/{x}*\"/ringfence"));
        assert!(
            profile.contains("profile ringfence \"/opt/a b/\\{x\\}\\*\\\"/ringfence\" flags=(unconfined) {"),
            "{profile}"
        );
        assert!(profile.contains("\n  userns,\n"));
    }

    #[test]
    fn only_what_is_missing_is_told() {
        assert_eq!(landlock_next(10), None);
        assert_eq!(landlock_next(9).as_deref(), Some("UDP"));
        assert!(landlock_next(1).is_some_and(|t| t.starts_with("moving files")));
    }
}
