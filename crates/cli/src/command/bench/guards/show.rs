//! The figures for people: one table after the other, each saying what it is of.

use super::Report;
use super::held_out::HeldOut;
use super::kind::IMPLICIT;
use super::peers::Peers;
use super::shipped::Shipped;
use super::speed::Speed;
use super::tally::{Percent, Row};
use crate::output::{count, shown};
use std::fmt::Write as _;

/// Everything that was measured.
pub(super) fn human(report: &Report) -> String {
    let mut out = String::new();
    if let Some(corpus) = &report.corpus {
        let sampled = if corpus.sampled { ", a part of the corpus" } else { "" };
        say(&mut out, &format!("{} of {}{sampled}\n", count(corpus.texts, "text"), count(corpus.sources, "source")));
    }
    if let Some(held_out) = &report.held_out {
        unseen(&mut out, held_out);
    }
    if let Some(shipped) = &report.shipped {
        in_sample(&mut out, shipped);
    }
    speed(&mut out, &report.speed);
    if let Some(peers) = &report.peers {
        others(&mut out, peers);
    }
    out
}

fn say(out: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn unseen(out: &mut String, held: &HeldOut) {
    say(
        out,
        &format!("Leave one source out: {} folds, each text scored by a model that never saw its source", held.folds),
    );
    let [low, middle, high] = held.thresholds;
    say(out, &format!("Thresholds by {} tool-like benign texts: {low:.3}, {middle:.3}, {high:.3}", held.tool_like));
    say(out, "Columns: per cent flagged at 0.1, 0.5 and 1 % false positives; the model at 0.5 % or an exact signal\n");
    let head = |out: &mut String, what: &str| {
        line(out, what, "texts", ["0.1 %", "0.5 %", "1 %", "scanner"].map(str::to_owned))
    };
    head(out, "recall, all attacks");
    rows(out, &held.overall);
    line(out, "  mean of sources", "", shares(held.mean_of_sources));
    head(out, "\nrecall by kind and form");
    rows(out, &held.kinds);
    say(out, &format!("  implicit are the categories {}; all others are explicit", IMPLICIT.join(", ")));
    head(out, "\nrecall by source and form");
    rows(out, &held.sources);
    head(out, "\nrecall by category, encoded ones left out");
    rows(out, &held.categories);
    head(out, "\nrecall by encoding, beside plain texts of its sources");
    for encoding in &held.encodings {
        rows(out, std::slice::from_ref(&encoding.row));
        line(out, "    plain", "", shares(encoding.plain));
    }
    head(out, "\nflagged without an attack, by group");
    rows(out, &held.groups);
    head(out, "\nfalse positives of tool-like texts by source");
    rows(out, &held.benign_sources);
}

fn rows(out: &mut String, rows: &[Row]) {
    for row in rows {
        let name = format!("  {} {}", shown(&row.what), shown(&row.form));
        line(out, name.trim_end(), &row.texts.to_string(), shares(row.percent));
    }
}

fn shares(percent: Percent) -> [String; 4] {
    percent.columns().map(|p| format!("{p:.1}"))
}

fn line(out: &mut String, name: &str, texts: &str, columns: [String; 4]) {
    let mut text = format!("{name:<54}{texts:>8}");
    for column in columns {
        let _ = write!(text, "{column:>9}");
    }
    say(out, &text);
}

fn in_sample(out: &mut String, shipped: &Shipped) {
    say(out, "\nThe scanner as shipped, at its own verdict, in sample: its model may have learnt from these texts\n");
    say(out, &format!("{:<54}{:>8}{:>9}{:>9}", "blocked", "texts", "blocked", "%"));
    for row in shipped.attacks.iter().chain(&shipped.groups) {
        say(out, &format!("  {:<52}{:>8}{:>9}{:>9.1}", shown(&row.what), row.texts, row.blocked, row.percent));
    }
    let head = ["attacks", "benign", "precision", "recall", "tool FP"].map(|h| format!("{h:>11}")).concat();
    say(out, &format!("\n{:<24}{head}", "by family, error or worse"));
    for row in &shipped.families {
        let family =
            serde_json::to_value(row.family).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        let [precision, recall, wrong] = [row.precision_percent, row.recall_percent, row.false_positive_percent];
        say(
            out,
            &format!("  {family:<23}{:>11}{:>11}{precision:>11.1}{recall:>11.1}{wrong:>11.2}", row.attacks, row.benign),
        );
    }
}

fn speed(out: &mut String, speed: &Speed) {
    say(out, "\nSpeed, on one core, in processor time");
    let mb = speed.benign_bytes as f64 / 1e6;
    say(out, &format!("  {:<50}{:>8.1} MB/s", format!("benign text, {mb:.1} MB"), speed.benign_mb_per_s));
    let us = |ns: u64| ns as f64 / 1e3;
    let [min, middle, slow] = [speed.short.min_ns, speed.short.p50_ns, speed.short.p99_ns].map(us);
    say(out, &format!("  {:<50}{min:>8.1} µs min, {middle:.1} µs P50, {slow:.1} µs P99", "an output of 2 KiB"));
    for size in &speed.growth {
        say(out, &format!("  {:<50}{:>8.1} MB/s", format!("benign text, {} KiB", size.bytes >> 10), size.mb_per_s));
    }
    say(out, "\nHostile inputs, time per byte beside benign text");
    for row in &speed.hostile {
        say(out, &format!("  {:<50}{:>8.1} MB/s{:>8.2}x", row.what, row.mb_per_s, row.times_benign));
    }
}

fn others(out: &mut String, peers: &Peers) {
    say(
        out,
        &format!(
            "\nOther scanners, {} attacks and {} tool-like benign texts, each at its own verdict",
            peers.attacks, peers.benign
        ),
    );
    let head = ["texts", "recall %", "FP %", "µs/text", "x ours"].map(|h| format!("{h:>11}")).concat();
    say(out, &format!("{:<44}{head}", ""));
    for peer in &peers.scanners {
        let name = format!("{} {}", shown(&peer.name), shown(&peer.version));
        let [recall, wrong] = [peer.recall_percent, peer.false_positive_percent];
        say(
            out,
            &format!(
                "  {name:<42}{:>11}{recall:>11.1}{wrong:>11.1}{:>11.1}{:>11.1}",
                peer.texts, peer.us_per_text, peer.times_ours
            ),
        );
    }
    for absent in &peers.absent {
        say(out, &format!("  left out: {}", shown(absent)));
    }
}
