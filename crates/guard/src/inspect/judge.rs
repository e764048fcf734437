//! The decision: an output with its report in, an outcome out.

use super::event::{Guard, GuardHit, Stage};
use super::quarantine::{Request, summarise};
use super::{Outcome, Policy, Verdict, notice};
use crate::finding::{Severity, Span};
use crate::scan::Report;

/// An output, as far as it was kept.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) kept: &'a str,
    /// Of the whole.
    pub(super) bytes: usize,
    /// Of the whole; none where nobody has counted.
    pub(super) chars: Option<u64>,
}

impl Text<'_> {
    fn is_cut(&self) -> bool {
        self.kept.len() < self.bytes
    }

    /// Whether it has so many characters.
    fn reaches(&self, chars: u64) -> bool {
        // No character takes less than a byte, so short texts need not be counted.
        u64::try_from(self.bytes).unwrap_or(u64::MAX) >= chars
            && self.chars.unwrap_or_else(|| u64::try_from(self.kept.chars().count()).unwrap_or(u64::MAX)) >= chars
    }
}

/// What is to become of an output.
enum Fate {
    Show(Verdict),
    Summarise(&'static str),
    Withhold(&'static str),
}

const TOO_LARGE: &str = "output.too_large";

/// Judges an output. No report means that the policy has the scanner off.
pub(super) fn judge(policy: &Policy, tool: &str, text: Text<'_>, report: Option<Report>) -> Outcome {
    let fate = fate(policy, text, report.as_ref());
    let verdict = match fate {
        Fate::Show(verdict) => verdict,
        Fate::Summarise(_) => Verdict::Quarantine,
        Fate::Withhold(_) => Verdict::Block,
    };
    let mut events = about_scan(tool, text, report.as_ref(), verdict);
    let shown = match fate {
        Fate::Show(_) => mark(policy, tool, text.kept),
        Fate::Summarise(signal) => summary(policy, tool, text, report.as_ref(), signal, &mut events),
        Fate::Withhold(rule) => {
            if rule == TOO_LARGE {
                events.push(GuardHit::whole(tool, TOO_LARGE, Severity::Error, verdict, text.bytes));
            }
            notice::withheld(tool, rule, text.bytes)
        }
    };
    let score = report.as_ref().map(|report| report.score);
    Outcome { shown, verdict, findings: report.map(|report| report.findings).unwrap_or_default(), score, events }
}

fn fate(policy: &Policy, text: Text<'_>, report: Option<&Report>) -> Fate {
    let quarantine = &policy.settings.quarantine;
    if let Some(report) = report.filter(|report| policy.blocks(report)) {
        return match quarantine.enabled && quarantine.on_unsafe {
            true => Fate::Summarise("quarantine.unsafe"),
            false => Fate::Withhold(decisive(report)),
        };
    }
    if quarantine.enabled && (text.is_cut() || text.reaches(quarantine.threshold_chars)) {
        return Fate::Summarise("quarantine.size");
    }
    if text.is_cut() {
        return Fate::Withhold(TOO_LARGE);
    }
    Fate::Show(match report {
        None => Verdict::NotScanned,
        Some(report) if report.left_closed || report.worst() >= Some(Severity::Warn) => Verdict::Hit,
        Some(_) => Verdict::Pass,
    })
}

/// The rule that a notice names: the worst of those found.
fn decisive(report: &Report) -> &'static str {
    let mut worst = None;
    for finding in &report.findings {
        if worst.is_none_or(|(severity, _)| finding.severity > severity) {
            worst = Some((finding.severity, finding.rule.id));
        }
    }
    worst.map_or("scan.left_out", |(_, rule)| rule)
}

/// What the scan of the output has to say.
fn about_scan(tool: &str, text: Text<'_>, report: Option<&Report>, verdict: Verdict) -> Vec<GuardHit> {
    let whole = |signal, severity, verdict| GuardHit::whole(tool, signal, severity, verdict, text.bytes);
    let Some(report) = report else {
        return vec![whole("scan.not_run", Severity::Info, Verdict::NotScanned)];
    };
    let found = |finding| GuardHit::found(tool, finding, verdict, Stage::Output);
    let mut events: Vec<GuardHit> = report.findings.iter().map(found).collect();
    if report.left_out > 0 {
        let severity = report.worst().unwrap_or(Severity::Warn);
        events.push(
            whole("scan.left_out", severity, verdict).with(format!("{} findings are not listed", report.left_out)),
        );
    }
    if report.left_closed {
        let event = whole("scan.left_closed", Severity::Warn, Verdict::NotScanned);
        events.push(event.with("holds more encoded or hidden text than was read".to_owned()));
    }
    events
}

/// A summary to be shown, scanned once more, with what the log learns of it.
fn summary(
    policy: &Policy,
    tool: &str,
    text: Text<'_>,
    report: Option<&Report>,
    signal: &'static str,
    events: &mut Vec<GuardHit>,
) -> String {
    let found = report.map(|report| report.findings.as_slice()).unwrap_or_default();
    let leave_out: Vec<Span> = found.iter().filter_map(|finding| inside(finding.span, text.kept)).collect();
    let blocks = |shown: &str| policy.scan(shown).is_some_and(|report| policy.blocks(&report));
    let class = policy.settings.quarantine.class;
    let request = Request { tool, output: text.kept, leave_out: &leave_out, class, blocks: &blocks };
    let summary = summarise(policy.quarantine.as_deref(), &request);
    let severity = if signal == "quarantine.unsafe" { Severity::Error } else { Severity::Info };
    let detail = match summary.fallback {
        Some(code) => format!("by {}: {code}", summary.by),
        None => format!("by {}", summary.by),
    };
    let event = GuardHit::whole(tool, signal, severity, Verdict::Quarantine, text.bytes);
    events.push(event.by(Guard::Quarantine).with(detail));
    // INVARIANT: what would be blocked is no summary any more; the rest is told.
    let again = policy.scan(&summary.text).unwrap_or_default();
    events.extend(again.findings.iter().map(|f| GuardHit::found(tool, f, Verdict::Quarantine, Stage::Shown)));
    notice::summarised(tool, text.bytes, text.kept.len()) + &mark(policy, tool, &summary.text)
}

/// The part of a span that lies in what was kept.
fn inside(span: Span, kept: &str) -> Option<Span> {
    let end = kept.ceil_char_boundary(span.end.min(kept.len()));
    let start = kept.floor_char_boundary(span.start.min(kept.len()));
    (start < end).then_some(Span { start, end })
}

fn mark(policy: &Policy, tool: &str, text: &str) -> String {
    let marks = policy.settings.spotlighting;
    match marks.enabled {
        true => policy.session.mark(marks.mode, tool, text),
        false => text.to_owned(),
    }
}
