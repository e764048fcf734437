//! Which events are on the disk itself before they are acknowledged.

use ringfence_seal::kind::{EventKind, Weight};

/// When to wait for the disk. Every event survives the death of the writer; this is about the machine's power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncPolicy {
    /// For denials, approvals, grants and aborts, and with them for everything before them.
    #[default]
    Denials,
    /// For every event and the end.
    Always,
    /// For none: the kernel writes when it sees fit.
    Never,
}

impl SyncPolicy {
    /// Whether an event of a kind waits for the disk.
    pub fn covers(self, kind: EventKind) -> bool {
        match self {
            Self::Denials => kind.weight() != Weight::Ordinary,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_or_decided_waits_for_the_disk() {
        let waiting = |policy: SyncPolicy| EventKind::ALL.iter().filter(|k| policy.covers(**k)).count();
        assert_eq!((waiting(SyncPolicy::Never), waiting(SyncPolicy::Always)), (0, EventKind::ALL.len()));
        for kind in [EventKind::NetDenied, EventKind::ApprovalDecided, EventKind::GrantMade, EventKind::RunAborted] {
            assert!(SyncPolicy::default().covers(kind), "{kind}");
        }
        for kind in [EventKind::RunStarted, EventKind::NetAllowed, EventKind::ToolCalled] {
            assert!(!SyncPolicy::default().covers(kind), "{kind}");
        }
    }
}
