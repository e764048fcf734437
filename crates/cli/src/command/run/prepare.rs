//! The sandbox of a run: from the cache where nothing has changed, derived from the policies otherwise.
//!
//! In: the flags, the place, the grants in force. Out: the kernel slice with the grants in it, and what there is to
//! say about where it comes from.

use super::cache::Cache;
use super::trail::Trails;
use crate::command::allow::grants::Grant;
use crate::failure::Failure;
use crate::input::{Fingerprint, InputArgs};
use crate::output::{Format, Output};
use crate::report::human;
use ringfence_policy::question::Question;
use ringfence_policy::scale::NetworkMode;
use ringfence_policy::slice::{KernelSlice, LandlockRule};
use ringfence_sandbox::Place;
use ringfence_seal::Hasher;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a run needs of a derivation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Prepared {
    /// The rules, with the grants in them.
    pub(crate) slice: KernelSlice,
    /// The sandbox's name.
    pub(crate) sandbox: String,
    /// The hash of the config, which knows no grants.
    pub(crate) content_hash: String,
    /// The documents that people wrote, by name.
    pub(crate) documents: Vec<String>,
    /// Warnings, ready to be shown.
    pub(crate) warnings: String,
    /// The grants that the ceiling admits.
    pub(crate) grants: Vec<Grant>,
    /// The policy's own allowlist.
    pub(crate) allowlist: Vec<String>,
}

/// A prepared run, and how it came about.
#[derive(Debug)]
pub(crate) struct Preparation {
    pub(crate) prepared: Prepared,
    /// Whether it was derived just now.
    pub(crate) fresh: bool,
    /// The policy files, where they are known.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) cache: Option<(Cache, String)>,
}

/// Prepares a run.
pub(crate) fn prepare(
    input: &InputArgs,
    place: &Place,
    grants: &[Grant],
    output: &Output,
) -> Result<Preparation, Failure> {
    let fingerprint = Fingerprint::take(input);
    let key = fingerprint.as_ref().and_then(|f| key(f, place, grants));
    let cache = key.and_then(|key| Some((Cache::open()?, key)));
    let files = fingerprint.iter().flat_map(Fingerprint::files).map(PathBuf::from).collect();
    if let Some(prepared) = cache.as_ref().and_then(|(cache, key)| cache.get::<Prepared>(key)) {
        warn(&prepared, output);
        return Ok(Preparation { prepared, fresh: false, files, cache });
    }
    let (trails, problems) = Trails::derive(input, place)?;
    let warnings = human::diagnostics(&problems.warnings, &problems.sources);
    let prepared = from_trails(&trails, grants, warnings)?;
    warn(&prepared, output);
    let unchanged = fingerprint.is_some_and(|f| f.is_of(&problems.sources));
    if let Some((cache, key)) = cache.as_ref().filter(|_| unchanged) {
        cache.put(key, &prepared, &trails.config);
    }
    Ok(Preparation { prepared, fresh: true, files, cache: cache.filter(|_| unchanged) })
}

fn warn(prepared: &Prepared, output: &Output) {
    if !prepared.warnings.is_empty() && output.format == Format::Human {
        output.note(&prepared.warnings);
    }
}

/// The sandbox without a cache.
pub(crate) fn from_trails(trails: &Trails, grants: &[Grant], warnings: String) -> Result<Prepared, Failure> {
    let slice = trails.slice.clone().ok_or_else(|| Failure::Io("the sandbox has no kernel layer".into()))?;
    let allowlist = slice.network_egress_allowlist.to_vec();
    let grants: Vec<Grant> = grants.iter().filter(|g| trails.admits(&g.question).is_ok()).cloned().collect();
    Ok(Prepared {
        slice: widened(slice, &grants),
        sandbox: trails.sandbox.clone(),
        content_hash: trails.content_hash.clone(),
        documents: trails.documents.clone(),
        warnings,
        grants,
        allowlist,
    })
}

/// Everything that a derivation depends on: this program, the flags, the files, the grants and whose they are.
fn key(fingerprint: &Fingerprint, place: &Place, grants: &[Grant]) -> Option<String> {
    let own = std::fs::metadata("/proc/self/exe").ok()?;
    let mut hasher = Hasher::default();
    let build = format!("{} {} {} {} {}", own.dev(), own.ino(), own.size(), own.mtime(), own.mtime_nsec());
    hasher.update(format!("{} {build}\n", env!("CARGO_PKG_VERSION")).as_bytes());
    fingerprint.feed(&mut hasher);
    if !grants.is_empty() {
        hasher.update(serde_json::to_string(&(grants, &place.repo, &place.home)).ok()?.as_bytes());
    }
    Some(hasher.finish())
}

/// The slice with what the grants add.
fn widened(mut slice: KernelSlice, grants: &[Grant]) -> KernelSlice {
    for grant in grants {
        match &grant.question {
            Question::Net { .. } => {
                if slice.network_mode == NetworkMode::None {
                    slice.network_mode = NetworkMode::Allowlist;
                    slice.seccomp.socket_families = ["unix", "inet", "inet6"].map(Cow::Borrowed).to_vec();
                }
                Arc::make_mut(&mut slice.network_egress_allowlist).extend(grant.host_rules());
            }
            Question::Read(path) => root(&mut slice.fs.read_roots, &mut slice.landlock_rules, "read", path.to_string()),
            Question::Write(path) => {
                root(&mut slice.fs.write_roots, &mut slice.landlock_rules, "write", path.to_string());
            }
            _ => {}
        }
    }
    slice
}

fn root(roots: &mut Vec<String>, rules: &mut Vec<LandlockRule>, access: &'static str, path: String) {
    if !roots.contains(&path) {
        roots.push(path.clone());
        rules.push(LandlockRule { access: Cow::Borrowed(access), path });
    }
}
