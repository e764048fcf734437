//! Who summarises: a contract for whoever is plugged in, and the extract that stands in for everybody.

use crate::finding::Span;
use crate::quarantine::{Budget, QUOTED_MAX, RUN_MAX, extractive, quoted};

use super::settings::Class;

/// A text to be summarised.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The tool it came from.
    pub tool: &'a str,
    /// The text, as far as it was kept.
    pub output: &'a str,
    /// What the scanner flagged in it: nothing that touches these may be quoted.
    pub leave_out: &'a [Span],
    /// The most able model that may be asked.
    pub class: Class,
    /// Says whether a text would be blocked.
    pub blocks: &'a (dyn Fn(&str) -> bool + Sync),
}

/// A summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// What may be shown, before it is marked.
    pub text: String,
    /// Who made it, in a word for the log.
    pub by: &'static str,
    /// The code of the reason why it is not by who should have made it.
    pub fallback: Option<&'static str>,
}

/// Summarises untrusted text. Any function of the right shape will do.
///
/// What it answers is scanned again and checked for copies of the text: an answer that is blocked or repeats too much
/// is replaced by the built-in extract.
///
/// ```
/// use std::sync::Arc;
/// use ringfence_guard::inspect::{Class, Policy, Quarantined, Request, Settings, inspect};
/// use ringfence_guard::spotlight::Token;
/// let mut settings = Settings::default();
/// settings.quarantine.enabled = true;
/// settings.quarantine.threshold_chars = 10;
/// settings.quarantine.class = Class::Small;
/// let summariser = |request: &Request<'_>| Quarantined {
///     text: format!("about {} characters of weather", request.output.len()),
///     by: "example",
///     fallback: None,
/// };
/// let policy = Policy::new(settings, Token::from_bytes([7; 16]))?.with_quarantine(Arc::new(summariser));
/// let outcome = inspect("web_fetch", "Rain in the north, sun in the south.", &policy);
/// assert!(outcome.shown.contains("about 36 characters of weather"));
/// assert!(!outcome.shown.contains("sun in the south"));
/// # Ok::<(), ringfence_guard::ModelError>(())
/// ```
pub trait Quarantine: Send + Sync {
    /// Summarises. Takes as long as it takes: whoever implements it bounds its own time.
    fn summarise(&self, request: &Request<'_>) -> Quarantined;
}

impl<F: Fn(&Request<'_>) -> Quarantined + Send + Sync> Quarantine for F {
    fn summarise(&self, request: &Request<'_>) -> Quarantined {
        self(request)
    }
}

/// A summary that may be shown, whoever is asked.
pub(super) fn summarise(asked: Option<&dyn Quarantine>, request: &Request<'_>) -> Quarantined {
    if request.class == Class::Extractive {
        return extract(request, None);
    }
    let Some(asked) = asked else { return extract(request, Some("quarantine.no_summariser")) };
    let answer = asked.summarise(request);
    // One that says it fell back made an extract, which quotes by a budget of its own.
    let copied = quoted(&answer.text, request.output);
    let echoes = answer.fallback.is_none() && (copied.longest > RUN_MAX || copied.total > QUOTED_MAX);
    match () {
        () if answer.text.trim().is_empty() => extract(request, Some("quarantine.answer_empty")),
        () if answer.text == request.output || echoes => extract(request, Some("quarantine.answer_echo")),
        () if (request.blocks)(&answer.text) => extract(request, Some("quarantine.flagged")),
        () => answer,
    }
}

/// The extract; without a word of the text where its words would be blocked.
fn extract(request: &Request<'_>, fallback: Option<&'static str>) -> Quarantined {
    let extract = extractive(request.output, Budget::default(), request.leave_out);
    let text = extract.render();
    let text = if (request.blocks)(&text) { extract.bare().render() } else { text };
    Quarantined { text, by: "extractive", fallback }
}
