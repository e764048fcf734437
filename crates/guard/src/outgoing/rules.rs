//! The rules of outgoing verification.

use crate::finding::Severity;
use crate::rule::{Family, Rule};

/// A path that climbs out of what was granted.
pub(super) static TRAVERSAL: Rule = Rule {
    id: "traversal.climbs-out",
    family: Family::Traversal,
    severity: Severity::Error,
    title: "a path climbs out of the granted roots",
    help: "use a path inside a granted root, without `..`",
};
/// A path that is plainly elsewhere.
pub(super) static OUTSIDE: Rule = Rule {
    id: "traversal.outside",
    family: Family::Traversal,
    severity: Severity::Error,
    title: "a path is outside the granted roots",
    help: "grant the root in the policy, or use a path inside one",
};
/// A host that the policy does not name.
pub(super) static OFF_POLICY: Rule = Rule {
    id: "url.off-policy",
    family: Family::Url,
    severity: Severity::Error,
    title: "an address leads to a host that is off policy",
    help: "allow the host in the policy, or leave the address out",
};
/// A secret on its way out.
pub(super) static SECRET: Rule = Rule {
    id: "secret.outgoing",
    family: Family::Secret,
    severity: Severity::Critical,
    title: "an argument holds a secret",
    help: "pass secrets by reference, never in a call",
};
/// Data in a coat.
pub(super) static ENCODED: Rule = Rule {
    id: "exfiltration.encoded-run",
    family: Family::Exfiltration,
    severity: Severity::Warn,
    title: "an argument holds a long encoded run",
    help: "check what it decodes to before the call is made",
};
/// Words of an untrusted block.
pub(super) static COPIED: Rule = Rule {
    id: "exfiltration.copied",
    family: Family::Exfiltration,
    severity: Severity::Warn,
    title: "an argument repeats text of an untrusted block",
    help: "check that the user asked for it, not the block",
};
/// The canary or the token of the marks.
pub(super) static LEAKED: Rule = Rule {
    id: "extraction.leaked",
    family: Family::Extraction,
    severity: Severity::Critical,
    title: "an argument holds a part of the instructions",
    help: "stop the call; the instructions have been read out",
};
/// More than is looked at.
pub(super) static TOO_LARGE: Rule = Rule {
    id: "exfiltration.too-large",
    family: Family::Exfiltration,
    severity: Severity::Error,
    title: "the arguments are larger than can be verified",
    help: "make several smaller calls",
};
