//! Which layer can enforce what, and what an enabled layer cannot.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::fields::{Aspect, EffectiveFields, FIELDS, FieldId};
use crate::ledger::Ledger;
use crate::level::Layer;
use crate::spec::SandboxSpec;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// A rule that an enabled layer cannot enforce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gap {
    /// The enabled layers that do enforce it.
    pub covered_by: Vec<Layer>,
    /// The layer that cannot.
    pub layer: Layer,
    /// The rule.
    pub rule: Cow<'static, str>,
    /// Why it cannot.
    pub why: Cow<'static, str>,
}

/// What a layer can do about an aspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It enforces the rule.
    Enforces,
    /// It cannot, for this reason.
    Cannot(&'static str),
    /// The aspect is none of its business: nothing of the kind passes through it.
    Elsewhere,
}

/// The whole table: five layers by eleven aspects.
pub fn reach(aspect: Aspect, layer: Layer) -> Reach {
    use Reach::{Cannot, Elsewhere, Enforces};
    match (aspect, layer) {
        (Aspect::Network | Aspect::Filesystem | Aspect::Exec | Aspect::Limits | Aspect::Env, Layer::Kernel) => Enforces,
        (Aspect::Network, Layer::Harness) => Cannot("a hook sees what a tool is asked to do, not the sockets it opens"),
        (Aspect::Filesystem, Layer::Harness) => {
            Cannot("a hook sees the paths in a tool's arguments, not the files it opens")
        }
        (Aspect::Exec, Layer::Harness) => Cannot("a hook sees a command line, not the programs it starts"),
        (Aspect::Network | Aspect::Filesystem | Aspect::Exec, Layer::Codemode) => {
            Cannot("the import gate sees modules; what code reaches is held by the kernel layer")
        }
        (Aspect::Network | Aspect::Filesystem | Aspect::Exec, Layer::Mcp) => {
            Cannot("the proxy sees calls, not what a server does to answer them")
        }
        (Aspect::Tools | Aspect::Guards, Layer::Harness | Layer::Mcp | Layer::Gateway) => Enforces,
        (Aspect::Session, Layer::Harness | Layer::Mcp) => Enforces,
        (Aspect::Session, Layer::Gateway) => {
            Cannot("it can refuse a call in a response, not count what runs or ask a person")
        }
        (Aspect::Tools | Aspect::Session, Layer::Kernel) => {
            Cannot("the kernel sees processes and files, not tool calls")
        }
        (Aspect::Tools | Aspect::Session, Layer::Codemode) => Cannot("code does not pass through the tool decision"),
        (Aspect::Guards, Layer::Kernel | Layer::Codemode) => Cannot("text on its way to the model does not pass here"),
        (Aspect::Code, Layer::Codemode) => Enforces,
        (Aspect::Code, Layer::Kernel) => Cannot("the kernel does not see which module a file belongs to"),
        (Aspect::Gateway, Layer::Gateway) => Enforces,
        (Aspect::Gateway, Layer::Kernel) => {
            Cannot("the kernel can hold the connection to the gateway, not what is asked of a model")
        }
        (Aspect::Run, _) => Enforces,
        (Aspect::Limits | Aspect::Env, _) | (Aspect::Network | Aspect::Filesystem | Aspect::Exec, Layer::Gateway) => {
            Elsewhere
        }
        (Aspect::Code, _) | (Aspect::Gateway, _) => Elsewhere,
    }
}

/// The gap report, and an error for each stated rule that no enabled layer enforces.
pub fn gaps(effective: &EffectiveFields, spec: &SandboxSpec, ledger: &Ledger) -> (Vec<Gap>, Vec<Diagnostic>) {
    let enabled: Vec<Layer> = spec.layers.keys().copied().collect();
    let allow = effective.allow_unenforced.value.is_some_and(|p| p.0);
    let mut out = Vec::new();
    let mut errors = Vec::new();
    for (field, info) in (0u8..).map(FieldId).zip(FIELDS) {
        let by = effective.stated_by(field);
        if by.is_empty() {
            continue;
        }
        let covered: Vec<Layer> =
            enabled.iter().copied().filter(|l| reach(info.aspect, *l) == Reach::Enforces).collect();
        let missing = enabled.iter().filter_map(|l| match reach(info.aspect, *l) {
            Reach::Cannot(why) => Some((*l, why)),
            _ => None,
        });
        out.extend(missing.map(|(layer, why)| Gap {
            covered_by: covered.clone(),
            layer,
            rule: Cow::Borrowed(info.path),
            why: Cow::Borrowed(why),
        }));
        if covered.is_empty() && !allow && !only_baseline(by, ledger) {
            errors.push(unenforced(field, info.aspect, by, ledger, spec));
        }
    }
    (out, errors)
}

/// The built-in baseline speaks of layers that may not be there; nobody asked for those rules here.
fn only_baseline(by: &[u16], ledger: &Ledger) -> bool {
    by.iter().all(|c| ledger.origin(*c).is_some_and(|o| o.file.starts_with("ringfence:baseline")))
}

fn unenforced(field: FieldId, aspect: Aspect, by: &[u16], ledger: &Ledger, spec: &SandboxSpec) -> Diagnostic {
    let able: Vec<&str> =
        Layer::ALL.into_iter().filter(|l| reach(aspect, *l) == Reach::Enforces).map(Layer::as_str).collect();
    let mut d = Diagnostic::error(
        Code::Unenforced,
        format!("no enabled layer of `{}` enforces `{}`", spec.name.name, field.path()),
    );
    for statement in ledger.wholes(field, by).filter_map(|s| ledger.statement(s)).take(1) {
        d = d.at(statement.place, "stated here");
    }
    if spec.place != crate::span::Place::default() {
        d = d.label(spec.place, Role::Context, "the layers of this sandbox");
    }
    d.help(format!("enable {} in the sandbox spec, or state `allowUnenforced: true`", able.join(" or ")))
}
