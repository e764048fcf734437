//! The demo for people: numbered sections, short lines, each as soon as it has happened.

mod underline;

use super::attempt::Aim;
use super::guards::Guarded;
use super::policy::Policy;
use super::record::Record;
use super::ring::{Ring, Tried, Verdict};
use crate::failure::Failure;
use crate::output::{Format, Output, count, in_words, shown};
use clap::builder::styling::{AnsiColor, Style};
use ringfence_guard::inspect::Verdict as Inspected;
use ringfence_policy::slice::Guards;
use std::collections::BTreeSet;
use std::time::Duration;

/// Where the sections go, and how wide they may be.
pub(super) struct Show<'a> {
    output: &'a Output,
    width: usize,
}

impl<'a> Show<'a> {
    pub(super) fn new(output: &'a Output) -> Self {
        let columns = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|s| usize::from(s.ws_col));
        let width = columns.filter(|c| *c > 0).unwrap_or(80).clamp(50, 100);
        Self { output, width }
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        if self.output.format == Format::Human { self.output.result(text) } else { Ok(()) }
    }

    pub(super) fn opening(&self) -> Result<(), Failure> {
        let title = bold("Ringfence");
        let text = format!("{title}: all of this happens now, on this machine, without root or network");
        self.say(&self.wrapped(2, &text))
    }

    pub(super) fn policy(&self, policy: &Policy) -> Result<(), Failure> {
        let mut out = heading(1, "Policies in, one config for each sandbox out");
        let layers: BTreeSet<&str> = policy.sandboxes.iter().flat_map(|s| s.layers.iter().copied()).collect();
        let about = format!(
            "{} of examples/acme (organisation, projects, agents), rendered to {}",
            count(policy.documents, "document"),
            in_words(&layers.into_iter().collect::<Vec<_>>())
        );
        out.push_str(&self.wrapped(3, &format!("   {about}")));
        for s in &policy.sandboxes {
            let (rules, layers) = (count(s.rules, "rule"), count(s.layers.len(), "layer"));
            out.push_str(&format!("   {} {:<26} {rules}, {layers}\n", good(), shown(&s.name)));
        }
        let e = &policy.explained;
        out.push_str(&heading(2, "A reason for every rule"));
        out.push_str(&self.wrapped(5, &format!("   {} {}, asked by {}", dim("?"), shown(&e.question), e.sandbox)));
        let note = e.note.as_deref().map(|n| format!(": {}", shown(n))).unwrap_or_default();
        let mark = if e.effect == "deny" { good() } else { bad() };
        out.push_str(&self.wrapped(5, &format!("   {mark} {}{note}", shown(&e.effect))));
        let mut fact =
            |key: &str, text: &str| out.push_str(&self.wrapped(14, &format!("     {key:<8} {}", shown(text))));
        fact("rule", &format!("{} of `{}` ({} level)", e.rule, e.document, e.level));
        fact("line", &format!("{}:{}:{}", e.file, e.line, e.column));
        if let Some(because) = &e.because {
            fact("because", because);
        }
        fact("layers", &format!("{} say {}", in_words(&e.layers), e.effect));
        self.say(&out)
    }

    pub(super) fn ring(&self, ring: &Ring) -> Result<(), Failure> {
        let mut out = heading(3, "A skill attacks its agent's machine, inside the kernel ring");
        let about = format!(
            "sandbox `{}`, tier {}; the box first tried and refused {}",
            shown(&ring.sandbox),
            shown(&ring.tier),
            count(ring.refused.len(), "thing")
        );
        out.push_str(&self.wrapped(3, &format!("   {about}")));
        for lack in &ring.given_up {
            out.push_str(&self.wrapped(5, &format!("   {} not on this machine: {}", warn("!"), shown(lack))));
        }
        let work = if ring.work_done { good() } else { bad() };
        out.push_str(&format!("   {work} the agent's own work goes through\n"));
        for aim in Aim::ALL {
            let tried: Vec<&Tried> = ring.attempts.iter().filter(|t| t.aim == aim).collect();
            let stopped = tried.iter().filter(|t| t.verdict == Verdict::Stopped).count();
            out.push_str(&format!("   {}: {stopped} of {} stopped\n", bold(aim.heading()), tried.len()));
            tried.iter().for_each(|t| out.push_str(&self.attempt(t)));
        }
        if ring.attempts.iter().any(|t| !t.logged && t.rule.is_some()) {
            out.push_str(&dim("   * nothing for the kernel to see: the policy's own answer\n"));
        }
        let outside = &ring.outside;
        out.push_str(&format!("   {}\n", bold("seen from outside afterwards")));
        let mut seen = |holds: bool, yes: String, no: String| {
            let line = if holds { format!("{} {yes}", good()) } else { format!("{} {no}", bad()) };
            out.push_str(&self.wrapped(5, &format!("   {line}")));
        };
        seen(
            outside.harmed.is_empty(),
            format!("{}: none gone, changed or added", count(outside.canaries, "watched file")),
            format!("HARMED: {}", shown(&outside.harmed.join(", "))),
        );
        seen(
            outside.leaked.is_empty(),
            "the keys are in no file of the repo and in no output".into(),
            format!("LEAKED: {}", shown(&outside.leaked.join(", "))),
        );
        if let Some(heard) = outside.heard {
            seen(
                heard == 0,
                "the attacker's listener heard nothing".into(),
                format!("the attacker HEARD {heard} messages"),
            );
        }
        self.say(&out)
    }

    fn attempt(&self, t: &Tried) -> String {
        let (mark, word) = match t.verdict {
            Verdict::Stopped => (good(), ""),
            Verdict::NotStopped => (bad(), "NOT STOPPED: "),
            Verdict::NotTried => (warn("-"), "not tried: "),
        };
        let what = format!("{word}{}", shown(t.title));
        let rule = t.rule.as_deref().unwrap_or("no rule").trim_start_matches("sandbox.");
        let star = if t.logged || t.rule.is_none() { "" } else { "*" };
        let place = match (&t.file, t.line) {
            (Some(file), Some(line)) => format!("{}:{line}{star}", short(file)),
            _ => star.to_owned(),
        };
        let by = format!("{} {}", shown(rule), dim(&shown(&place)));
        // What is seen of the colours is nothing.
        let room = self.width.saturating_sub(5 + 26);
        let wide = rule.chars().count() + 1 + place.chars().count();
        if wide <= room { format!("   {mark} {what:<25} {by}\n") } else { format!("   {mark} {what}\n       {by}\n") }
    }

    pub(super) fn guards(&self, settings: &Guards, all: &[Guarded]) -> Result<(), Failure> {
        let mut out = heading(4, "Poisoned tool outputs meet the guards");
        let scanner = &settings.output_scanner;
        let about = format!(
            "called by hand, no ring applies them yet; set as for `researcher`, but without summaries: withheld from {}, links only to {}, the rest marked as data ({})",
            scanner.severity_block,
            scanner.url_allowlist.join(", "),
            settings.spotlighting.mode
        );
        out.push_str(&self.wrapped(3, &format!("   {about}")));
        for one in all {
            out.push_str(&self.guarded(one));
        }
        out.push_str(&format!("   {}\n", bold("what the model sees")));
        let withheld = all.iter().find(|g| g.verdict == Inspected::Block);
        let passed = all.iter().find(|g| g.verdict != Inspected::Block);
        for line in withheld.into_iter().chain(passed).flat_map(|g| g.shown.lines()) {
            // The mark of the session is a character for private use, which terminals have no picture for.
            let line: String = line.chars().map(|c| if is_private(c) { '·' } else { c }).collect();
            out.push_str(&format!("     {}\n", clipped(&shown(&line), self.width.saturating_sub(6))));
        }
        self.say(&out)
    }

    fn guarded(&self, one: &Guarded) -> String {
        let mark = if one.right { good() } else { bad() };
        let word = match (one.verdict, one.poisoned) {
            (Inspected::Block, true) => "withheld",
            (Inspected::Block, false) => "WITHHELD WITHOUT NEED",
            (_, true) => "NOT CAUGHT",
            (_, false) => "passed",
        };
        let title = bold(one.title);
        let mut out = format!("   {mark} {word}: {title}, {}\n", dim(one.tool));
        match one.findings.first() {
            Some(found) => {
                let (line, tildes) = underline::lines(one.text, found.span, self.width.saturating_sub(6));
                out.push_str(&format!("     {line}\n     {}\n", warn(&tildes)));
                let via =
                    if found.via.is_empty() { String::new() } else { format!(", opened as {}", found.via.join(", ")) };
                let more = match one.findings.len() - 1 {
                    0 => String::new(),
                    n => format!(" (and {n} more)"),
                };
                let text = format!("{}{via}: {}{more}", found.rule, found.title);
                out.push_str(&self.wrapped(7, &format!("     {}", shown(&text))));
            }
            None => {
                let line = one.text.lines().next().unwrap_or_default();
                out.push_str(&format!("     {}\n", clipped(&shown(line), self.width.saturating_sub(6))));
            }
        }
        out
    }

    pub(super) fn record(&self, log: &Record) -> Result<(), Failure> {
        let mut out = heading(5, "The record of the run holds");
        let events = count(usize::try_from(log.events).unwrap_or(usize::MAX), "event");
        let signed = count(usize::try_from(log.checkpoints).unwrap_or(usize::MAX), "signed checkpoint");
        out.push_str(&match log.intact {
            true => format!("   {} intact: {events}, chained by hash, {signed}\n", good()),
            false => format!("   {} the log DOES NOT VERIFY\n", bad()),
        });
        for f in &log.forgeries {
            let (mark, word) = if f.noticed { (good(), "forgery found") } else { (bad(), "forgery NOT FOUND") };
            out.push_str(&self.wrapped(5, &format!("   {mark} {word}: {} ({})", f.what, shown(&f.said))));
        }
        self.say(&out)
    }

    pub(super) fn closing(&self, not_held: &[String], not_shown: &[String], took: Duration) -> Result<(), Failure> {
        let mut out = heading(6, "Try next");
        for (command, what) in NEXT {
            out.push_str(&format!("   {command:<34} {}\n", dim(what)));
        }
        out.push('\n');
        for what in not_shown {
            out.push_str(&self.wrapped(2, &format!("{} not shown: {}", warn("!"), shown(what))));
        }
        for what in not_held {
            out.push_str(&self.wrapped(2, &format!("{} did not hold: {}", bad(), shown(what))));
        }
        let seconds = took.as_secs_f64();
        out.push_str(&match not_held.len() {
            0 => {
                format!("{} every defence held, in {seconds:.1} s; what is not stopped stands in THREATS.md\n", good())
            }
            n => format!("{} {} did not hold, in {seconds:.1} s\n", bad(), count(n, "defence")),
        });
        self.say(&out)
    }

    /// A text in lines of the width, further ones indented; it holds no line break.
    fn wrapped(&self, indent: usize, text: &str) -> String {
        let lead: String = text.chars().take_while(|c| *c == ' ').collect();
        let mut out = lead.clone();
        let mut at = lead.len();
        for (n, word) in text.trim_start().split(' ').enumerate() {
            let wide = anstream::adapter::strip_str(word).to_string().chars().count();
            if n > 0 && at + 1 + wide > self.width {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                at = indent;
            } else if n > 0 {
                out.push(' ');
                at += 1;
            }
            out.push_str(word);
            at += wide;
        }
        out + "\n"
    }
}

const NEXT: &[(&str, &str)] = &[
    ("ringfence run -- CMD", "any command, in this folder, in the box"),
    ("ringfence init", "a commented policy that fits this folder"),
    ("ringfence doctor", "what this machine can enforce, tried"),
    ("ringfence explain exec rm -rf /", "what would happen, and why"),
    ("ringfence run --snapshot -- CMD", "then `ringfence undo` brings files back"),
];

/// `ringfence:baseline` → `baseline`, `examples/acme/org.yaml` → `org.yaml`.
fn short(file: &str) -> &str {
    file.rsplit(['/', ':']).next().unwrap_or(file)
}

fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// A text that fits, with a sign where something was left out.
fn clipped(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn heading(number: usize, title: &str) -> String {
    format!("\n{}\n", bold(&format!("{number}  {title}")))
}

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

fn colored(color: AnsiColor, text: &str) -> String {
    painted(Style::new().bold().fg_color(Some(color.into())), text)
}

fn bold(text: &str) -> String {
    painted(Style::new().bold(), text)
}

fn dim(text: &str) -> String {
    painted(Style::new().dimmed(), text)
}

fn good() -> String {
    colored(AnsiColor::Green, "✓")
}

fn bad() -> String {
    colored(AnsiColor::Red, "✗")
}

fn warn(text: &str) -> String {
    colored(AnsiColor::Yellow, text)
}
