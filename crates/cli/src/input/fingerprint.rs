//! What a command works on, as bytes: enough to tell whether anything has changed, without reading a word of it.
//!
//! In: the flags. Out: the files they mean, with their contents. Nothing is parsed, and nothing is reported: where
//! something is amiss there is no fingerprint, and whoever asked reads the files the long way.

use super::InputArgs;
use super::file;
use super::layout::Layout;
use ringfence_policy::node::decode_text;
use ringfence_policy::span::{SourceId, Sources};
use ringfence_seal::Hasher;
use std::path::{Path, PathBuf};

/// The files that a command works on.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    /// What else the flags and the folder say.
    shape: String,
    texts: Vec<(PathBuf, Vec<u8>)>,
}

impl Fingerprint {
    /// Reads what the flags name or the policy folder holds; a folder without a policy has none but its shape.
    pub(crate) fn take(args: &InputArgs) -> Option<Self> {
        let mut problems = Vec::new();
        let layout = match (args.names_files(), &args.dir) {
            (true, Some(_)) => return None,
            (true, None) => Layout::from_flags(args),
            (false, Some(dir)) => Layout::from_folder(dir, &mut problems),
            (false, None) => Layout::of_this_folder().unwrap_or_default(),
        };
        if !problems.is_empty() {
            return None;
        }
        let mut texts = Vec::new();
        for path in layout.files() {
            texts.push((path.to_owned(), file::bytes(path, "").ok()?));
        }
        Some(Self { shape: format!("{args:?}\n{layout:?}"), texts })
    }

    /// Feeds a hash with all of it, each part with its length.
    pub(crate) fn feed(&self, hasher: &mut Hasher) {
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(self.shape.as_bytes());
        for (path, bytes) in &self.texts {
            part(path.as_os_str().as_encoded_bytes());
            part(bytes);
        }
    }

    /// Whether these very texts were read: a file may have changed between two readings.
    pub(crate) fn is_of(&self, sources: &Sources) -> bool {
        let read = |name: &str, text: &str| {
            let mut all = (0..).map_while(|n| sources.get(SourceId(n)));
            all.any(|s| &*s.name == name && &*s.text == text)
        };
        self.texts.iter().all(|(path, bytes)| {
            decode_text(bytes, SourceId::default()).is_ok_and(|text| read(&path.display().to_string(), text))
        })
    }

    /// The files themselves.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.texts.iter().map(|(path, _)| path.as_path())
    }
}
