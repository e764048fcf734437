//! Which domains links may lead to.
//!
//! A registrable domain (`example.com`, `example.co.uk`) covers itself and all names below it; a longer name covers
//! itself; `*.name` covers what is below the name and not the name; `*` covers every name and no address. Names are
//! compared label by label: neither `example.com.evil.net` nor `evil-example.com` is `example.com`.

use std::collections::BTreeSet;

use super::host::{self, Kind};

/// The domains whose links are no hits. Empty: no link is a hit for where it leads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlAllowlist {
    exact: BTreeSet<Box<str>>,
    below: BTreeSet<Box<str>>,
    any_name: bool,
}

impl UrlAllowlist {
    /// Reads entries: `example.com`, `*.example.com`, `*`, or an address. Case and a trailing dot do not matter.
    #[must_use]
    pub fn new<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Self {
        let mut list = Self::default();
        for entry in entries {
            let entry = entry.as_ref().trim().trim_end_matches('.').to_lowercase();
            match entry.strip_prefix("*.") {
                Some(name) => drop(list.below.insert(name.into())),
                None if entry == "*" => list.any_name = true,
                None if entry.is_empty() => {}
                None => {
                    if psl::domain_str(&entry) == Some(&*entry)
                        && matches!(host::kind(&entry), Kind::Name | Kind::LookAlike)
                    {
                        list.below.insert(entry.as_str().into());
                    }
                    list.exact.insert(entry.into());
                }
            }
        }
        list
    }

    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.below.is_empty() && !self.any_name
    }

    /// Whether a host, in lower case and without a port, is on the list.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        if self.exact.contains(host) {
            return true;
        }
        if !matches!(host::kind(host), Kind::Name | Kind::LookAlike) {
            return false;
        }
        let parents = host.match_indices('.').filter_map(|(i, _)| host.get(i + 1..));
        self.any_name || parents.into_iter().any(|parent| self.below.contains(parent))
    }
}

#[cfg(test)]
mod tests {
    use super::UrlAllowlist;

    #[test]
    fn names_are_compared_by_label() {
        let list = UrlAllowlist::new(["Example.com", "*.example.org", "docs.example.net", "93.184.216.34"]);
        for yes in [
            "example.com",
            "www.example.com",
            "a.b.example.com",
            "x.example.org",
            "docs.example.net",
            "example.com.",
            "93.184.216.34",
        ] {
            assert!(list.covers(yes), "{yes}");
        }
        for no in [
            "example.com.evil.net",
            "evil-example.com",
            "example.org",
            "www.example.net",
            "a.docs.example.net",
            "com",
            "",
            "93.184.216.35",
            "examplexcom",
        ] {
            assert!(!list.covers(no), "{no}");
        }
    }

    #[test]
    fn a_star_covers_names_and_no_address() {
        let list = UrlAllowlist::new(["*"]);
        assert!(list.covers("anything.test"));
        assert!(!list.covers("8.8.8.8"));
        assert!(!list.is_empty());
        assert!(UrlAllowlist::new([""]).is_empty());
    }

    #[test]
    fn a_public_suffix_covers_nothing_below() {
        let list = UrlAllowlist::new(["co.uk", "github.io"]);
        assert!(!list.covers("evil.co.uk"));
        assert!(!list.covers("evil.github.io"));
    }
}
