//! Where a thing was written.
//!
//! In: the texts of the documents. Out: [`Place`]s that every later stage carries along, so that an
//! error, a rule and a decision can all point at a file, a line and a column.

use serde::Serialize;
use std::sync::Arc;

/// Names one text in a [`Sources`] list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u32);

/// A stretch of one source. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// Which text.
    pub source: SourceId,
    /// Line of the first character, from 1.
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// Byte offset of the first character.
    pub start: u32,
    /// Byte offset just past the last character.
    pub end: u32,
}

/// One text and the name a reader knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file name as the user gave it, or `ringfence:…` for what is built in.
    pub name: Arc<str>,
    /// The whole text, without a byte order mark.
    pub text: Arc<str>,
}

/// Every text that went into a cascade, in the order it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

/// A place spelt out for people and machines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NamedPlace {
    /// File name.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Sources {
    /// Adds a text and returns the id that places in it carry.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceId {
        let id = SourceId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The text behind an id.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.0.get(id.0 as usize)
    }

    /// The file name behind an id; `<unknown>` for an id of another list.
    pub fn name(&self, id: SourceId) -> Arc<str> {
        self.get(id).map_or_else(|| Arc::from("<unknown>"), |s| s.name.clone())
    }

    /// A place with its file name.
    pub fn named(&self, place: Place) -> NamedPlace {
        NamedPlace { file: self.name(place.source), line: place.line, column: place.column }
    }
}
