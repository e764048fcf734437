//! Which Landlock this kernel has.

use landlock::ABI;

/// What Landlock can do here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Support {
    /// The newest interface that both sides know.
    pub(crate) abi: ABI,
    /// Whether signals and abstract sockets can be kept inside.
    pub(crate) scopes: bool,
}

/// Asks the kernel; nothing when it has no Landlock.
pub(crate) fn support() -> Option<Support> {
    let abi = match crate::sys::landlock_version() {
        0 => return None,
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        6 => ABI::V6,
        7 => ABI::V7,
        8 => ABI::V8,
        _ => ABI::V9,
    };
    Some(Support { abi, scopes: abi >= ABI::V6 })
}
