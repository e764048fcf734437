//! The containment suite: every probe, behind `ringfence run`, as root and as nobody, with no network and with an
//! allowlist, in every tier. The forbidden side must be refused and the allowed twin must work; afterwards no canary
//! is harmed, no signal reached the victim, nothing arrived where it may not, and no process is left.
//!
//! That each forbidden thing works without a fence is shown by the control test of `ringfence-probes`.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

mod bombs;
mod compare;
mod fence;
mod judge;

use fence::{Setting, Wanted};
use ringfence_probes::context::Tier;
use ringfence_probes::fixture::User;

fn contained(user: User, wanted: Wanted, tier: Tier) {
    fence::apart(move || {
        let Some(setting) = Setting::new(user, wanted, Some(tier)) else { return };
        judge::judge(setting);
    });
}

macro_rules! contained {
    ($($name:ident: $user:expr, $network:ident, $tier:ident;)*) => {
        $(#[test]
        fn $name() {
            contained($user, Wanted::$network, Tier::$tier);
        })*
    };
}

contained! {
    root_without_network_in_tier_a: User::ROOT, Nothing, A;
    root_without_network_in_tier_b: User::ROOT, Nothing, B;
    root_without_network_in_tier_c: User::ROOT, Nothing, C;
    root_with_allowlist_in_tier_a: User::ROOT, Allowlist, A;
    root_with_allowlist_in_tier_b: User::ROOT, Allowlist, B;
    user_without_network_in_tier_a: User::NOBODY, Nothing, A;
    user_without_network_in_tier_b: User::NOBODY, Nothing, B;
    user_without_network_in_tier_c: User::NOBODY, Nothing, C;
    user_with_allowlist_in_tier_a: User::NOBODY, Allowlist, A;
    user_with_allowlist_in_tier_b: User::NOBODY, Allowlist, B;
}

/// Tier C cannot keep an allowlist, so the run is refused, and nothing of it starts.
#[test]
fn an_allowlist_in_tier_c_refuses_the_run() {
    fence::apart(|| {
        let Some(setting) = Setting::new(User::NOBODY, Wanted::Allowlist, Some(Tier::C)) else { return };
        let report = setting.attack();
        assert_eq!(report.code, Some(124), "{}", report.stderr);
        assert!(report.lines.is_empty(), "the attacker was started: {:?}", report.lines);
    });
}
