//! Statements that cannot all hold, and permissions that nobody here may give. Never a silent "none".

use crate::cascade::{Cascade, Contribution};
use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Role};
use crate::fields::{FieldId, id};
use crate::level::Layer;
use crate::pattern::Label;
use crate::resolve::Resolved;
use crate::scale::{Effect, FsPermission, NetworkMode};
use crate::span::Place;
use crate::spec::{SandboxSpec, unknown_layer};

/// Lower levels that name a capability which a level above forbids.
pub fn forbidden_capabilities(cascade: &Cascade, catalog: Option<&Catalog>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let all = cascade.contributions();
    for below in all.iter().filter(|c| !c.origin.clamps) {
        let floors = all.iter().filter(|c| c.origin.level < below.origin.level && c.fields.forbidden.is_some());
        let floors: Vec<&Contribution> = floors.map(|c| &**c).collect();
        if floors.is_empty() {
            continue;
        }
        granted(below, catalog, |capability, place, words| {
            for above in &floors {
                let Some(floor) = above.fields.forbidden.as_ref().filter(|f| f.value.contains(capability)) else {
                    continue;
                };
                out.push(lifted(below, above, capability, place, floor.place_of(Some(capability)), &words()));
            }
        });
    }
    out
}

/// Calls `found` with each capability a contribution asks for: by name, or through a tool it lets through by
/// name. The words are only made when they are needed.
fn granted(
    contribution: &Contribution,
    catalog: Option<&Catalog>,
    mut found: impl FnMut(&Label, Place, &dyn Fn() -> String),
) {
    for (label, place) in contribution.fields.permitted.iter().flat_map(|s| &s.items) {
        found(label, *place, &|| format!("allows the capability `{label}`"));
    }
    let (Some(rules), Some(catalog)) = (&contribution.fields.tool_rules, catalog) else { return };
    // A document has one table, whose rules and items are both in order.
    let entries = rules.value.tables().first().map_or(&[][..], |t| t.entries()).iter();
    let mut catalog = catalog.walk();
    for ((pattern, effect), (_, place)) in entries.zip(&rules.items) {
        if *effect == Effect::Deny || pattern.is_prefix() {
            continue;
        }
        for capability in catalog.get(pattern.stem()).map_or(&[][..], |t| &t.capabilities) {
            found(capability, *place, &|| format!("`{pattern}: {effect}`, a tool with `{capability}`"));
        }
    }
}

fn lifted(
    below: &Contribution,
    above: &Contribution,
    capability: &Label,
    at: Place,
    floor: Place,
    words: &str,
) -> Diagnostic {
    let message = format!(
        "the {} level lets through `{capability}`, which the {} level forbids",
        below.origin.level, above.origin.level
    );
    let mut d = Diagnostic::error(Code::ForbiddenCapability, message)
        .at(at, words)
        .label(floor, Role::Floor, format!("forbidden by {}", above.origin.who()))
        .help("remove the statement; a forbidden capability cannot be given back below");
    d.attempt = Some(words.to_owned());
    d.floor = Some(format!("forbids {capability}"));
    d.set_by = Some(above.origin.who());
    d
}

/// Everything that cannot hold together.
pub fn contradictions(resolved: &Resolved<'_>, spec: &SandboxSpec, self_hosted_dev: bool) -> Vec<Diagnostic> {
    let mut out = required_layers(resolved, spec);
    out.extend(empty_residency(resolved));
    out.extend(retention(resolved));
    out.extend(impossible_arguments(resolved));
    if !self_hosted_dev {
        out.extend(reserved(resolved));
    }
    out
}

/// Where a field is stated, from the top level down.
fn stated(resolved: &Resolved<'_>, field: FieldId) -> Vec<(Place, String)> {
    let by = resolved.fields.stated_by(field);
    let statements = resolved.ledger.wholes(field, by).filter_map(|s| resolved.ledger.statement(s));
    statements.map(|s| (s.place, s.origin.who())).collect()
}

fn pointing(mut d: Diagnostic, places: Vec<(Place, String)>) -> Diagnostic {
    for (n, (place, who)) in places.into_iter().enumerate() {
        let role = if n == 0 { Role::Attempt } else { Role::Context };
        d = d.label(place, role, format!("stated by {who}"));
    }
    d
}

fn required_layers(resolved: &Resolved<'_>, spec: &SandboxSpec) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let required =
        resolved.cascade.contributions().iter().filter_map(|c| Some((c, c.fields.required_layers.as_ref()?)));
    for (contribution, (label, place)) in required.flat_map(|(c, s)| s.items.iter().map(move |i| (c, i))) {
        match Layer::WORDS.iter().find(|(w, _)| *w == label.as_str()) {
            None => out.push(unknown_layer(label.as_str(), *place)),
            Some((_, layer)) if !spec.has(*layer) => {
                let message = format!("the layer `{layer}` is required and `{}` does not enable it", spec.name.name);
                let mut d = Diagnostic::error(Code::Contradiction, message)
                    .at(*place, format!("required by {}", contribution.origin.who()));
                if spec.place != Place::default() {
                    d = d.label(spec.place, Role::Context, "the sandbox");
                }
                out.push(d.help(format!("add `{layer}` to `layers` of the sandbox spec")));
            }
            Some(_) => {}
        }
    }
    out
}

fn empty_residency(resolved: &Resolved<'_>) -> Option<Diagnostic> {
    let empty = resolved.fields.residency.value.as_ref().is_some_and(|s| s.is_empty());
    let d = Diagnostic::error(Code::Contradiction, "no region is left in `gateway.residency`")
        .help("the lists of all levels must share a region");
    empty.then(|| pointing(d, stated(resolved, id::residency)))
}

fn retention(resolved: &Resolved<'_>) -> Option<Diagnostic> {
    let (least, most) = (resolved.fields.log_at_least.value?, resolved.fields.log_at_most.value?);
    let message = format!("the log must be kept at least {} and at most {}", least.0, most.0);
    let places = [stated(resolved, id::log_at_least), stated(resolved, id::log_at_most)].concat();
    let d =
        Diagnostic::error(Code::Contradiction, message).help("raise the maximum or lower the minimum where it was set");
    (least.0 > most.0).then(|| pointing(d, places))
}

fn impossible_arguments(resolved: &Resolved<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (tool, slots) in resolved.fields.tool_constraints.value.iter().flat_map(|c| &c.0) {
        for slot in slots.iter().filter(|(_, p)| p.is_contradictory()).map(|(s, _)| s) {
            let rule = format!("tools.constraints[{tool}.{slot}]");
            let places = resolved.ledger.statements_of(&rule).map(|s| (s.place, s.origin.who())).collect();
            let d = Diagnostic::error(
                Code::Contradiction,
                format!("no value of `{slot}` satisfies `{tool}`: `min` is above `max`"),
            )
            .help("raise `max` or lower `min`");
            out.push(pointing(d, places));
        }
    }
    out
}

fn reserved(resolved: &Resolved<'_>) -> Vec<Diagnostic> {
    let error = |field: FieldId, word: &str| {
        let d = Diagnostic::error(
            Code::Reserved,
            format!("`{}: {word}` is reserved for self-hosted development", field.path()),
        )
        .help("state something stricter, or let the machine's own `host.yaml` say `selfHostedDev: true`");
        pointing(d, stated(resolved, field))
    };
    let mut out = Vec::new();
    if resolved.network == NetworkMode::Host {
        out.push(error(id::network_mode, "host"));
    }
    if resolved.permission == FsPermission::Full {
        out.push(error(id::fs_permission, "full"));
    }
    out
}

/// Merges that leave nothing: allowed, but seldom meant.
pub fn warnings(resolved: &Resolved<'_>) -> Vec<Diagnostic> {
    let f = &resolved.fields;
    let mut out = Vec::new();
    let mut emptied = |field: FieldId, empty: bool, left: &str| {
        let places = stated(resolved, field);
        if empty && places.len() > 1 {
            let d =
                Diagnostic::warning(Code::NoEffect, format!("the lists of `{}` share nothing: {left}", field.path()))
                    .help("list what every level should allow in each of them");
            out.push(pointing(d, places));
        }
    };
    emptied(
        id::network_allowlist,
        f.network_allowlist.value.as_ref().is_some_and(|s| s.is_empty()),
        "there is no network",
    );
    emptied(id::models, f.models.value.as_ref().is_some_and(|s| s.is_empty()), "no model can be called");
    emptied(
        id::exec_allowlist,
        f.exec_allowlist.value.as_ref().is_some_and(|s| s.is_empty()),
        "no program can be started",
    );
    emptied(
        id::allowed_imports,
        f.allowed_imports.value.as_ref().is_some_and(|s| s.is_empty()),
        "no module can be imported",
    );
    out
}
