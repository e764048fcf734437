//! The texts of a call's arguments, each with its pointer and what its name says it is for.

use serde_json::Value;

/// Deeper arguments are not looked at.
const DEPTH_MAX: usize = 64;
/// Further texts are not looked at.
const TEXTS_MAX: usize = 4096;
/// Nor are further bytes.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// What an argument is for, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Path,
    Command,
    Address,
    Text,
}

/// A text in the arguments.
#[derive(Debug, Clone)]
pub(crate) struct Argument<'a> {
    pub(crate) pointer: String,
    pub(crate) text: &'a str,
    pub(crate) role: Role,
}

/// Whether all of the arguments were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looked {
    AtAll,
    AtSome,
}

/// Every text of the arguments, names of fields as well.
pub(crate) fn strings(arguments: &Value) -> (Vec<Argument<'_>>, Looked) {
    let mut found = Vec::new();
    let mut bytes = 0;
    let mut looked = Looked::AtAll;
    let mut left = vec![(String::new(), arguments, Role::Text, 0)];
    while let Some((pointer, value, role, depth)) = left.pop() {
        if found.len() >= TEXTS_MAX || bytes > BYTES_MAX || depth > DEPTH_MAX || left.len() > TEXTS_MAX {
            looked = Looked::AtSome;
            break;
        }
        match value {
            Value::String(text) => {
                bytes += text.len();
                found.push(Argument { pointer, text, role });
            }
            Value::Array(items) => {
                let items = items.iter().enumerate().take(TEXTS_MAX * 2).rev();
                left.extend(items.map(|(n, item)| (format!("{pointer}/{n}"), item, role, depth + 1)));
            }
            Value::Object(fields) => {
                for (name, field) in fields.iter().rev() {
                    let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                    bytes += name.len();
                    found.push(Argument { pointer: below.clone(), text: name, role: Role::Text });
                    left.push((below, field, Role::of(name, role), depth + 1));
                }
            }
            _ => {}
        }
    }
    (found, looked)
}

impl Role {
    /// By the name of a field; a list in a list keeps what it is.
    fn of(name: &str, above: Self) -> Self {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match () {
            () if has(&["command", "cmd", "script", "shell", "argv", "args"]) => Self::Command,
            () if has(&["url", "uri", "href", "endpoint", "webhook"]) => Self::Address,
            () if has(&["path", "file", "dir", "folder", "cwd"]) && !has(&["content", "text", "profile"]) => Self::Path,
            () if above == Self::Command => above,
            () => Self::Text,
        }
    }
}
