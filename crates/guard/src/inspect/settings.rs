//! What a policy says about the guards, as plain values: the mirror of a slice's `guards`, which this crate does not
//! know.

use crate::finding::Severity;
use crate::spotlight::Mode;

/// The settings of all three guards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The scanner.
    pub scanner: ScannerSettings,
    /// The quarantine.
    pub quarantine: QuarantineSettings,
    /// The marks.
    pub spotlighting: SpotlightSettings,
}

/// The scanner's settings; on and blocking errors where nobody says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannerSettings {
    /// On or off.
    pub enabled: bool,
    /// From which severity it blocks.
    pub severity_block: Severity,
    /// Domains whose links are not suspicious; where it is empty, no link is for where it leads.
    pub url_allowlist: Vec<String>,
}

/// The quarantine's settings; off where nobody says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantineSettings {
    /// On or off.
    pub enabled: bool,
    /// Also for what the scanner would block: a summary is then shown where a notice would be.
    pub on_unsafe: bool,
    /// From how many characters.
    pub threshold_chars: u64,
    /// Who may summarise.
    pub class: Class,
}

/// Who may summarise, from nobody to the most able.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// No model: the built-in extract.
    Extractive,
    /// A small model.
    Small,
    /// A middling model.
    Medium,
    /// A large model.
    Large,
}

/// The marks' settings; on, between delimiters, where nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpotlightSettings {
    /// On or off.
    pub enabled: bool,
    /// How text is marked.
    pub mode: Mode,
}

impl Default for ScannerSettings {
    fn default() -> Self {
        Self { enabled: true, severity_block: Severity::Error, url_allowlist: Vec::new() }
    }
}

impl Default for QuarantineSettings {
    fn default() -> Self {
        Self { enabled: false, on_unsafe: false, threshold_chars: 8000, class: Class::Extractive }
    }
}

impl Default for SpotlightSettings {
    fn default() -> Self {
        Self { enabled: true, mode: Mode::Delimit }
    }
}
