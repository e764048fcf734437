//! What the exact signals say on a corpus: `signals_on_corpus FILE.jsonl…`, lines of `{id, source, label, category, form, text}`.
//!
//! Prints, for each source and category, the share of documents with at least one hit at each severity; for each rule
//! the number of documents by label; and the best speed of both functions
//! on all benign text of each category. `--show SEVERITY LABEL` prints the hits instead.

use std::collections::BTreeMap;
use std::time::Instant;

use ringfence_guard::Severity;
use ringfence_guard::signal::{Hits, UrlAllowlist, marks, phrases};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Default)]
struct Tally {
    documents: usize,
    at: [usize; 4],
}

impl Tally {
    fn add(&mut self, worst: Option<Severity>) {
        self.documents += 1;
        for (count, severity) in
            self.at.iter_mut().zip([Severity::Info, Severity::Warn, Severity::Error, Severity::Critical])
        {
            *count += usize::from(worst >= Some(severity));
        }
    }

    fn print(&self, name: &str) {
        let share = |n: usize| 100.0 * n as f64 / self.documents.max(1) as f64;
        let [info, warn, error, critical] = self.at.map(share);
        println!(
            "{name:<70} {:>6}  info {info:6.2}  warn {warn:6.2}  error {error:6.2}  critical {critical:6.2}",
            self.documents
        );
    }
}

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut show = None;
    if arguments.peek().is_some_and(|a| a == "--show") {
        arguments.next();
        show = arguments.next().zip(arguments.next());
    }
    let urls = UrlAllowlist::default();
    let (mut groups, mut rules) = (BTreeMap::<String, Tally>::new(), BTreeMap::<&str, BTreeMap<String, usize>>::new());
    let mut plain = BTreeMap::<String, String>::new();
    let mut hits = Hits::default();
    for path in arguments {
        for line in std::fs::read_to_string(path)?.lines() {
            let document: serde_json::Value = serde_json::from_str(line)?;
            let field = |name: &str| document.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
            let (text, label) = (field("text"), field("label"));
            let folded = text.to_lowercase();
            hits.clear();
            phrases(&folded, &mut hits);
            let said = hits.list.len();
            marks(&text, &urls, &mut hits);
            if label == "benign" {
                plain.entry(field("category")).or_default().push_str(&text);
            }
            let mut seen: Vec<&str> = hits.list.iter().map(|h| h.rule.id).collect();
            seen.sort_unstable();
            seen.dedup();
            for rule in seen {
                let worst = hits.list.iter().filter(|h| h.rule.id == rule).map(|h| h.severity).max();
                *rules.entry(rule).or_default().entry(format!("{label}/{worst:?}")).or_default() += 1;
            }
            if let Some((severity, wanted)) = &show {
                for (i, hit) in hits
                    .list
                    .iter()
                    .enumerate()
                    .filter(|(_, h)| *wanted == label && format!("{:?}", h.severity).eq_ignore_ascii_case(severity))
                {
                    let source = if i < said { &folded } else { &text };
                    let near = source.get(
                        source.floor_char_boundary(hit.part.start.saturating_sub(60))
                            ..source.ceil_char_boundary((hit.part.end + 40).min(source.len())),
                    );
                    println!(
                        "{} {} {} | {} | {:?}",
                        field("source"),
                        field("category"),
                        hit.rule.id,
                        hit.evidence,
                        near.unwrap_or_default()
                    );
                }
            }
            let form = if field("form") == "obfuscated" { "obfuscated".to_owned() } else { field("category") };
            groups.entry(format!("{label} {} {form}", field("source"))).or_default().add(hits.worst());
            groups.entry(format!("{label} ALL {}", field("form"))).or_default().add(hits.worst());
        }
    }
    if show.is_some() {
        return Ok(());
    }
    groups.iter().for_each(|(name, tally)| tally.print(name));
    for (rule, counts) in rules {
        println!("{rule:<32} {counts:?}");
    }
    for (category, text) in plain.iter().filter(|(_, text)| text.len() > 500_000) {
        let folded = text.to_lowercase();
        let said = speed(text.len(), || phrases(&folded, &mut Hits::default()));
        let there = speed(text.len(), || marks(text, &urls, &mut Hits::default()));
        println!("{category:<20} {:>9} bytes, phrases {said:6.0} MB/s, marks {there:6.0} MB/s", text.len());
    }
    Ok(())
}

/// The best of some runs, in MB/s: other work on the machine only ever makes it slower.
fn speed(bytes: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..15).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    bytes as f64 / times.fold(f64::INFINITY, f64::min) / 1e6
}
