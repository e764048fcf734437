//! The index: answers a question in tens of nanoseconds, with the statements behind the answer.
//!
//! Everything that can be worked out beforehand is: an answer borrows its trail, allocates nothing and
//! touches a few hash slots. `reference` answers the same questions the slow and obvious way; the tests
//! hold the two against each other.

use crate::fields::{FieldId, Fields, id};
use crate::http::HttpRules;
use crate::ledger::{Ledger, Reason, StatementId};
use crate::path_index::{PathIndex, PathNames};
use crate::pattern::{Host, HostPattern, ImportPattern, NamePattern, Program, QuestionPath};
use crate::question::Question;
use crate::resolve::{Resolved, exec_fields, http_statements, network_fields};
use crate::rules::RuleTable;
use crate::scale::{Effect, ExecMode, NetworkMode};
use crate::sets::{AllowSet, Nested};
use crate::spec::SandboxSpec;
use crate::strictness::Stated;
use crate::tools::{Check, ToolVerdict, ToolVerdicts};
use hashbrown::HashMap;
use serde_json::Value as Json;
use std::sync::Arc;

/// An answer with its trail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'a> {
    /// What happens.
    pub effect: Effect,
    /// The statements behind it, what decides first. Never empty.
    pub reasons: &'a [Reason],
    /// The argument that failed its constraint, and the part it failed.
    pub failed: Option<(&'a Check, &'static str)>,
}

type Reasons = Box<[Reason]>;

/// A compiled policy set.
#[derive(Debug)]
pub struct Index {
    ledger: Arc<Ledger>,
    tools: HashMap<Box<str>, u32>,
    /// In an open world: the patterns, in the order of `verdicts.tools`.
    patterns: Option<RuleTable>,
    verdicts: ToolVerdicts,
    network: NetworkMode,
    hosts: HashMap<Box<str>, Vec<HostEntry>>,
    network_reasons: Reasons,
    network_miss: Reasons,
    http: HttpRules,
    paths: PathIndex,
    exec: ExecMode,
    programs: Names<Program>,
    programs_denied: HashMap<Box<str>, Reasons>,
    exec_reasons: Reasons,
    imports: Option<HashMap<Box<str>, Reasons>>,
    imports_denied: HashMap<Box<str>, Reasons>,
    imports_miss: Reasons,
    models: Option<Vec<(NamePattern, Reasons)>>,
    models_miss: Reasons,
    lists: Lists,
}

/// Every document's own allow lists, to say which of them a refused thing is missing from.
#[derive(Debug)]
struct Lists {
    network: Vec<(StatementId, AllowSet<HostPattern>)>,
    /// What documents say of the requests of hosts.
    http: Vec<(StatementId, HostPattern)>,
    programs: Vec<(StatementId, AllowSet<Program>)>,
    imports: Vec<(StatementId, AllowSet<ImportPattern>)>,
    models: Vec<(StatementId, AllowSet<NamePattern>)>,
}

#[derive(Debug)]
struct HostEntry {
    below: bool,
    port: u16,
    reasons: Reasons,
}

/// An allow set of programs with reasons; absent where nobody states one.
type Names<P> = Option<(AllowSet<P>, HashMap<Box<str>, Reasons>)>;

impl Index {
    /// Compiles what holds.
    pub fn new(resolved: &Resolved<'_>, spec: &SandboxSpec) -> Self {
        let build = Build { resolved };
        let verdicts = resolved.tools.clone();
        let open = verdicts.tools.iter().any(|t| t.pattern.is_prefix()) || !closed(resolved);
        let tools = (0u32..).zip(&verdicts.tools).filter(|(_, t)| !t.pattern.is_prefix());
        Self {
            ledger: resolved.ledger.clone(),
            tools: tools.map(|(n, t)| (Box::from(t.pattern.stem()), n)).collect(),
            patterns: open
                .then(|| RuleTable::new(verdicts.tools.iter().map(|t| (t.pattern.clone(), t.effect)).collect())),
            verdicts,
            network: resolved.network,
            hosts: build.hosts(),
            network_reasons: build.network(),
            network_miss: build.wholes(&[id::network_allowlist], Effect::Deny),
            http: resolved.fields.network_http.value.clone().unwrap_or_default(),
            paths: PathIndex::new(resolved, spec),
            exec: resolved.exec,
            programs: build.programs(),
            programs_denied: build.denied(id::exec_denied, |f| {
                f.exec_denied.iter().flat_map(|s| &s.items).enumerate().map(|(n, (p, _))| (n, p.to_string())).collect()
            }),
            exec_reasons: build.exec(),
            imports: build.imports(),
            imports_denied: build.denied(id::denied_imports, |f| {
                f.denied_imports
                    .iter()
                    .flat_map(|s| &s.items)
                    .enumerate()
                    .map(|(n, (p, _))| (n, p.to_string()))
                    .collect()
            }),
            imports_miss: build.miss(id::allowed_imports),
            models: build.models(),
            models_miss: build.miss(id::models),
            lists: Lists {
                network: build.lists(id::network_allowlist, |f| f.network_allowlist.as_ref()),
                http: build.http(),
                programs: build.lists(id::exec_allowlist, |f| f.exec_allowlist.as_ref()),
                imports: build.lists(id::allowed_imports, |f| f.allowed_imports.as_ref()),
                models: build.lists(id::models, |f| f.models.as_ref()),
            },
        }
    }

    /// The ledger in which reasons can be looked up.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Answers any question.
    pub fn decide(&self, question: &Question) -> Answer<'_> {
        match question {
            Question::Net { host, port } => self.net(host, *port),
            Question::Read(path) => self.read(path),
            Question::Write(path) => self.write(path),
            Question::Exec(program) => self.exec(program),
            Question::Tool { name, arguments } => self.tool(name, arguments.as_ref()),
            Question::Import(module) => self.import(module),
            Question::Model(model) => self.model(model),
        }
    }

    /// The trail of an answer, sharpened for a reader: a list that does hold what was refused for the sake of
    /// another list speaks for it. Slower than the answer itself.
    pub fn trail(&self, question: &Question, answer: &Answer<'_>) -> Vec<Reason> {
        let mut reasons = answer.reasons.to_vec();
        if answer.effect == Effect::Deny {
            for reason in &mut reasons {
                if self.lists_it(question, reason.statement) {
                    reason.effect = Effect::Allow;
                }
            }
            reasons.sort_by_key(|r| std::cmp::Reverse(r.effect));
        } else if let Question::Net { host, port } = question {
            let narrowing = self.lists.http.iter().filter(|(_, pattern)| pattern.matches(host, *port));
            reasons.extend(narrowing.map(|(statement, _)| Reason { effect: answer.effect, statement: *statement }));
        }
        reasons
    }

    fn lists_it(&self, question: &Question, statement: StatementId) -> bool {
        fn among<P>(lists: &[(StatementId, AllowSet<P>)], statement: StatementId, hit: impl Fn(&P) -> bool) -> bool
        where
            P: Nested,
        {
            lists.iter().any(|(s, set)| *s == statement && set.members().iter().any(&hit))
        }
        match question {
            Question::Net { host, port } => among(&self.lists.network, statement, |p| p.matches(host, *port)),
            Question::Exec(program) => among(&self.lists.programs, statement, |p| p.matches(program)),
            Question::Import(module) => among(&self.lists.imports, statement, |p| p.matches(module)),
            Question::Model(model) => among(&self.lists.models, statement, |p| p.matches(model)),
            Question::Read(_) | Question::Write(_) | Question::Tool { .. } => false,
        }
    }

    /// May it call this tool?
    pub fn tool(&self, name: &str, arguments: Option<&Json>) -> Answer<'_> {
        let verdict = self.verdict(name);
        if let (Some(arguments), true) = (arguments, verdict.effect != Effect::Deny) {
            for check in &verdict.checks {
                let value = arguments.get(&check.slot).unwrap_or(&Json::Null);
                if let Err(part) = check.predicate.check(value) {
                    let reasons = std::slice::from_ref(&check.reason);
                    return Answer { effect: Effect::Deny, reasons, failed: Some((check, part)) };
                }
            }
        }
        answer(verdict.effect, &verdict.reasons)
    }

    /// The verdict that covers a tool.
    pub fn verdict(&self, name: &str) -> &ToolVerdict {
        let at = match (self.tools.get(name), &self.patterns) {
            (Some(n), _) => Some(*n as usize),
            (None, Some(patterns)) => patterns.lookup(name).map(|(n, _)| n),
            (None, None) => None,
        };
        at.and_then(|n| self.verdicts.tools.get(n)).unwrap_or(&self.verdicts.other)
    }

    /// May it connect to this host?
    pub fn net(&self, host: &Host<'_>, port: u16) -> Answer<'_> {
        match self.network {
            NetworkMode::Host => answer(Effect::Allow, &self.network_reasons),
            NetworkMode::None => answer(Effect::Deny, &self.network_reasons),
            NetworkMode::Allowlist => {
                let mut hit: Option<&Reasons> = None;
                host.suffixes(|name, below| {
                    let entries = self.hosts.get(name).map_or(&[][..], Vec::as_slice);
                    hit = entries.iter().find(|e| e.below == below && e.port == port).map(|e| &e.reasons);
                    hit.is_some()
                });
                hit.map_or_else(|| answer(Effect::Deny, &self.network_miss), |r| answer(Effect::Allow, r))
            }
        }
    }

    /// The rules for requests over plain HTTP.
    pub fn http(&self) -> &HttpRules {
        &self.http
    }

    /// May it read this path?
    pub fn read(&self, path: &QuestionPath) -> Answer<'_> {
        self.paths.read(&PathNames::new(path, &self.paths))
    }

    /// May it write this path?
    pub fn write(&self, path: &QuestionPath) -> Answer<'_> {
        self.paths.write(&PathNames::new(path, &self.paths))
    }

    /// May it start this program?
    pub fn exec(&self, program: &Program) -> Answer<'_> {
        let denied =
            self.programs_denied.get(program.as_str()).or_else(|| self.programs_denied.get(program.base_name()));
        if let Some(reasons) = denied {
            return answer(Effect::Deny, reasons);
        }
        let listed =
            self.programs.as_ref().and_then(|(_, by)| by.get(program.as_str()).or_else(|| by.get(program.base_name())));
        match (self.exec, listed) {
            (ExecMode::Any, _) => answer(Effect::Allow, &self.exec_reasons),
            (ExecMode::Allowlist, Some(reasons)) => answer(Effect::Allow, reasons),
            _ => answer(Effect::Deny, &self.exec_reasons),
        }
    }

    /// May its code import this module?
    pub fn import(&self, module: &str) -> Answer<'_> {
        let mut hit: Option<&Reasons> = None;
        if ImportPattern::parents(module, |m| {
            hit = self.imports_denied.get(m);
            hit.is_some()
        }) {
            return hit.map_or_else(|| answer(Effect::Deny, &self.imports_miss), |r| answer(Effect::Deny, r));
        }
        let Some(allowed) = &self.imports else { return answer(Effect::Allow, &self.imports_miss) };
        ImportPattern::parents(module, |m| {
            hit = allowed.get(m);
            hit.is_some()
        });
        hit.map_or_else(|| answer(Effect::Deny, &self.imports_miss), |r| answer(Effect::Allow, r))
    }

    /// May it call this model?
    pub fn model(&self, model: &str) -> Answer<'_> {
        let Some(models) = &self.models else { return answer(Effect::Allow, &self.models_miss) };
        let hit = models.iter().find(|(p, _)| p.matches(model));
        hit.map_or_else(|| answer(Effect::Deny, &self.models_miss), |(_, r)| answer(Effect::Allow, r))
    }
}

fn answer(effect: Effect, reasons: &[Reason]) -> Answer<'_> {
    Answer { effect, reasons, failed: None }
}

/// With a catalog nothing but its tools exists.
fn closed(resolved: &Resolved<'_>) -> bool {
    resolved.tools.other.reasons.iter().any(|r| r.statement == resolved.silence.tools.unknown_tool)
}

/// Works out the trails beforehand.
pub(crate) struct Build<'a, 'r> {
    pub(crate) resolved: &'a Resolved<'r>,
}

impl Build<'_, '_> {
    /// The whole statements of some fields; the default's where nobody states any.
    pub(crate) fn wholes(&self, fields: &[FieldId], effect: Effect) -> Reasons {
        let r = self.resolved;
        let all = fields.iter().flat_map(|f| r.ledger.wholes(*f, r.fields.stated_by(*f)));
        let mut statements: Vec<StatementId> = all.collect();
        if statements.is_empty() {
            statements.push(r.silence.default);
        }
        statements.into_iter().map(|statement| Reason { effect, statement }).collect()
    }

    /// Why something is not on a list; or why it is free where there is no list.
    fn miss(&self, field: FieldId) -> Reasons {
        let stated = !self.resolved.fields.stated_by(field).is_empty();
        self.wholes(&[field], if stated { Effect::Deny } else { Effect::Allow })
    }

    /// The whole statements of an ordered field that closes something: those as strict as the result close
    /// it, the others would have let it through.
    pub(crate) fn closing<T: PartialEq>(
        &self,
        field: FieldId,
        result: Option<&T>,
        get: impl Fn(&Fields) -> Option<&T>,
    ) -> Reasons {
        let r = self.resolved;
        let contributions = r.cascade.contributions();
        let mut reasons: Vec<Reason> = Vec::new();
        for c in r.fields.stated_by(field) {
            let strict = contributions.get(*c as usize).and_then(|c| get(&c.fields)) == result;
            let effect = if strict { Effect::Deny } else { Effect::Allow };
            reasons.extend(r.ledger.whole(*c, field).map(|statement| Reason { effect, statement }));
        }
        if reasons.is_empty() {
            reasons.push(Reason { effect: Effect::Deny, statement: r.silence.default });
        }
        reasons.sort_by_key(|r| std::cmp::Reverse(r.effect));
        reasons.into()
    }

    fn network(&self) -> Reasons {
        let r = self.resolved;
        match (r.network, network_fields(r)) {
            (NetworkMode::Host, fields) => self.wholes(fields, Effect::Allow),
            (_, [field]) if *field == id::network_mode => {
                self.closing(*field, r.fields.network_mode.value.as_ref(), |f| {
                    f.network_mode.as_ref().map(|s| &s.value)
                })
            }
            _ => self.wholes(&[id::network_allowlist], Effect::Deny),
        }
    }

    fn exec(&self) -> Reasons {
        let r = self.resolved;
        match (r.exec, exec_fields(r)) {
            (ExecMode::Any, fields) => self.wholes(fields, Effect::Allow),
            (_, [field]) if *field == id::exec_mode => {
                self.closing(*field, r.fields.exec_mode.value.as_ref(), |f| f.exec_mode.as_ref().map(|s| &s.value))
            }
            _ => self.wholes(&[id::exec_allowlist], Effect::Deny),
        }
    }

    fn hosts(&self) -> HashMap<Box<str>, Vec<HostEntry>> {
        let mut out: HashMap<Box<str>, Vec<HostEntry>> = HashMap::new();
        let r = self.resolved;
        for pattern in r.hosts() {
            let (name, below, port) = pattern.parts();
            let reasons = self.covering(id::network_allowlist, pattern, |f| f.network_allowlist.as_ref());
            out.entry(Box::from(name)).or_default().push(HostEntry { below, port, reasons });
        }
        out
    }

    fn http(&self) -> Vec<(StatementId, HostPattern)> {
        let hosts = self.resolved.fields.network_http.value.as_ref().map_or(&[][..], |rules| rules.hosts());
        let each = |host: &HostPattern| {
            let statements: Vec<StatementId> = http_statements(self.resolved, |h| h == host).collect();
            statements.into_iter().map(|s| (s, host.clone())).collect::<Vec<_>>()
        };
        hosts.iter().flat_map(each).collect()
    }

    /// The statements of every document whose list covers a member.
    pub(crate) fn covering<'s, P: Nested + 's>(
        &'s self,
        field: FieldId,
        member: &P,
        get: impl Fn(&'s Fields) -> Option<&'s Stated<AllowSet<P>>>,
    ) -> Reasons {
        let r = self.resolved;
        let mut out = Vec::new();
        for c in r.fields.stated_by(field) {
            let Some(contribution) = r.cascade.contributions().get(*c as usize) else { continue };
            let Some(stated) = get(&contribution.fields) else { continue };
            let members = stated.value.members();
            member.covering(members, &mut |n| {
                let item = members.get(n).and_then(|m| stated.position(m));
                let statement = item.and_then(|n| r.ledger.item(*c, field, n));
                out.extend(statement.map(|statement| Reason { effect: Effect::Allow, statement }));
                true
            });
        }
        out.into()
    }

    /// Each document's list with the statement of the whole.
    fn lists<'s, P: Nested + 's>(
        &'s self,
        field: FieldId,
        get: impl Fn(&'s Fields) -> Option<&'s Stated<AllowSet<P>>>,
    ) -> Vec<(StatementId, AllowSet<P>)> {
        let r = self.resolved;
        let contributions = r.cascade.contributions();
        let by = r.fields.stated_by(field).iter();
        by.filter_map(|c| {
            let stated = get(&contributions.get(*c as usize)?.fields)?;
            Some((r.ledger.whole(*c, field)?, stated.value.clone()))
        })
        .collect()
    }

    fn programs(&self) -> Names<Program> {
        let set = self.resolved.fields.exec_allowlist.value.clone()?;
        let by = set.members().iter().map(|p| {
            let reasons = self.covering(id::exec_allowlist, p, |f| f.exec_allowlist.as_ref());
            (Box::from(p.as_str()), reasons)
        });
        let by = by.collect();
        Some((set, by))
    }

    fn imports(&self) -> Option<HashMap<Box<str>, Reasons>> {
        let set = self.resolved.fields.allowed_imports.value.as_ref()?;
        let by = set.members().iter().map(|p| {
            let reasons = self.covering(id::allowed_imports, p, |f| f.allowed_imports.as_ref());
            (Box::from(p.as_str()), reasons)
        });
        Some(by.collect())
    }

    fn models(&self) -> Option<Vec<(NamePattern, Reasons)>> {
        let set = self.resolved.fields.models.value.as_ref()?;
        let by = set.members().iter().map(|p| (p.clone(), self.covering(id::models, p, |f| f.models.as_ref())));
        Some(by.collect())
    }

    /// Who denies each member of a deny set.
    fn denied(&self, field: FieldId, items: impl Fn(&Fields) -> Vec<(usize, String)>) -> HashMap<Box<str>, Reasons> {
        let r = self.resolved;
        let mut out: HashMap<Box<str>, Vec<Reason>> = HashMap::new();
        for c in r.fields.stated_by(field) {
            let Some(contribution) = r.cascade.contributions().get(*c as usize) else { continue };
            for (n, text) in items(&contribution.fields) {
                let reason = r.ledger.item(*c, field, n).map(|statement| Reason { effect: Effect::Deny, statement });
                out.entry(Box::from(text)).or_default().extend(reason);
            }
        }
        out.into_iter().map(|(k, v)| (k, v.into())).collect()
    }
}
