//! `/etc` inside: chosen files and folders, never the whole. What a host keeps there beside them (keys of services,
//! network passwords) does not exist for a run, not even for root.

/// Files that are copied; small, and harmless in any program's hands.
pub(crate) const FILES: &[&str] = &[
    "passwd",
    "group",
    "nsswitch.conf",
    "ld.so.cache",
    "services",
    "protocols",
    "profile",
    "bash.bashrc",
    "gitconfig",
    "npmrc",
    "pip.conf",
    "localtime",
    "os-release",
];

/// Folders that are shown as they are.
pub(crate) const FOLDERS: &[&str] =
    &["alternatives", "ssl", "pki", "fonts", "crypto-policies", "java-17-openjdk", "java-21-openjdk"];

/// The most bytes of a file that are copied.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// Names inside. The host's own names are nobody's business.
pub(crate) const HOSTS: &str = "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n";

/// Where names are asked for: the supervisor's own answers.
pub(crate) const RESOLV_CONF: &str = "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n";

/// Without a network nobody answers.
pub(crate) const NO_RESOLVER: &str = "# no network in this sandbox\n";
