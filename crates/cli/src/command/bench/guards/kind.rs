//! What kind of attack a category is, and what form its text has.
//!
//! *Explicit*: the text carries an instruction with a tell (override, directive, role-flip, forged template, extraction,
//! persuasion). *Implicit*: it reads as a plausible step of honest work, or is not words at all, and only what it asks
//! for is wrong. A category is explicit unless it is listed here, so that nothing hard is put aside by default.

use crate::command::train::corpus::Item;

/// The implicit categories, without `direct-` or `indirect-`: setup steps in issues, READMEs and code comments; call
/// lists without words; tool definitions that change; requests of a ticket to run another tool.
pub(super) const IMPLICIT: [&str; 8] = [
    "code_execution",
    "cross-tool-exfiltration",
    "exfiltration",
    "false-error-escalation",
    "mid-session-tool-injection",
    "multi-tool-split-poisoning",
    "persistence",
    "tool-transfer",
];

/// Whether an attack carries an instruction with a tell.
pub(super) fn kind(item: &Item) -> &'static str {
    let category = item.category.as_str();
    let bare = category.strip_prefix("indirect-").or_else(|| category.strip_prefix("direct-")).unwrap_or(category);
    if IMPLICIT.contains(&bare) { "implicit" } else { "explicit" }
}

/// Plain, in a carrier, or encoded.
pub(super) fn form(item: &Item) -> &str {
    match item.form.as_str() {
        "" => "unstated",
        form => form,
    }
}

/// Whether the attack stands as its source wrote it.
pub(super) fn is_plain(item: &Item) -> bool {
    !matches!(item.form.as_str(), "embedded" | "obfuscated")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_guard::train::Label;

    #[test]
    fn only_what_is_listed_is_implicit() {
        let of = |category: &str| {
            let text = String::new;
            kind(&Item {
                source: text(),
                id: text(),
                label: Label::Inject,
                category: category.into(),
                form: text(),
                text: text(),
            })
        };
        assert_eq!(of("indirect-exfiltration"), "implicit");
        assert_eq!(of("indirect-email-data_exfiltration"), "explicit");
        assert_eq!(of("direct-social_engineering"), "explicit");
        assert_eq!(of("something new"), "explicit");
    }
}
