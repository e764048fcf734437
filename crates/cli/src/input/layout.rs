//! Flags or a folder → the list of files that count, each with what it is for.

use super::file::is_policy_file;
use super::misplaced::{self, Misplaced};
use super::{EXTENSIONS, InputArgs};
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::level::Level;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The files that count.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Policy documents; without a level, the document says which.
    pub(crate) documents: Vec<(Option<Level>, PathBuf)>,
    /// Sandbox specs.
    pub(crate) specs: Vec<PathBuf>,
    /// The tool catalog.
    pub(crate) tools: Option<PathBuf>,
    /// The machine's ceiling.
    pub(crate) host: Option<PathBuf>,
    /// Packs of the folder.
    pub(crate) packs: Vec<PathBuf>,
    /// Presets of the folder.
    pub(crate) presets: Vec<PathBuf>,
    /// Every document counts for every sandbox: flags, or a lone `ringfence.yaml`.
    pub(crate) joined: bool,
    /// Files that are not read and look as if they should be.
    pub(super) misplaced: Vec<Misplaced>,
}

impl Layout {
    /// The files that flags name.
    pub(crate) fn from_flags(args: &InputArgs) -> Self {
        let at = |level, paths: &[PathBuf]| paths.iter().map(|p| (Some(level), p.clone())).collect::<Vec<_>>();
        let mut documents = at(Level::Org, &args.org);
        documents.extend(at(Level::Project, &args.select.project));
        documents.extend(at(Level::Agent, &args.select.agent));
        documents.extend(at(Level::Session, &args.session_policy));
        let (tools, host) = (args.tools.clone(), args.host.clone());
        let specs = args.select.spec.iter().cloned().collect();
        Self { documents, specs, tools, host, joined: true, ..Self::default() }
    }

    /// The `ringfence.yaml` of the current folder by itself. Inside a box a socket stands in its place.
    pub(crate) fn of_this_folder() -> Option<Self> {
        let path = Path::new("ringfence.yaml");
        let is_there = path.symlink_metadata().is_ok_and(|m| !m.file_type().is_socket());
        is_there.then(|| Self::lone(path.to_owned()))
    }

    /// Every file that is read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let documents = self.documents.iter().map(|(_, path)| path);
        let others = self.specs.iter().chain(&self.tools).chain(&self.host).chain(&self.packs).chain(&self.presets);
        documents.chain(others).map(PathBuf::as_path)
    }

    /// One document by itself.
    pub(crate) fn lone(path: PathBuf) -> Self {
        Self { documents: vec![(None, path)], joined: true, ..Self::default() }
    }

    /// The files of a policy folder.
    pub(crate) fn from_folder(dir: &Path, problems: &mut Vec<Diagnostic>) -> Self {
        if let Err(e) = std::fs::read_dir(if dir.as_os_str().is_empty() { Path::new(".") } else { dir }) {
            problems.push(no_folder(dir, &e));
            return Self::default();
        }
        let mut search = Search { dir, problems };
        let lone = search.one("ringfence");
        let org = search.one("org");
        let (projects, agents) = (search.all("projects"), search.all("agents"));
        let mut layout = Self {
            specs: search.all("specs"),
            tools: search.one("tools"),
            host: search.one("host"),
            packs: search.all("packs"),
            presets: search.all("presets"),
            ..Self::default()
        };
        let levels = [(Level::Project, projects), (Level::Agent, agents)];
        layout.documents.extend(org.map(|p| (Some(Level::Org), p)));
        layout.documents.extend(levels.into_iter().flat_map(|(l, ps)| ps.into_iter().map(move |p| (Some(l), p))));
        if let Some(lone) = lone {
            if let Some((_, other)) = layout.documents.first() {
                search.problems.push(two_layouts(&lone, other));
            }
            layout.documents = vec![(None, lone)];
            layout.joined = true;
        }
        if layout.documents.is_empty() && search.problems.is_empty() {
            search.problems.push(nothing(dir));
        }
        layout.misplaced = misplaced::find(dir, layout.joined);
        layout
    }
}

struct Search<'a> {
    dir: &'a Path,
    problems: &'a mut Vec<Diagnostic>,
}

impl Search<'_> {
    /// The file of that name with one of the known endings. A dangling link counts: it is reported when read.
    fn one(&mut self, name: &str) -> Option<PathBuf> {
        let candidates = EXTENSIONS.iter().map(|e| self.dir.join(format!("{name}.{e}")));
        // Inside a box a socket stands where a policy must not come into being.
        let is_there = |p: &PathBuf| p.symlink_metadata().is_ok_and(|m| !m.file_type().is_socket());
        let mut found: Vec<PathBuf> = candidates.filter(is_there).collect();
        if let [first, second, ..] = found.as_slice() {
            self.problems.push(
                Diagnostic::error(
                    Code::Layout,
                    format!("`{}` and `{}` are the same thing twice", first.display(), second.display()),
                )
                .help("keep one of them"),
            );
        }
        if found.is_empty() { None } else { Some(found.swap_remove(0)) }
    }

    /// Every policy file of a folder below, by name. Hidden files are editors' own.
    fn all(&mut self, name: &str) -> Vec<PathBuf> {
        let dir = self.dir.join(name);
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Vec::new(),
            Err(e) => {
                self.problems.push(no_folder(&dir, &e));
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => found.push(dir.join(entry.file_name())),
                Err(e) => self.problems.push(no_folder(&dir, &e)),
            }
        }
        found.retain(|p| is_policy_file(p) && !p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.')));
        found.sort();
        found
    }
}

fn no_folder(dir: &Path, e: &std::io::Error) -> Diagnostic {
    let name = dir.display();
    let message = match e.kind() {
        ErrorKind::NotFound => format!("there is no folder `{name}`"),
        ErrorKind::NotADirectory => format!("`{name}` is not a folder"),
        _ => format!("cannot read the folder `{name}`: {e}"),
    };
    Diagnostic::error(Code::Unreadable, message).help("`-C` takes a policy folder; check the path")
}

fn two_layouts(lone: &Path, other: &Path) -> Diagnostic {
    Diagnostic::error(
        Code::Layout,
        format!("`{}` and `{}` are two ways to lay out one folder", lone.display(), other.display()),
    )
    .help("pick one: a lone `ringfence.yaml`, or `org.yaml` with `projects/` and `agents/`")
}

fn nothing(dir: &Path) -> Diagnostic {
    let place = if dir.as_os_str().is_empty() { "here".to_owned() } else { format!("in `{}`", dir.display()) };
    Diagnostic::error(Code::Layout, format!("there is no policy {place}")).help(
        "looked for `ringfence.yaml`, `org.yaml`, `projects/*.yaml` and `agents/*.yaml` (also `.yml` and `.json`); \
         `ringfence init` writes a first one",
    )
}
