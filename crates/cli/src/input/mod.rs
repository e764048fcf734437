//! Which files a command works on: flags or a folder → texts → documents → the sandboxes they describe.
//!
//! Every problem on the way is collected, so that one run shows every bad file.

mod file;
mod fingerprint;
mod layout;
mod misplaced;
mod read;
mod select;
mod target;
mod workspace;

pub(crate) use file::is_policy_file;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use target::Scope;
pub(crate) use workspace::{Workspace, evaluation, sandbox_id};

use clap::Args;
use std::path::PathBuf;

/// Where the policies are.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Policies")]
pub(crate) struct InputArgs {
    /// Policy folder to search; the current one when absent
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Policy of the organisation; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) org: Vec<PathBuf>,
    /// Policy of one session; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) session_policy: Vec<PathBuf>,
    /// Catalog of the tools that exist
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Ceiling of the machine
    #[arg(long, value_name = "FILE")]
    pub(crate) host: Option<PathBuf>,
    /// Which sandbox.
    #[command(flatten)]
    pub(crate) select: Select,
}

/// Which sandbox of a folder, or which files where flags name them all.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Policies")]
pub(crate) struct Select {
    /// Policy of the project: a file, or a name in the policy folder; repeatable
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) project: Vec<PathBuf>,
    /// Policy of the agent: a file, or a name in the policy folder; repeatable
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) agent: Vec<PathBuf>,
    /// Sandbox spec: a file, or a name in the policy folder
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) spec: Option<PathBuf>,
    /// Preset that narrows the session; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Vec<String>,
}

/// The endings a policy file may have.
pub(crate) const EXTENSIONS: &[&str] = &["yaml", "yml", "json"];

impl InputArgs {
    /// Whether flags name the files, so that no folder is searched.
    pub(crate) fn names_files(&self) -> bool {
        let files =
            !self.org.is_empty() || !self.session_policy.is_empty() || self.tools.is_some() || self.host.is_some();
        files || self.select.names_files()
    }
}

impl Select {
    /// A value is a file when it looks like one. What lies on the disk plays no part: a stray file must not
    /// change what a command means.
    pub(crate) fn names_files(&self) -> bool {
        let mut values = self.project.iter().chain(&self.agent).chain(&self.spec);
        values.any(|v| v.components().count() > 1 || file::is_policy_file(v))
    }
}
