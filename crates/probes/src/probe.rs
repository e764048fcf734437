//! What a probe is: a forbidden thing, its allowed twin, and where each of them says something.

use crate::context::{Context, Tier};
use crate::outcome::Outcome;

/// One attempt.
pub type Act = fn(&Context) -> Outcome;

/// The networks under which an attempt means something.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Network {
    /// Any.
    Any,
    /// Only with an allowlist: without one there is nothing to get around, or nothing that could work.
    Allowlist,
}

/// Every tier.
pub const EVERY_TIER: &[Tier] = &[Tier::A, Tier::B, Tier::C];
/// Only with namespaces.
pub const ONLY_A: &[Tier] = &[Tier::A];
/// With namespaces, or with a supervisor that acts on behalf of the process.
pub const A_AND_B: &[Tier] = &[Tier::A, Tier::B];

/// Where an attempt applies.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Under which networks.
    pub network: Network,
    /// In which tiers.
    pub tiers: &'static [Tier],
    /// Why not in the others.
    pub because: &'static str,
}

impl Needs {
    const NOTHING: Self = Self { network: Network::Any, tiers: EVERY_TIER, because: "" };

    /// Whether the attempt applies here.
    #[must_use]
    pub fn met(&self, context: &Context) -> bool {
        let network = self.network == Network::Any || context.network.is_some();
        network && context.tier.is_none_or(|tier| self.tiers.contains(&tier))
    }
}

/// What the forbidden side does where no fence stands. A probe that never works anywhere proves nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Control {
    /// It works for everybody.
    Works,
    /// It works for root.
    WorksAsRoot,
    /// It cannot be shown without a fence, or must not be tried; the reason.
    Unproven(&'static str),
}

/// The nearest thing that must work.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// In one sentence.
    pub what: &'static str,
    /// The attempt.
    pub act: Act,
    /// Where it applies.
    pub needs: Needs,
}

/// A forbidden thing and its allowed twin.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name.
    pub name: &'static str,
    /// What is tried, in one sentence.
    pub what: &'static str,
    /// Where the idea comes from.
    pub lesson: Option<&'static str>,
    /// The attempt that must fail.
    pub forbidden: Act,
    /// Where it applies.
    pub needs: Needs,
    /// What it does without a fence.
    pub control: Control,
    /// The attempt that must work.
    pub twin: Twin,
}

impl Probe {
    /// A probe that applies everywhere.
    #[must_use]
    pub const fn new(name: &'static str, what: &'static str, forbidden: Act, twin: (&'static str, Act)) -> Self {
        Self {
            name,
            what,
            lesson: None,
            forbidden,
            needs: Needs::NOTHING,
            control: Control::Works,
            twin: Twin { what: twin.0, act: twin.1, needs: Needs::NOTHING },
        }
    }

    /// Where the idea comes from.
    #[must_use]
    pub const fn lesson(mut self, lesson: &'static str) -> Self {
        self.lesson = Some(lesson);
        self
    }

    /// Both sides need an allowlist.
    #[must_use]
    pub const fn allowlist(mut self) -> Self {
        self.needs.network = Network::Allowlist;
        self.twin.needs.network = Network::Allowlist;
        self
    }

    /// The twin needs an allowlist: with no network at all there may be no such socket.
    #[must_use]
    pub const fn twin_allowlist(mut self) -> Self {
        self.twin.needs.network = Network::Allowlist;
        self
    }

    /// Both sides apply in these tiers only.
    #[must_use]
    pub const fn tiers(mut self, tiers: &'static [Tier], because: &'static str) -> Self {
        self.needs.tiers = tiers;
        self.needs.because = because;
        self.twin_tiers(tiers, because)
    }

    /// The twin applies in these tiers only.
    #[must_use]
    pub const fn twin_tiers(mut self, tiers: &'static [Tier], because: &'static str) -> Self {
        self.twin.needs.tiers = tiers;
        self.twin.needs.because = because;
        self
    }

    /// Without a fence it takes root.
    #[must_use]
    pub const fn as_root(mut self) -> Self {
        self.control = Control::WorksAsRoot;
        self
    }

    /// It cannot be shown without a fence.
    #[must_use]
    pub const fn unproven(mut self, because: &'static str) -> Self {
        self.control = Control::Unproven(because);
        self
    }
}

/// Probes of one subject.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// Its probes.
    pub probes: &'static [Probe],
}
