//! A question a layer can ask, and its one parser.

use crate::pattern::{Host, ImportPattern, NamePattern, Program, QuestionPath};
use crate::read::clip;
use serde_json::Value as Json;
use std::fmt;

/// The port that `net HOST` means when it names none.
pub const DEFAULT_PORT: u16 = 443;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// May it connect to this host and port?
    Net {
        /// The host, canonical.
        host: Host<'static>,
        /// The port.
        port: u16,
    },
    /// May it read this path?
    Read(QuestionPath),
    /// May it write this path?
    Write(QuestionPath),
    /// May it start this program?
    Exec(Program),
    /// May it call this tool, with these arguments if they are known?
    Tool {
        /// The tool's name.
        name: String,
        /// The arguments, a JSON object.
        arguments: Option<Json>,
    },
    /// May its code import this module?
    Import(String),
    /// May it call this model?
    Model(String),
}

/// The words a question can start with.
pub const VERBS: &[&str] = &["net", "read", "write", "exec", "tool", "import", "model"];

impl Question {
    /// Reads `net HOST`, `read PATH`, `write PATH`, `exec CMD`, `tool NAME [ARGS]`, `import MODULE`, `model NAME`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (verb, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        Self::from_parts(verb, rest.trim())
    }

    /// The same with the verb and the rest apart.
    pub fn from_parts(verb: &str, rest: &str) -> Result<Self, String> {
        if rest.is_empty() {
            let hint = if VERBS.contains(&verb) {
                format!("`{verb}` needs something to ask about")
            } else {
                unknown_verb(verb)
            };
            return Err(hint);
        }
        match verb {
            "net" => net(rest),
            "read" => QuestionPath::new(rest).map(Self::Read),
            "write" => QuestionPath::new(rest).map(Self::Write),
            "exec" => Program::new(rest.split_whitespace().next().unwrap_or(rest)).map(Self::Exec),
            "tool" => tool(rest),
            "import" => ImportPattern::new(rest).map(|m| Self::Import(m.as_str().to_owned())),
            "model" => name(rest).map(Self::Model),
            other => Err(unknown_verb(other)),
        }
    }

    /// The verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Net { .. } => "net",
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Exec(_) => "exec",
            Self::Tool { .. } => "tool",
            Self::Import(_) => "import",
            Self::Model(_) => "model",
        }
    }
}

fn unknown_verb(verb: &str) -> String {
    match crate::read::nearest(verb, VERBS) {
        Some(near) => format!("unknown question `{}`, did you mean `{near}`?", clip(verb)),
        None => format!("unknown question `{}`, one of: {}", clip(verb), VERBS.join(", ")),
    }
}

fn net(text: &str) -> Result<Question, String> {
    let (host, port) = Host::parse_with_port(text)?;
    Ok(Question::Net { host: host.into_owned(), port: port.unwrap_or(DEFAULT_PORT) })
}

fn name(text: &str) -> Result<String, String> {
    let pattern = NamePattern::new(text)?;
    if pattern.is_prefix() {
        Err(format!("`{}` is a pattern; ask about one name", clip(text)))
    } else {
        Ok(text.to_owned())
    }
}

fn tool(text: &str) -> Result<Question, String> {
    let (tool, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let arguments = match arguments.trim() {
        "" => None,
        json => match serde_json::from_str::<Json>(json) {
            Ok(value @ Json::Object(_)) => Some(value),
            _ => return Err(format!("`{}` is not a JSON object of arguments", clip(json))),
        },
    };
    Ok(Question::Tool { name: name(tool)?, arguments })
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.verb())?;
        match self {
            Self::Net { host, port } if *port == DEFAULT_PORT => f.write_str(host.as_str()),
            Self::Net { host, port } if host.as_str().contains(':') => write!(f, "[{}]:{port}", host.as_str()),
            Self::Net { host, port } => write!(f, "{}:{port}", host.as_str()),
            Self::Read(path) | Self::Write(path) => write!(f, "{path}"),
            Self::Exec(program) => write!(f, "{program}"),
            Self::Tool { name, arguments: None } => f.write_str(name),
            Self::Tool { name, arguments: Some(json) } => write!(f, "{name} {json}"),
            Self::Import(module) => f.write_str(module),
            Self::Model(model) => f.write_str(model),
        }
    }
}
