//! Every pattern language: printing and reading is the identity, a pattern covers itself, and what covers a
//! pattern matches whatever the pattern matches.
//!
//! The input is a selector byte and up to three lines: two patterns and something to ask about.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_policy::constraint::DomainPattern;
use ringfence_policy::pattern::{
    Extension, Host, HostPattern, ImportPattern, Label, NamePattern, PathPattern, PathRoot, Program, QuestionPath,
};
use ringfence_policy::sets::{AllowSet, DenySet, Nested, Pattern};
use ringfence_policy::strictness::Strictness;

fuzz_target!(|bytes: &[u8]| {
    let Some((selector, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (a, b, asked) = (next(), next(), next());
    match selector % 9 {
        0 => hosts(a, b, asked),
        1 => domains(a, b, asked),
        2 => nested(a, b, &|p: &NamePattern| Some(p.matches(asked))),
        3 => nested(a, b, &|p: &ImportPattern| ImportPattern::new(asked).ok().map(|_| p.matches(asked))),
        4 => roots(a, b, asked),
        5 => paths(a, asked),
        6 => nested(a, b, &|p: &Program| Program::new(asked).ok().map(|asked| p.matches(&asked))),
        7 => nested(a, b, &|p: &Label| Some(p.as_str() == asked)),
        _ => nested(a, b, &|p: &Extension| Some(p.as_str() == asked)),
    }
});

/// What holds for every language; gives back the members that the text stands for.
fn printed<P: Pattern>(text: &str) -> Vec<P> {
    let members = match P::parse(text) {
        Ok(members) => members,
        Err(why) => {
            assert!(why.len() < 4096 && !why.contains(char::is_control), "{why:?}");
            return Vec::new();
        }
    };
    assert!(!members.is_empty());
    for member in &members {
        assert_eq!(P::parse(&member.to_string()).as_deref(), Ok(std::slice::from_ref(member)), "{member}");
    }
    let set = DenySet::new(members.clone());
    let again = P::print(set.members()).iter().flat_map(|t| P::parse(t).expect("it was printed")).collect();
    assert_eq!(set, DenySet::new(again));
    members
}

/// What holds for languages that nest.
fn nested<P: Nested>(a: &str, b: &str, matches: &dyn Fn(&P) -> Option<bool>) {
    let (a, b) = (printed::<P>(a), printed::<P>(b));
    let (set_a, set_b) = (AllowSet::new(a.clone()), AllowSet::new(b.clone()));
    for p in a.iter().chain(&b) {
        assert!(AllowSet::new(vec![p.clone()]).covers(p), "{p} does not cover itself");
    }
    for (p, q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))) {
        let (p_has_q, q_has_p) = (AllowSet::new(vec![p.clone()]).covers(q), AllowSet::new(vec![q.clone()]).covers(p));
        assert!(p == q || !(p_has_q && q_has_p), "{p} and {q} cover each other");
        if let (Some(in_p), Some(in_q)) = (matches(p), matches(q)) {
            assert!(!(p_has_q && in_q) || in_p, "{p} covers {q} and does not match what it matches");
            assert!(p_has_q || q_has_p || !(in_p && in_q), "{p} and {q} share something and do not nest");
        }
    }
    let any = |set: &AllowSet<P>| set.members().iter().filter_map(matches).any(|hit| hit);
    let joined = set_a.join(&set_b);
    assert_eq!(joined, set_b.join(&set_a));
    assert_eq!(joined, AllowSet::new(joined.members().to_vec()), "not canonical");
    if !a.is_empty() && !b.is_empty() {
        assert_eq!(any(&joined), any(&set_a) && any(&set_b), "the intersection of {a:?} and {b:?}");
    }
}

fn hosts(a: &str, b: &str, asked: &str) {
    if let Ok((host, port)) = Host::parse_with_port(asked) {
        let again = Host::parse(host.as_str()).expect("a canonical host");
        assert_eq!((again.as_str(), again.is_address()), (host.as_str(), host.is_address()));
        nested(a, b, &|p: &HostPattern| Some(p.matches(&host, port.unwrap_or(443))));
    }
    for p in printed::<HostPattern>(a) {
        let sample = p.sample();
        let Ok(host) = Host::parse(&sample) else {
            assert!(sample.len() > 253, "{p} has a sample that is no host: {sample}");
            continue;
        };
        assert!(p.matches(&host, p.parts().2), "{p} does not match its own sample");
        nested(a, b, &|q: &HostPattern| Some(q.matches(&host, p.parts().2)));
    }
}

fn domains(a: &str, b: &str, asked: &str) {
    let host = Host::parse(asked);
    nested(a, b, &|p: &DomainPattern| host.as_ref().ok().map(|h| p.matches(h)));
}

fn roots(a: &str, b: &str, asked: &str) {
    let path = QuestionPath::new(asked);
    if let Ok(path) = &path {
        assert_eq!(QuestionPath::new(&path.to_string()).as_ref(), Ok(path));
    }
    nested(a, b, &|p: &PathRoot| path.as_ref().ok().map(|path| p.contains(path)));
}

fn paths(a: &str, asked: &str) {
    let path = QuestionPath::new(asked);
    for pattern in printed::<PathPattern>(a) {
        let sample = QuestionPath::new(&pattern.sample()).expect("a sample is a path");
        assert!(pattern.matches(&sample), "{pattern} does not match its own sample {sample}");
        let Ok(path) = &path else { continue };
        let hit = pattern.matches(path);
        if let Some(plain) = pattern.plain() {
            assert_eq!(hit, plain.contains(path), "{pattern} and {path}");
        }
        if let Some(name) = pattern.component_anywhere() {
            assert_eq!(hit, path.rest().split('/').any(|c| c == name), "{pattern} and {path}");
        }
        assert!(!hit || pattern.matches(&path.join_rest("below")), "{pattern} matches {path} and not what is below");
    }
}
