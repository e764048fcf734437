//! The workload in Cedar, asked through `Authorizer::is_authorized`, once per question.
//!
//! # Three answers from one authorization
//!
//! Cedar says allow or deny and names the policies that decided. Both encodings use that: a satisfied
//! `permit` alone is *allow*; a satisfied `forbid` whose id starts with `deny` is *deny*; what is left,
//! no permit at all or only a `forbid` of another id, is *ask* for a tool and *deny* for a host. One
//! call instead of two (may it be used, may it be used without asking) halves Cedar's time.
//!
//! # Two encodings
//!
//! - [`groups`]: the fastest we found. Cedar evaluates every policy of the set on every call, so the set is
//!   three policies, two of them for tools, and the rules live in the entity hierarchy, where a test is one hash lookup.
//! - [`rules`]: the one a person would write, one policy per rule, matched with `like`.
//!
//! # What is measured
//!
//! A question arrives as a string, so building the request is inside the measured time. Parsing the
//! policies, loading the entities and making the constant ids is not. There is no schema: validating
//! requests would only slow Cedar down.
//!
//! [`Cedar::floor`] holds one policy that permits everything. No encoding can be faster than that.

pub mod groups;
pub mod rules;

use std::str::FromStr;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityId, EntityTypeName, EntityUid, PolicySet, Request, Response,
};

use ringfence_workload::{Effect, Question, Workload};
use crate::{Engine, LoadResult};

pub struct Cedar {
    name: &'static str,
    authorizer: Authorizer,
    encoding: Encoding,
    names: Names,
    host_context: fn(&str) -> Option<Context>,
}

/// The rules in Cedar's terms. Tools and hosts have their own policy sets: no policy speaks of both, and
/// Cedar would otherwise evaluate the ones of the other kind too.
pub struct Encoding {
    pub tools: PolicySet,
    pub hosts: PolicySet,
    pub entities: Entities,
}

/// The parts of a request that never change, parsed once.
struct Names {
    agent: EntityUid,
    use_tool: EntityUid,
    connect: EntityUid,
    tool: EntityTypeName,
    host: EntityTypeName,
}

impl Names {
    fn new() -> LoadResult<Self> {
        Ok(Self {
            agent: EntityUid::from_str(r#"Agent::"bench""#)?,
            use_tool: EntityUid::from_str(r#"Action::"use""#)?,
            connect: EntityUid::from_str(r#"Action::"connect""#)?,
            tool: EntityTypeName::from_str("Tool")?,
            host: EntityTypeName::from_str("Host")?,
        })
    }
}

impl Cedar {
    /// The fastest encoding: see [`groups`].
    pub fn groups(workload: &Workload) -> LoadResult<Self> {
        Self::new("cedar (groups)", groups::encode(workload)?, groups::host_context)
    }

    /// The textbook encoding: see [`rules`].
    pub fn rules(workload: &Workload) -> LoadResult<Self> {
        Self::new("cedar (policy per rule)", rules::encode(workload)?, rules::host_context)
    }

    /// One policy, no rules, no context: what a call costs before any policy work. Its answers mean nothing.
    pub fn floor() -> LoadResult<Self> {
        let permit_all = PolicySet::from_str("permit(principal, action, resource);")?;
        let encoding = Encoding { tools: permit_all.clone(), hosts: permit_all, entities: Entities::empty() };
        Self::new("cedar (floor: no rules)", encoding, |_| Some(Context::empty()))
    }

    fn new(name: &'static str, encoding: Encoding, host_context: fn(&str) -> Option<Context>) -> LoadResult<Self> {
        let (authorizer, names) = (Authorizer::new(), Names::new()?);
        Ok(Self { name, authorizer, encoding, names, host_context })
    }

    fn tool(&self, name: &str) -> Option<Effect> {
        let request = self.request(&self.names.use_tool, &self.names.tool, name, Context::empty())?;
        let response = self.authorizer.is_authorized(&request, &self.encoding.tools, &self.encoding.entities);
        Some(match response.decision() {
            _ if has_errors(&response) => Effect::Deny,
            Decision::Allow => Effect::Allow,
            Decision::Deny if is_denied(&response) => Effect::Deny,
            Decision::Deny => Effect::Ask,
        })
    }

    fn net(&self, host: &str) -> Option<Effect> {
        let context = (self.host_context)(host)?;
        let request = self.request(&self.names.connect, &self.names.host, host, context)?;
        let response = self.authorizer.is_authorized(&request, &self.encoding.hosts, &self.encoding.entities);
        Some(match response.decision() {
            Decision::Allow if !has_errors(&response) => Effect::Allow,
            _ => Effect::Deny,
        })
    }

    fn request(&self, action: &EntityUid, kind: &EntityTypeName, name: &str, context: Context) -> Option<Request> {
        let resource = EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(name));
        Request::new(self.names.agent.clone(), action.clone(), resource, context, None).ok()
    }
}

/// Cedar skips a policy that fails to evaluate; here that is a denial, and the check would find it.
fn has_errors(response: &Response) -> bool {
    response.diagnostics().errors().next().is_some()
}

fn is_denied(response: &Response) -> bool {
    let mut reasons = response.diagnostics().reason();
    reasons.any(|id| AsRef::<str>::as_ref(id).starts_with("deny"))
}

impl Engine for Cedar {
    fn name(&self) -> &str {
        self.name
    }

    fn answer(&mut self, question: &Question) -> Effect {
        let answer = match question {
            Question::Tool(name) => self.tool(name),
            Question::Net(host) => self.net(host),
        };
        answer.unwrap_or(Effect::Deny)
    }
}

/// A policy with an id of our choosing, which `PolicySet::from_str` would number instead.
fn policy(id: &str, text: &str) -> LoadResult<cedar_policy::Policy> {
    Ok(cedar_policy::Policy::parse(Some(cedar_policy::PolicyId::new(id)), text)?)
}

fn uid(kind: &str, id: &str) -> LoadResult<EntityUid> {
    Ok(EntityUid::from_type_name_and_id(EntityTypeName::from_str(kind)?, EntityId::new(id)))
}
