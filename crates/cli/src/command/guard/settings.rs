//! Which guards, and how strict: from a policy or from flags, never from both.

use super::Args;
use crate::command::scan::{Level, check_domains};
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output};
use crate::report;
use clap::ValueEnum;
use ringfence_guard::Severity;
use ringfence_guard::inspect::{Class, QuarantineSettings, ScannerSettings, Settings, SpotlightSettings};
use ringfence_guard::spotlight::Mode;
use ringfence_policy::config::SandboxConfig;
use ringfence_policy::scale::{CapabilityClass, SeverityBlock, SpotlightMode};
use ringfence_policy::slice::Guards;

/// The guards by flags.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Guards, where no policy is named")]
pub(super) struct SettingArgs {
    /// From which severity a finding blocks; error when absent
    #[arg(long, value_enum, value_name = "SEVERITY")]
    block: Option<Level>,
    /// Domain whose links are harmless; once one is given, links elsewhere are findings; repeatable
    #[arg(long, value_name = "DOMAIN")]
    url_allow: Vec<String>,
    /// How text is marked; delimit when absent
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<Marking>,
    /// Show a summary where the output has so many characters or more
    #[arg(long, value_name = "CHARS")]
    quarantine: Option<u64>,
    /// Show a summary where the output would be withheld
    #[arg(long)]
    quarantine_unsafe: bool,
}

/// How text is marked, as a word on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Marking {
    Delimit,
    Datamark,
    Encode,
    None,
}

impl SettingArgs {
    fn is_given(&self) -> bool {
        let Self { block, url_allow, mode, quarantine, quarantine_unsafe } = self;
        block.is_some() || !url_allow.is_empty() || mode.is_some() || quarantine.is_some() || *quarantine_unsafe
    }
}

/// The settings of this call.
pub(super) fn settings(args: &Args, output: &Output) -> Result<Settings, Failure> {
    match (names_policy(&args.input), args.settings.is_given()) {
        (true, true) => Err(Failure::Usage(
            "the guards are set by a policy or by flags, not by both: leave out the flags of one".into(),
        )),
        (true, false) => by_policy(&args.input, output),
        (false, _) => {
            check_domains(&args.settings.url_allow)?;
            Ok(by_flags(&args.settings, args.summariser.is_some()))
        }
    }
}

/// Whether a flag names a policy. The current folder alone does not: a file that lies there must not switch a guard off.
fn names_policy(input: &InputArgs) -> bool {
    let select = &input.select;
    let selects = !select.project.is_empty() || !select.agent.is_empty() || select.spec.is_some();
    input.dir.is_some() || input.names_files() || selects || !select.preset.is_empty()
}

fn by_flags(flags: &SettingArgs, summariser: bool) -> Settings {
    let defaults = QuarantineSettings::default();
    let (enabled, mode) = match flags.mode.unwrap_or(Marking::Delimit) {
        Marking::Delimit => (true, Mode::Delimit),
        Marking::Datamark => (true, Mode::Datamark),
        Marking::Encode => (true, Mode::Encode),
        Marking::None => (false, Mode::Delimit),
    };
    Settings {
        scanner: ScannerSettings {
            enabled: true,
            severity_block: flags.block.map_or(Severity::Error, Severity::from),
            url_allowlist: flags.url_allow.clone(),
        },
        quarantine: QuarantineSettings {
            enabled: flags.quarantine.is_some() || flags.quarantine_unsafe,
            on_unsafe: flags.quarantine_unsafe,
            // Where only what is unsafe is to be summarised, no length is too much.
            threshold_chars: flags.quarantine.unwrap_or(u64::MAX),
            class: if summariser { Class::Large } else { defaults.class },
        },
        spotlighting: SpotlightSettings { enabled, mode },
    }
}

fn by_policy(input: &InputArgs, output: &Output) -> Result<Settings, Failure> {
    let mut workspace = Workspace::load(input)?;
    let sets = workspace.sandboxes(&input.select, Scope::One);
    let derived = workspace.derive(&sets, evaluation);
    let problems = workspace.settle()?;
    if output.format == Format::Human {
        report::warnings(output, &problems);
    }
    let guards = derived.first().and_then(|derivation| guards(&derivation.config));
    guards.map(mirrored).ok_or_else(|| {
        Failure::Usage("this sandbox has no layer that guards tool output: harness, mcp and gateway are off".into())
    })
}

/// The guards of a config: they are the same in every slice that has them.
fn guards(config: &SandboxConfig) -> Option<&Guards> {
    let mcp = config.layer_4_mcp.as_ref().map(|slice| &slice.guards);
    let harness = config.layer_2_harness.as_ref().map(|slice| &slice.guards);
    mcp.or(harness).or(config.layer_5_gateway.as_ref().map(|slice| &slice.guards))
}

/// A slice's guards as the guard crate knows them.
pub(crate) fn mirrored(guards: &Guards) -> Settings {
    let Guards { output_scanner, quarantine, spotlighting } = guards;
    Settings {
        scanner: ScannerSettings {
            enabled: output_scanner.enabled,
            severity_block: match output_scanner.severity_block {
                SeverityBlock::Info => Severity::Info,
                SeverityBlock::Warn => Severity::Warn,
                SeverityBlock::Error => Severity::Error,
                SeverityBlock::Critical => Severity::Critical,
            },
            url_allowlist: output_scanner.url_allowlist.clone(),
        },
        quarantine: QuarantineSettings {
            enabled: quarantine.enabled,
            on_unsafe: quarantine.on_unsafe,
            threshold_chars: quarantine.threshold_chars,
            class: match quarantine.capability_class {
                CapabilityClass::Extractive => Class::Extractive,
                CapabilityClass::ReasoningSmall => Class::Small,
                CapabilityClass::ReasoningMedium => Class::Medium,
                CapabilityClass::ReasoningLarge => Class::Large,
            },
        },
        spotlighting: SpotlightSettings {
            enabled: spotlighting.enabled,
            mode: match spotlighting.mode {
                SpotlightMode::Delimit => Mode::Delimit,
                SpotlightMode::Datamark => Mode::Datamark,
                SpotlightMode::Encode => Mode::Encode,
            },
        },
    }
}
