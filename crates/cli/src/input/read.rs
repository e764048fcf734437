//! The listed files → typed documents in a workspace. A bad file is a problem of its own; the others are
//! still read.

use super::file;
use super::layout::Layout;
use super::misplaced::Misplaced;
use super::workspace::{Document, Spec, Workspace};
use ringfence_policy::catalog::Catalog;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::{Layer, Level};
use ringfence_policy::library;
use ringfence_policy::node::Node;
use ringfence_policy::pack::Pack;
use ringfence_policy::policy_set::Leveled;
use ringfence_policy::read::Reader;
use ringfence_policy::span::{Place, SourceId};
use ringfence_policy::spec::{HostCeiling, SandboxSpec};
use std::path::Path;
use std::sync::Arc;

/// The most problems that are kept of one file.
const MOST_PER_FILE: usize = 1000;

/// One file, read as what it should be.
struct Loaded<T> {
    value: T,
    source: SourceId,
    /// Nothing was wrong with it.
    sound: bool,
}

impl Workspace {
    /// Reads every file of a layout.
    pub(super) fn read(&mut self, layout: &Layout) {
        for (level, path) in &layout.documents {
            self.read_document(*level, path);
        }
        for path in &layout.specs {
            self.read_spec(path);
        }
        // What could be read of a broken catalog would make every other tool unknown: none is better.
        let catalog = layout.tools.as_ref().and_then(|p| self.read_as(p, Catalog::read));
        self.catalog = catalog.filter(|c| c.sound).map(|c| c.value);
        let host = layout.host.as_ref().and_then(|p| self.read_as(p, HostCeiling::read));
        self.host = host.map(|h| h.value);
        for path in &layout.packs {
            self.read_pack(path);
        }
        for path in &layout.presets {
            self.read_preset(path);
        }
        for misplaced in &layout.misplaced {
            self.warn_of_misplaced(misplaced);
        }
    }

    fn warn_of_misplaced(&mut self, misplaced: &Misplaced) {
        let (path, place) = (misplaced.path.display().to_string(), misplaced.place.display());
        let d = Diagnostic::warning(Code::Layout, format!("`{path}` is not read, what it states does not hold"));
        let help = match misplaced.taken {
            false => format!("move it to `{place}`"),
            true => format!("`{place}` is read, and is there already: make one file of the two, or rename this one"),
        };
        let source = self.sources.add(path, "");
        self.problems.push(d.at(file::start(source), "this file").help(help));
    }

    fn read_document(&mut self, level: Option<Level>, path: &Path) {
        let Some(loaded) = self.read_as(path, PolicyDocument::read) else { return };
        let document = loaded.value;
        let level = level.or(document.level.map(|(l, _)| l)).unwrap_or(Level::Project);
        let leveled = Leveled { level, fallback_id: file::stem(path), document };
        self.documents.push(Document { leveled, source: loaded.source });
    }

    /// Reads a document that lies in no file.
    pub(super) fn read_text(&mut self, name: &str, text: &str) {
        let source = self.sources.add(name, text);
        let mut reader = Reader::default();
        let document = library::parse(source, &self.sources, &mut reader, PolicyDocument::read);
        self.keep(reader.diagnostics, source);
        if let Some(document) = document {
            let level = document.level.map_or(Level::Project, |(l, _)| l);
            self.documents
                .push(Document { leveled: Leveled { level, fallback_id: name.to_owned(), document }, source });
        }
    }

    fn read_spec(&mut self, path: &Path) {
        let Some(loaded) = self.read_as(path, SandboxSpec::read) else { return };
        let mut spec = loaded.value;
        if !loaded.sound {
            // Nothing will be derived from it. With every layer on, the rest of the run reports what is
            // wrong elsewhere and not what follows from this.
            spec.layers = Layer::ALL.into_iter().map(|l| (l, Place::default())).collect();
        }
        if spec.name.name.is_empty() {
            spec.name.name = Arc::from(file::stem(path));
        }
        self.specs.push(Spec { stem: file::stem(path), spec, source: loaded.source });
    }

    fn read_pack(&mut self, path: &Path) {
        let Some(loaded) = self.read_as(path, Pack::read) else { return };
        let stem = file::stem(path);
        let name = if loaded.value.id.is_empty() { stem.as_str() } else { &loaded.value.id };
        let added = self.library.add_pack(name, loaded.source);
        self.blame(added, loaded.source);
    }

    fn read_preset(&mut self, path: &Path) {
        let Some(loaded) = self.read_as(path, PolicyDocument::read) else { return };
        let stem = file::stem(path);
        let added = self.library.add_preset(loaded.value.id_or(&stem), loaded.source);
        self.blame(added, loaded.source);
    }

    fn blame(&mut self, result: Result<(), Box<Diagnostic>>, source: SourceId) {
        if let Err(d) = result {
            self.problems.push(d.at(file::start(source), "this file"));
        }
    }

    fn read_as<T>(&mut self, path: &Path, read: fn(&Node, &mut Reader) -> T) -> Option<Loaded<T>> {
        let source = match file::read(path, &mut self.sources) {
            Ok(source) => source,
            Err(d) => {
                self.problems.push(*d);
                return None;
            }
        };
        let mut reader = Reader::default();
        let value = library::parse(source, &self.sources, &mut reader, read);
        let sound = !reader.diagnostics.iter().any(Diagnostic::is_error);
        self.keep(reader.diagnostics, source);
        value.map(|value| Loaded { value, source, sound })
    }
    /// Keeps the problems of one text, up to a bound: a file of nothing but mistakes must not fill the memory.
    fn keep(&mut self, mut found: Vec<Diagnostic>, source: SourceId) {
        let more = found.len().saturating_sub(MOST_PER_FILE);
        found.truncate(MOST_PER_FILE);
        if more > 0 {
            let name = self.sources.name(source);
            found.push(
                Diagnostic::error(Code::TooLarge, format!("`{name}` has {more} more problems"))
                    .help("put the first ones right, then run it again"),
            );
        }
        // A problem of the whole text has no place; the reader of the message still needs the file.
        self.problems.extend(found.into_iter().map(|d| match d.labels.is_empty() {
            true => d.at(file::start(source), "this file"),
            false => d,
        }));
    }
}
