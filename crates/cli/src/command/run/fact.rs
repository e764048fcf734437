//! What happened in a run, in the form in which it is counted, logged and told.

use super::words::words;
use ringfence_policy::pattern::{Host, Program, QuestionPath};
use ringfence_policy::question::{DEFAULT_PORT, Question};
use ringfence_sandbox::Event;
use ringfence_sandbox::egress::{NetEvent, Verdict, Via, Why};
use ringfence_seal::kind::EventKind;
use serde_json::{Value as Json, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One thing that happened. Equal facts are counted, not listed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Fact {
    /// A name or an address was reached.
    Reached { host: String, port: Option<u16>, rule: Option<String> },
    /// A name or an address was refused.
    Refused { host: String, port: Option<u16>, via: Via, why: Why, detail: String },
    /// A file was refused.
    File { path: String, write: bool },
    /// A program was refused.
    Program { path: String },
    /// A program was started. Only observed runs know, and their log does not list it.
    Started { path: String },
    /// Something came into being on a protected name.
    Broken { path: String },
    /// The rules changed while the run went on.
    Rules { next_run: Vec<u16> },
    /// A grant began.
    GrantMade { id: String, what: String, reason: String },
    /// A grant ended.
    GrantEnded { id: String, what: String },
    /// A session was called.
    Called { command: Vec<String>, folder: String },
    /// More of a kind than is listed.
    More(EventKind),
}

impl Fact {
    /// The fact behind an event, and how often it happened; none for a limit, which ends the run and is told then.
    pub(super) fn new(event: Event) -> Option<(Self, u64)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let fact = match event {
            Event::Net(net) => return Some(Self::net(net)),
            Event::FileDenied { path, write } => Self::File { path: text(&path), write },
            Event::ExecDenied { program } => Self::Program { path: text(&program) },
            Event::ExecSeen { program } => Self::Started { path: text(&program) },
            Event::ProtectedBroken(path) => Self::Broken { path: text(&path) },
            Event::RulesChanged { next_run } => Self::Rules { next_run },
            Event::Called { args, cwd } => {
                let args: Vec<&OsStr> = args.iter().map(|a| OsStr::from_bytes(a)).collect();
                Self::Called { command: words(&args), folder: text(&cwd) }
            }
            Event::Limit(_) => return None,
        };
        Some((fact, 1))
    }

    fn net(event: NetEvent) -> (Self, u64) {
        let NetEvent { verdict, host, port, via, why, detail, rule, count } = event;
        let fact = match (verdict, why) {
            (_, Why::More) => Self::More(EventKind::NetDenied),
            (Verdict::Allowed, _) => Self::Reached { host, port, rule },
            (Verdict::Denied, _) => Self::Refused { host, port, via, why, detail },
        };
        (fact, count)
    }

    /// The kind of event that it is in the log.
    pub(crate) fn kind(&self) -> EventKind {
        match self {
            Self::Reached { .. } => EventKind::NetAllowed,
            Self::Refused { .. } => EventKind::NetDenied,
            Self::File { .. } | Self::Broken { .. } => EventKind::FsDenied,
            Self::Program { .. } => EventKind::ExecDenied,
            Self::Rules { .. } => EventKind::ConfigApplied,
            Self::GrantMade { .. } => EventKind::GrantMade,
            Self::GrantEnded { .. } => EventKind::GrantExpired,
            Self::Called { .. } | Self::Started { .. } => EventKind::ToolCalled,
            Self::More(kind) => *kind,
        }
    }

    /// Whether the log lists it: a line for every program that a build starts would drown the rest.
    pub(super) fn is_logged(&self) -> bool {
        !matches!(self, Self::Started { .. })
    }

    /// The questions that it may be the answer to: a program that cannot be seen cannot be started either.
    pub(crate) fn questions(&self) -> Vec<Question> {
        let path = |text: &String| QuestionPath::new(text).ok();
        let questions = match self {
            Self::Reached { host, port, .. } | Self::Refused { host, port, .. } => {
                let port = port.filter(|p| *p != 53).unwrap_or(DEFAULT_PORT);
                [Host::parse(host).ok().map(|h| Question::Net { host: h.into_owned(), port }), None]
            }
            Self::File { path: text, write: false } => [path(text).map(Question::Read), None],
            Self::File { path: text, write: true } | Self::Broken { path: text } => {
                [path(text).map(Question::Write), None]
            }
            Self::Started { path: text } => [Program::new(text).ok().map(Question::Exec), None],
            Self::Program { path: text } => {
                [Program::new(text).ok().map(Question::Exec), path(text).map(Question::Read)]
            }
            _ => [None, None],
        };
        questions.into_iter().flatten().collect()
    }

    /// What is written down.
    pub(super) fn payload(&self, count: u64) -> Json {
        let mut payload = match self {
            Self::Reached { host, port, rule } => json!({ "host": host, "port": port, "rule": rule }),
            Self::Refused { host, port, via, why, detail } => {
                json!({ "code": why.code(), "detail": detail, "host": host, "port": port, "via": via.as_str(), "why": why.words() })
            }
            Self::File { path, write } => json!({ "access": if *write { "write" } else { "read" }, "path": path }),
            Self::Program { path } | Self::Started { path } => json!({ "program": path }),
            Self::Broken { path } => {
                json!({ "access": "write", "path": path, "why": "made on a protected name, and removed" })
            }
            Self::Rules { next_run } => json!({ "changed": "network", "ports_from_the_next_run_on": next_run }),
            Self::GrantMade { id, what, reason } => json!({ "grant": id, "reason": reason, "what": what }),
            Self::GrantEnded { id, what } => json!({ "grant": id, "what": what }),
            Self::Called { command, folder } => json!({ "command": command, "folder": folder }),
            Self::More(_) => json!({ "why": "more of the same kind, not listed one by one" }),
        };
        if let (Some(object), true) = (payload.as_object_mut(), count != 1) {
            object.insert("count".into(), count.into());
        }
        payload
    }
}
