//! The attacker of the containment suite.
//!
//! A context (what is outside) flows in; for each probe two outcomes flow out: that of the forbidden thing, which
//! a fence must refuse, and that of its allowed twin, which must work. The same probes run without a fence as a
//! control: a probe that fails there too proves nothing. Nothing here damages the machine it runs on: what would
//! is asked for with arguments that the kernel rejects after its permission check.

pub mod attempt;
pub mod child;
pub mod context;
pub mod fixture;
pub mod outcome;
pub mod probe;
pub mod raw;
pub mod report;
pub mod table;
pub mod victim;
