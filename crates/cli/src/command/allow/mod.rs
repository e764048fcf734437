//! `allow`: timed grants inside the ceiling.
//!
//! In: what to open, for how long, why. Out: a file in the state folder that runs of one repo read. A grant opens
//! only what nobody but the project or the agent keeps shut; it ends by itself. Never asks where there is no terminal.

pub(crate) mod grants;

use crate::clock;
use crate::command::run::{place, trail::Trails};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::InputArgs;
use crate::output::{Format, Output, shown};
use grants::{Grant, Grants};
use ringfence_policy::explain::Because;
use ringfence_policy::pattern::{Anchor, Host, QuestionPath};
use ringfence_policy::question::{DEFAULT_PORT, Question};
use ringfence_policy::scale::Effect;
use ringfence_policy::time::format_utc;
use ringfence_sandbox::Place;
use ringfence_store::state::state_dir;
use serde_json::json;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ringfence allow net registry.npmjs.org --for 30m --reason 'one install'
  ringfence allow read /srv/fixtures --for 2h --reason 'test data'
  ringfence allow --list
  ringfence allow --revoke g-0a1b2c3d";

/// What to open.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What: net HOST or HOST:PORT, read PATH, write PATH
    #[arg(value_name = "WHAT", num_args = 2, required_unless_present_any = ["list", "revoke"])]
    what: Vec<String>,
    /// For how long: 90s, 30m, 8h, at most 7d
    #[arg(long = "for", value_name = "TIME", value_parser = duration, required_unless_present_any = ["list", "revoke"])]
    lasts: Option<i64>,
    /// Why; kept with the grant and in the log of every run that it opens something for
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["list", "revoke"])]
    reason: Option<String>,
    /// The repo whose runs it is for; the current folder when absent
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Save without asking
    #[arg(long, short)]
    yes: bool,
    /// List the grants there are
    #[arg(long, conflicts_with_all = ["what", "revoke"])]
    list: bool,
    /// End a grant now
    #[arg(long, value_name = "ID", conflicts_with = "what")]
    revoke: Option<String>,
    #[command(flatten)]
    input: InputArgs,
}

/// The longest grant, in seconds. What is needed for longer belongs into a policy.
const LONGEST: i64 = 7 * 86_400;
/// The longest reason, in characters.
const LONGEST_REASON: usize = 500;

/// Reads `30m`, in seconds.
fn duration(text: &str) -> Result<i64, String> {
    let wrong = || "a time such as 90s, 30m or 8h, at most 7d".to_owned();
    let (digits, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let digits = Some(digits).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
    let seconds = digits.and_then(|d| d.parse::<i64>().ok()).and_then(|n| n.checked_mul(factor));
    seconds.filter(|s| (1..=LONGEST).contains(s)).ok_or_else(wrong)
}

/// Lists, ends or makes a grant.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let state = state_dir(|name| std::env::var_os(name)).map_err(|e| Failure::Io(e.to_string()))?;
    if args.list {
        return list(&state, output);
    }
    if let Some(id) = &args.revoke {
        return revoke(&state, id, output);
    }
    let place = place::find(args.repo.as_deref())?;
    let (question, web) = asked(&args.what, &place)?;
    let (trails, _) = Trails::derive(&args.input, &place)?;
    if trails.why(&question).0 == Effect::Allow {
        let text = format!("the policy allows `{}` already; nothing was saved", shown(&question.to_string()));
        return said(output, &text, &json!({ "saved": false, "why": "already allowed" })).map(|()| Exit::Done);
    }
    // Both web ports are meant where no port is named, so both have to be inside the ceiling.
    let mut ceiling = vec![question.clone()];
    if let (Question::Net { host, .. }, true) = (&question, web) {
        ceiling.push(Question::Net { host: host.clone(), port: 80 });
    }
    if let Some(by) = ceiling.iter().find_map(|q| trails.admits(q).err()) {
        return Err(Failure::Usage(forbidden(&question, &by)));
    }
    let grant = grant(args, &place, question, web)?;
    if !agreed(args, output, &grant)? {
        output.note("nothing was saved\n");
        return Ok(Exit::Done);
    }
    Grants::open_or_make(&state)?.save(&grant)?;
    said(
        output,
        &format!("saved {}; `ringfence allow --revoke {}` ends it", grant.id, grant.id),
        &json!({ "saved": true, "grant": grant }),
    )?;
    Ok(Exit::Done)
}

fn said(output: &Output, text: &str, json: &serde_json::Value) -> Result<(), Failure> {
    if output.format == Format::Json { output.json(json) } else { output.result(&format!("{text}\n")) }
}

/// The question that a grant answers, and whether a host was named without its port.
fn asked(words: &[String], place: &Place) -> Result<(Question, bool), Failure> {
    let [verb, what] = words else {
        return Err(Failure::Usage("say what: `net HOST`, `read PATH` or `write PATH`".into()));
    };
    match verb.as_str() {
        "net" => {
            let (host, port) = Host::parse_with_port(what).map_err(Failure::Usage)?;
            let question = Question::Net { host: host.into_owned(), port: port.unwrap_or(DEFAULT_PORT) };
            Ok((question, port.is_none()))
        }
        "read" => Ok((Question::Read(path(what, place)?), false)),
        "write" => Ok((Question::Write(path(what, place)?), false)),
        other => Err(Failure::Usage(format!("`{}` cannot be granted; one of net, read and write", shown(other)))),
    }
}

/// Folders that are the machine itself, or so wide that a grant of them is no grant.
const TOO_WIDE: &[&str] = &["/", "/home", "/root", "/var", "/srv", "/mnt", "/media", "/run", "/usr", "/etc", "/opt"];
/// What a kernel or a box makes up; the host's own has no business inside.
const MADE_UP: &[&str] = &["/proc", "/sys", "/dev", "/tmp", "/run"];

/// The path as it is without links: what a link leads to must not change after it was granted.
fn path(text: &str, place: &Place) -> Result<QuestionPath, Failure> {
    let given = match text.strip_prefix("~/") {
        Some(rest) => place.home.join(rest),
        None => PathBuf::from(text),
    };
    let real = given.canonicalize().map_err(|e| Failure::io("grant", &given, e))?;
    let wide = TOO_WIDE.iter().any(|w| real == Path::new(w)) || place.home.starts_with(&real);
    if let Some(own) = MADE_UP.iter().find(|m| real.starts_with(m)) {
        let message = format!("`{}` cannot be granted: a run has its own `{own}`, or none", real.display());
        return Err(Failure::Usage(message));
    }
    if wide {
        return Err(Failure::Usage(format!(
            "`{}` cannot be granted; name a folder or a file below it",
            real.display()
        )));
    }
    let root = real.to_str().filter(|t| !t.contains('*')).and_then(|t| QuestionPath::new(t).ok());
    let root = root.filter(|r| r.anchor() == Anchor::Root);
    root.ok_or_else(|| {
        Failure::Usage(format!("`{}` cannot be granted, a policy has no way to spell it", real.display()))
    })
}

fn forbidden(question: &Question, by: &[Because]) -> String {
    let who = by.first().map(|b| {
        let e = &b.entry;
        let place = if e.line > 0 { format!(", {}:{}", e.file, e.line) } else { String::new() };
        format!("{} of `{}` ({} level{place})", e.rule_id, e.document, e.via_cascade_level)
    });
    let who = who.unwrap_or_else(|| "a level above".into());
    format!("`{question}` is outside the ceiling: {who} forbids it, and no grant opens it; nothing was saved")
}

fn grant(args: &Args, place: &Place, question: Question, web: bool) -> Result<Grant, Failure> {
    let now = clock::at(None)?;
    let reason = args.reason.clone().unwrap_or_default();
    if reason.trim().is_empty() || reason.chars().count() > LONGEST_REASON {
        return Err(Failure::Usage(format!("a grant needs a reason, of at most {LONGEST_REASON} characters")));
    }
    let run = ringfence_store::edge::new_run_id().map_err(|e| Failure::Io(e.to_string()))?;
    let random = run.as_str().rsplit('-').next().unwrap_or_default();
    Ok(Grant {
        author_uid: rustix::process::geteuid().as_raw(),
        id: format!("g-{random}"),
        made_at: now,
        question,
        reason,
        repo: place.repo.clone(),
        until: now.saturating_add(args.lasts.unwrap_or_default()),
        web,
    })
}

/// Shows the scope; asks on a terminal, and refuses where there is none.
fn agreed(args: &Args, output: &Output, grant: &Grant) -> Result<bool, Failure> {
    if output.format == Format::Human {
        output.note(&scope(grant));
    }
    if args.yes {
        return Ok(true);
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !terminal || output.format != Format::Human {
        return Err(Failure::Usage("there is no terminal to ask on; pass `--yes` to save; nothing was saved".into()));
    }
    output.note("save this grant? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|e| Failure::Io(format!("cannot read the answer: {e}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

fn scope(grant: &Grant) -> String {
    let from = match grant.question {
        Question::Net { .. } => "now, also in runs that go on and have an allowlist",
        _ => "the next run on; a run that goes on keeps it until it ends",
    };
    format!(
        "  opens    {}\n  for      runs of {}\n  until    {}\n  from     {from}\n  reason   {}\n",
        shown(&grant.what()),
        shown(&grant.repo.display().to_string()),
        format_utc(grant.until),
        shown(&grant.reason)
    )
}

fn list(state: &Path, output: &Output) -> Result<Exit, Failure> {
    let now = clock::at(None)?;
    let all = Grants::open(state).map(|g| g.all()).unwrap_or_default();
    if output.format == Format::Json {
        output.json(&json!({ "grants": all, "now": now }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for grant in &all {
        let until = if grant.until > now { format!("until {}", format_utc(grant.until)) } else { "ended".into() };
        let (what, repo, reason) = (grant.what(), grant.repo.display().to_string(), &grant.reason);
        text.push_str(&format!("{}  {until}  {}  in {}  ({})\n", grant.id, shown(&what), shown(&repo), shown(reason)));
    }
    output.result(if all.is_empty() { "no grants\n" } else { &text })?;
    Ok(Exit::Done)
}

fn revoke(state: &Path, id: &str, output: &Output) -> Result<Exit, Failure> {
    let revoked = match Grants::open(state) {
        Some(grants) => grants.revoke(id)?,
        None => false,
    };
    if !revoked {
        return Err(Failure::Usage(format!("there is no grant `{}`; `ringfence allow --list` shows them", shown(id))));
    }
    said(output, &format!("ended {id}"), &json!({ "revoked": id }))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_bounded_and_plain() {
        assert_eq!(duration("30m"), Ok(1800));
        assert_eq!(duration("7d"), Ok(LONGEST));
        for bad in ["", "m", "0s", "8d", "-1m", "+1m", "1.5h", "30", "30 m", "99999999999999999999s", "1µ"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
