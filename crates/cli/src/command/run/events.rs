//! `--events FILE|-`: each event as a line of JSON, as it happens.

use crate::failure::Failure;
use ringfence_seal::kind::EventKind;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

/// Where events go besides the log.
pub(super) enum Events {
    /// Nowhere.
    Nobody,
    /// To the standard error stream.
    Stderr,
    /// To a file.
    File(Mutex<File>),
}

impl Events {
    /// Opens what the flag names. A file is written anew.
    pub(super) fn open(flag: Option<&Path>) -> Result<Self, Failure> {
        match flag {
            None => Ok(Self::Nobody),
            Some(path) if path == Path::new("-") => Ok(Self::Stderr),
            Some(path) => {
                File::create(path).map(|f| Self::File(Mutex::new(f))).map_err(|e| Failure::io("write", path, e))
            }
        }
    }

    /// Tells of one event. Whoever stopped listening misses it; the log has it.
    pub(super) fn tell(&self, seq: u64, kind: EventKind, layer: Option<&str>, payload: &Json, because: &[Json]) {
        if matches!(self, Self::Nobody) {
            return;
        }
        let event = json!({ "because": because, "kind": kind, "layer": layer, "payload": payload, "seq": seq });
        let line = format!("{event}\n");
        let _ = match self {
            Self::Nobody => Ok(()),
            Self::Stderr => std::io::stderr().lock().write_all(line.as_bytes()),
            Self::File(file) => match file.lock() {
                Ok(mut file) => file.write_all(line.as_bytes()),
                Err(_) => Ok(()),
            },
        };
    }
}
