//! `derive`: prints the config of one sandbox, or every reason why there is none.

mod indent;
mod summary;

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, sandbox_id};
use crate::output::{Format, Output};
use crate::report;
use ringfence_policy::config::SandboxConfig;
use ringfence_policy::derive::Context;
use ringfence_policy::policy_set::PolicySet;

const EXAMPLES: &str = "\
Examples:
  ringfence derive -C examples/acme --spec coder --at 2026-01-31T09:00:00Z --format json
  ringfence derive -C examples/solo";

/// What to derive.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// When it is issued, such as 2026-01-31T09:00:00Z; now when absent
    #[arg(long, value_name = "TIME", value_parser = clock::parse)]
    at: Option<i64>,
    /// Organisation the config is for; the id of its document when absent
    #[arg(long, value_name = "ID")]
    org_id: Option<String>,
    /// Id of the sandbox; made from the organisation and the name when absent
    #[arg(long, value_name = "ID")]
    sandbox_id: Option<String>,
    /// Version to give it; none when absent
    #[arg(long, value_name = "N")]
    policy_version: Option<u64>,
    /// Print one canonical line instead of indented JSON
    #[arg(long)]
    compact: bool,
    #[command(flatten)]
    input: InputArgs,
}

/// Derives one config.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let issued_at = clock::at(args.at)?;
    let mut workspace = Workspace::load(&args.input)?;
    let mut sets = workspace.sandboxes(&args.input.select, Scope::One);
    for set in &mut sets {
        set.org_id = args.org_id.clone().unwrap_or_else(|| set.org_id.clone());
    }
    let derived = workspace.derive(&sets, |set| context(args, set, issued_at));
    let problems = workspace.settle()?;
    report::warnings(output, &problems);
    let Some(derivation) = derived.first() else { return Err(Failure::Io("nothing to derive".into())) };
    print(args, output, &derivation.config)?;
    Ok(Exit::Done)
}

fn context(args: &Args, set: &PolicySet, issued_at: i64) -> Context {
    let own = || sandbox_id(&set.org_id, &set.spec.name.name);
    Context {
        sandbox_id: args.sandbox_id.clone().unwrap_or_else(own),
        issued_at,
        policy_version: args.policy_version,
        self_hosted_dev: set.self_hosted_dev,
        ..Context::default()
    }
}

fn print(args: &Args, output: &Output, config: &SandboxConfig) -> Result<(), Failure> {
    if args.compact {
        let line = ringfence_seal::canonical_bytes(config).map_err(|e| Failure::Io(e.to_string()))?;
        return output.raw(&format!("{}\n", String::from_utf8_lossy(&line)));
    }
    match output.format {
        // Parts of a config are kept as text, which a pretty-printer would leave on one line.
        Format::Json => {
            let line = ringfence_seal::canonical_bytes(config).map_err(|e| Failure::Io(e.to_string()))?;
            output.raw(&format!("{}\n", indent::indent(&String::from_utf8_lossy(&line))))
        }
        _ => output.result(&summary::summary(config)),
    }
}
