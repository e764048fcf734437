//! `explain`: what would happen, at which layer, and every statement behind it.

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output, shown};
use crate::report;
use clap::builder::styling::{AnsiColor, Style};
use ringfence_policy::config::ProvenanceEntry;
use ringfence_policy::decide::Index;
use ringfence_policy::derive::Context;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::explain::{Because, Explanation, explain};
use ringfence_policy::question::Question;
use ringfence_policy::scale::Effect;

const EXAMPLES: &str = "\
Examples:
  ringfence explain -C examples/acme --spec coder net evil.test
  ringfence explain -C examples/acme --spec coder exec rm -rf /
  ringfence explain -C examples/acme --agent emailer tool mail/send '{\"to\": \"a@evil.test\"}'";

const QUESTION: &str = "net HOST, read PATH, write PATH, exec CMD, tool NAME [ARGS], import MODULE or model NAME; \
    flags go before exec, because what follows it belongs to CMD";

/// What to explain.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question, word by word.
    #[arg(required = true, value_name = "QUESTION", help = QUESTION)]
    question: Vec<String>,
    /// Time that stands for statements whose document names none; now when absent
    #[arg(long, value_name = "TIME", value_parser = clock::parse)]
    at: Option<i64>,
    /// Exit with 121 unless the answer is allow
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    input: InputArgs,
}

/// Explains one question.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let question = Question::parse(&args.question.join(" "));
    let mut workspace = Workspace::load(&args.input)?;
    let sets = workspace.sandboxes(&args.input.select, Scope::One);
    let issued_at = clock::at(args.at)?;
    let derived = workspace.derive(&sets, |set| Context { issued_at, ..evaluation(set) });
    if let Err(why) = &question {
        workspace.report(bad_question(why));
    }
    let problems = workspace.settle()?;
    report::warnings(output, &problems);
    let (Some(set), Some(derivation), Ok(question)) = (sets.first(), derived.first(), question) else {
        return Err(Failure::Io("there is no sandbox to ask".into()));
    };
    let index = Index::new(&derivation.resolved, &set.spec);
    let explanation = explain(&index, &derivation.config.provenance, &set.spec, &question);
    match output.format {
        Format::Json => output.json(&explanation)?,
        _ => output.result(&human(&explanation))?,
    }
    let refused = args.exit_code && explanation.effect != Effect::Allow;
    Ok(if refused { Exit::Findings } else { Exit::Done })
}

fn bad_question(why: &str) -> Diagnostic {
    Diagnostic::error(Code::BadQuestion, why)
        .help("`net HOST`, `read PATH`, `write PATH`, `exec CMD`, `tool NAME [ARGS]`, `import MODULE` or `model NAME`")
}

fn human(e: &Explanation) -> String {
    let mut out = format!("{}  {}  (sandbox {})\n", effect(e.effect), shown(&e.question), shown(&e.sandbox));
    if let Some(note) = &e.note {
        out.push_str(&format!("{}\n", shown(note)));
    }
    out.push_str("\nlayers\n");
    for layer in &e.layers {
        let decision = layer.decision.map_or("-", Effect::as_str);
        out.push_str(&format!("  {:<9} {decision:<6} {}\n", layer.layer.as_str(), shown(&layer.why)));
    }
    out.push_str("\nbecause\n");
    out + &e.because.iter().map(|b| trail(b, e.effect)).collect::<String>()
}

fn effect(effect: Effect) -> String {
    let color = match effect {
        Effect::Allow => AnsiColor::Green,
        Effect::Ask => AnsiColor::Yellow,
        Effect::Deny => AnsiColor::Red,
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    format!("{style}{effect}{style:#}")
}

/// One statement: what it does to the answer, who stated it where, and why.
fn trail(b: &Because, answer: Effect) -> String {
    let role = match (b.decisive, b.effect == answer) {
        (true, _) => "decides",
        (false, true) => "agrees",
        (false, false) => "overruled",
    };
    let entry = &b.entry;
    let mut out = format!("  {role:<9} {} ({})\n", shown(&entry.rule_id), b.effect);
    let mut say = |text: String| out.push_str(&format!("            {}\n", shown(&text)));
    say(format!("`{}` ({} level){}", entry.document, entry.via_cascade_level, place(entry)));
    let via = [
        ("pack", &entry.via_compliance_pack),
        ("cites", &entry.cites),
        ("concern", &entry.via_concern),
        ("category", &entry.via_category),
        ("operator", &entry.operator),
        ("at", &entry.at),
    ];
    let via: Vec<String> = via.iter().filter_map(|(k, v)| v.as_ref().map(|v| format!("{k} {v}"))).collect();
    if !via.is_empty() {
        say(via.join(", "));
    }
    if let Some(because) = &entry.because {
        say(because.clone());
    }
    out
}

/// Where a statement stands. What nobody wrote (a default, the catalog) has no line.
fn place(entry: &ProvenanceEntry) -> String {
    match entry.line {
        0 => String::new(),
        line => format!(", {}:{line}:{}", entry.file, entry.column),
    }
}
