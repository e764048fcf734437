//! Timed grants on disk: `<state>/grants/<id>.json`, one file each.
//!
//! In: a state folder. Out: the grants that are in force for a repo. A file that cannot be read, is not ours alone or
//! makes no sense grants nothing. Whether the ceiling admits a grant is judged by whoever uses it.

use crate::failure::Failure;
use ringfence_policy::pattern::HostPattern;
use ringfence_policy::question::Question;
use ringfence_policy::sets::Pattern;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, renameat, unlinkat};
use rustix::process::geteuid;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fs::{DirBuilder, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const FOLDER: &str = "grants";
/// More grants than this are not looked at.
const MOST: usize = 1024;
const LARGEST: u64 = 64 * 1024;

/// One grant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grant {
    /// Who made it, as a user id.
    pub(crate) author_uid: u32,
    /// Its name.
    pub(crate) id: String,
    /// When it was made, in seconds since 1970.
    pub(crate) made_at: i64,
    /// What it opens, as a question.
    #[serde(rename = "what", serialize_with = "write_question", deserialize_with = "read_question")]
    pub(crate) question: Question,
    /// Why.
    pub(crate) reason: String,
    /// The repo whose runs it is for.
    pub(crate) repo: PathBuf,
    /// When it ends, in seconds since 1970.
    pub(crate) until: i64,
    /// For a host that was named without a port: both web ports are meant.
    #[serde(default)]
    pub(crate) web: bool,
}

fn write_question<S: Serializer>(question: &Question, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(question)
}

fn read_question<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Question, D::Error> {
    let text = String::deserialize(deserializer)?;
    let question = Question::parse(&text).map_err(serde::de::Error::custom)?;
    match question {
        Question::Net { .. } | Question::Read(_) | Question::Write(_) => Ok(question),
        _ => Err(serde::de::Error::custom("not something that can be granted")),
    }
}

impl Grant {
    /// The rules that it adds to an allowlist, as the policy prints them.
    pub(crate) fn host_rules(&self) -> Vec<String> {
        let Question::Net { host, port } = &self.question else { return Vec::new() };
        let name = if host.as_str().contains(':') { format!("[{}]", host.as_str()) } else { host.as_str().to_owned() };
        let text = if self.web { name } else { format!("{name}:{port}") };
        HostPattern::parse(&text).map(|rules| rules.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }

    /// What it opens, as a person would say it.
    pub(crate) fn what(&self) -> String {
        match &self.question {
            Question::Net { host, .. } if self.web => format!("net {} (ports 80 and 443)", host.as_str()),
            question => question.to_string(),
        }
    }
}

/// The folder of grants.
#[derive(Debug)]
pub(crate) struct Grants {
    dir: OwnedFd,
    path: PathBuf,
}

impl Grants {
    /// Opens the folder; none where there is none or it cannot be trusted.
    pub(crate) fn open(state: &Path) -> Option<Self> {
        let path = state.join(FOLDER);
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let dir = openat(CWD, &path, flags, Mode::empty()).ok()?;
        let stat = fstat(&dir).ok()?;
        (stat.st_uid == geteuid().as_raw() && stat.st_mode & 0o022 == 0).then_some(Self { dir, path })
    }

    /// Opens the folder, and makes it where there is none.
    pub(crate) fn open_or_make(state: &Path) -> Result<Self, Failure> {
        let path = state.join(FOLDER);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|e| Failure::io("make", &path, e))?;
        Self::open(state).ok_or_else(|| {
            Failure::Io(format!("`{}` cannot be trusted: it is not yours alone, or a link", path.display()))
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Every grant that can be read, in the order of their names.
    pub(crate) fn all(&self) -> Vec<Grant> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten().take(MOST);
        let mut grants: Vec<Grant> = entries.filter_map(|e| self.read(e.file_name().to_str()?)).collect();
        grants.sort_by(|a, b| a.id.cmp(&b.id));
        grants
    }

    /// The grants in force for a repo.
    pub(crate) fn in_force(&self, repo: &Path, now: i64) -> Vec<Grant> {
        let mut grants = self.all();
        grants.retain(|g| g.repo == repo && g.until > now && g.made_at <= now);
        grants
    }

    fn read(&self, name: &str) -> Option<Grant> {
        let id = name.strip_suffix(".json").filter(|id| is_id(id))?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = openat(&self.dir, name, flags, Mode::empty()).ok()?;
        let stat = fstat(&fd).ok()?;
        let ours = stat.st_uid == geteuid().as_raw() && stat.st_mode & 0o022 == 0;
        if !ours || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return None;
        }
        let mut text = String::new();
        File::from(fd).take(LARGEST).read_to_string(&mut text).ok()?;
        serde_json::from_str::<Grant>(&text).ok().filter(|g| g.id == id)
    }

    /// Saves a grant: whoever looks sees all of it or nothing.
    pub(crate) fn save(&self, grant: &Grant) -> Result<(), Failure> {
        let name = format!("{}.json", grant.id);
        let path = self.path.join(&name);
        let failed = |e: std::io::Error| Failure::io("save", &path, e);
        let text = serde_json::to_string_pretty(grant).map_err(|e| failed(e.into()))?;
        let temporary = format!(".{name}.new");
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.dir, &temporary, flags, Mode::RUSR | Mode::WUSR).map_err(|e| failed(e.into()))?;
        let mut file = File::from(fd);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let saved = written.and_then(|()| Ok(renameat(&self.dir, &temporary, &self.dir, &name)?));
        saved.map_err(|e| {
            let _ = unlinkat(&self.dir, &temporary, AtFlags::empty());
            failed(e)
        })
    }

    /// Ends a grant; false where there is none.
    pub(crate) fn revoke(&self, id: &str) -> Result<bool, Failure> {
        if !is_id(id) {
            return Ok(false);
        }
        match unlinkat(&self.dir, format!("{id}.json"), AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(e) => Err(Failure::io("remove", &self.path.join(id), e)),
        }
    }
}

/// `g-` and eight hex digits.
fn is_id(text: &str) -> bool {
    text.strip_prefix("g-").is_some_and(|hex| hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}
