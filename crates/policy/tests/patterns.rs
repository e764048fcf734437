//! The pattern languages, case by case, and their closure under intersection on random names.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use ringfence_policy::constraint::DomainPattern;
use ringfence_policy::pattern::{
    Extension, Host, HostPattern, ImportPattern, Label, NamePattern, PathPattern, PathRoot, Program, QuestionPath,
};
use ringfence_policy::sets::{AllowSet, Nested, Pattern};
use ringfence_policy::strictness::Strictness;

fn host(text: &str) -> String {
    Host::parse(text).unwrap_or_else(|why| panic!("{why}")).as_str().to_owned()
}

#[test]
fn a_host_is_read_in_one_way() {
    let cases = [
        ("example.com", "example.com"),
        ("EXAMPLE.Com", "example.com"),
        ("example.com.", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("example。com", "example.com"),
        ("ｅｘａｍｐｌｅ.com", "example.com"),
        ("under_score.example", "under_score.example"),
        ("localhost", "localhost"),
        ("1e100.example", "1e100.example"),
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7.", "192.0.2.7"),
        ("[2001:DB8:0:0:0:0:0:1]", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("[::ffff:192.0.2.7]", "192.0.2.7"),
        ("１２７.0.0.1", "127.0.0.1"),
    ];
    for (written, canonical) in cases {
        assert_eq!(host(written), canonical, "{written}");
        assert_eq!(host(canonical), canonical, "{written} is not stable");
    }
}

#[test]
fn what_is_no_host_is_refused() {
    let cases = [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "-a.example",
        "a-.example",
        "a b.example",
        "a.example ",
        "a/b",
        "a.example/",
        "a@b.example",
        "user:pw@a.example",
        "a.example?x",
        "a.example#x",
        "a\0.example",
        "a.example\n",
        "a\\b",
        "*.example",
        "a*.example",
        "http://a.example",
        "[a.example]",
        "[::1",
        "::1]",
        "[::1]]",
        "[[::1]]",
        "a:b:c",
        "%61.example",
        "xn--a",
        "xn--\u{fc}",
        "\u{200b}.example",
        "\u{202e}moc.example",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f.0.0.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.01",
        "256.0.0.1",
        "1.2.3.4.5",
        "1.2.3",
        "a.1",
        "[::1%eth0]",
    ];
    for text in cases {
        assert!(Host::parse(text).is_err(), "{text:?} is read as {:?}", Host::parse(text));
    }
    assert!(Host::parse(&"a".repeat(64)).is_err(), "a long label");
    assert!(Host::parse(&["a"; 127].join(".")).is_ok(), "253 characters");
    assert!(Host::parse(&["a"; 128].join(".")).is_err(), "255 characters");
}

#[test]
fn a_port_is_one_to_five_digits() {
    for (text, name, port) in [
        ("a.example", "a.example", None),
        ("a.example:1", "a.example", Some(1)),
        ("a.example:65535", "a.example", Some(65535)),
        ("a.example:0443", "a.example", Some(443)),
        ("[::1]", "::1", None),
        ("[::1]:8080", "::1", Some(8080)),
        ("::1", "::1", None),
        ("192.0.2.7:22", "192.0.2.7", Some(22)),
    ] {
        let (host, found) = Host::parse_with_port(text).unwrap();
        assert_eq!((host.as_str(), found), (name, port), "{text}");
    }
    for text in [
        "a:",
        "a:0",
        "a:65536",
        "a:+1",
        "a:-1",
        "a: 1",
        "a:1 ",
        "a:http",
        "a:１",
        "[::1]:",
        "[::1]8080",
        ":80",
        "a:1:2",
    ] {
        assert!(Host::parse_with_port(text).is_err(), "{text:?}");
    }
}

fn covers<P: Nested>(list: &[&str], asked: &str) -> bool {
    let parse = |t: &str| P::parse(t).unwrap_or_else(|why| panic!("{why}"));
    let set = AllowSet::new(list.iter().flat_map(|t| parse(t)).collect());
    parse(asked).iter().all(|p| set.covers(p))
}

#[test]
fn a_host_pattern_covers_labels_and_never_text() {
    let cases: &[(&str, &str, bool)] = &[
        ("example.com", "example.com", true),
        ("example.com", "EXAMPLE.com.", true),
        ("example.com", "a.example.com", false),
        ("example.com", "example.com.evil.test", false),
        ("example.com", "notexample.com", false),
        ("*.example.com", "a.example.com", true),
        ("*.example.com", "a.b.c.example.com", true),
        ("*.example.com", "example.com", false),
        ("*.example.com", "notexample.com", false),
        ("*.example.com", "a.example.com.evil.test", false),
        ("*.example.com", "*.b.example.com", true),
        ("*.b.example.com", "*.example.com", false),
        ("*.com", "com", false),
        ("*", "anything.example", true),
        ("*", "localhost", true),
        ("*", "*.example.com", true),
        ("*", "192.0.2.7", false),
        ("*", "[::1]", false),
        ("*", "a.example:22", false),
        ("*:22", "a.example:22", true),
        ("a.example", "a.example:80", true),
        ("a.example", "a.example:443", true),
        ("a.example", "a.example:8080", false),
        ("a.example:443", "a.example", false),
        ("*.example:8443", "a.example:8443", true),
        ("*.example:8443", "a.example", false),
        ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.70", false),
        ("[::1]", "[0:0:0:0:0:0:0:1]", true),
        ("*.bücher.example", "a.xn--bcher-kva.example", true),
    ];
    for (pattern, asked, expected) in cases {
        assert_eq!(covers::<HostPattern>(&[pattern], asked), *expected, "`{pattern}` and `{asked}`");
    }
    for bad in [
        "**",
        "*.*",
        "*.*.example",
        "a.*.example",
        "a*",
        "*a.example",
        "*example",
        "*.",
        "*.192.0.2.7",
        "*.1",
        "*:0",
        "*.[::1]",
        "*..example",
    ] {
        assert!(HostPattern::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_domain_has_no_port() {
    for (pattern, asked, expected) in [
        ("example.com", "example.com", true),
        ("*.example.com", "example.com", false),
        ("*.example.com", "a.example.com", true),
        ("*", "a.example.com", true),
        ("*", "192.0.2.7", false),
        ("192.0.2.7", "192.0.2.7", true),
        ("*.example.com", "*.a.example.com", true),
        ("*.a.example.com", "*.example.com", false),
    ] {
        assert_eq!(covers::<DomainPattern>(&[pattern], asked), expected, "`{pattern}` and `{asked}`");
    }
    for bad in ["example.com:443", "example.com:80", "*:443", "[::1]:443"] {
        assert!(DomainPattern::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_name_pattern_is_a_name_or_a_prefix() {
    for (pattern, name, expected) in [
        ("fs/read", "fs/read", true),
        ("fs/read", "fs/read_file", false),
        ("fs/read", "FS/read", false),
        ("fs/read*", "fs/read", true),
        ("fs/read*", "fs/read_file", true),
        ("fs/read*", "fs/rea", false),
        ("*", "", true),
        ("*", "anything", true),
    ] {
        assert_eq!(NamePattern::new(pattern).unwrap().matches(name), expected, "`{pattern}` and `{name}`");
    }
    for bad in
        ["", "**", "a**", "*a", "a*b", "a b", "a\tb", "a\n", "a\0", "a\u{a0}b", "é", "a\"b", "a\\b", "a\u{10ffff}"]
    {
        assert!(NamePattern::new(bad).is_err(), "{bad:?}");
    }
    assert!(NamePattern::new(&"a".repeat(4096)).is_ok() && NamePattern::new(&"a".repeat(4097)).is_err());
}

#[test]
fn an_import_covers_components() {
    for (pattern, module, expected) in [
        ("os", "os", true),
        ("os", "os.path", true),
        ("os", "os.path.join", true),
        ("os", "ossaudiodev", false),
        ("os.path", "os", false),
        ("os.path", "os.pathology", false),
        ("_io", "_io", true),
    ] {
        assert_eq!(ImportPattern::new(pattern).unwrap().matches(module), expected, "`{pattern}` and `{module}`");
    }
    for bad in ["", ".", "os.", ".os", "os..path", "1os", "os-path", "os path", "os.*", "*", "os\n", "os/path"] {
        assert!(ImportPattern::new(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_path_is_resolved_before_it_is_compared() {
    for (written, shown) in [
        ("src", "src"),
        ("./src/", "src"),
        ("src//deep/./x", "src/deep/x"),
        ("src/../lib", "lib"),
        (".", "."),
        ("", ""),
        ("src/..", "."),
        ("~", "~"),
        ("~/", "~"),
        ("~/.ssh/../.aws", "~/.aws"),
        ("./~", "./~"),
        ("src/~x", "src/~x"),
        ("/", "/"),
        ("//etc", "/etc"),
        ("/etc/../../shadow", "/shadow"),
        ("/..", "/"),
        ("a*b", "a*b"),
        ("...", "..."),
        ("a\\b", "a\\b"),
    ] {
        if written.is_empty() {
            assert!(QuestionPath::new(written).is_err());
            continue;
        }
        let path = QuestionPath::new(written).unwrap();
        assert_eq!(path.to_string(), shown, "{written}");
        assert_eq!(QuestionPath::new(shown).as_ref(), Ok(&path), "{written}");
    }
    for bad in ["..", "../x", "src/../../x", "~/..", "~/../x", "~root", "~root/x", "a\0b", "a\nb", "\u{7f}"] {
        assert!(QuestionPath::new(bad).is_err(), "{bad:?}");
    }
    assert!(QuestionPath::new(&["a"; 128].join("/")).is_ok() && QuestionPath::new(&["a"; 129].join("/")).is_err());
}

#[test]
fn a_root_covers_what_is_below_it() {
    for (root, path, expected) in [
        ("src", "src", true),
        ("src", "src/a/b", true),
        ("src", "src2", false),
        ("src", "/src", false),
        ("src", "~/src", false),
        (".", "anything/at/all", true),
        (".", "/etc", false),
        ("/", "/etc", true),
        ("/", "~/x", false),
        ("~", "~/x", true),
        ("/tmp", "/tmp/../etc", false),
        ("/tmp", "/tmpfile", false),
    ] {
        assert_eq!(covers::<PathRoot>(&[root], path), expected, "`{root}` and `{path}`");
    }
    assert!(PathRoot::parse("src/*").is_err(), "a root has no glob");
}

#[test]
fn a_path_pattern_covers_a_path_and_all_below() {
    for (pattern, path, expected) in [
        (".env", ".env", true),
        (".env", "src/.env", false),
        ("**/.env", ".env", true),
        ("**/.env", "a/b/.env", true),
        ("**/.env", "a/.env/x", true),
        ("**/.env", "a/.envrc", false),
        ("**/.env", "~/x/.env", true),
        ("**/.env", "/srv/.env", true),
        ("/srv/**/.env", "/srv/a/b/.env", true),
        ("/srv/**/.env", "srv/a/.env", false),
        ("src/**/secret", "src/secret", true),
        ("src/**/secret", "src/a/b/secret/c", true),
        ("src/**/secret", "src/a/secrets", false),
        ("src/*/x", "src/a/x", true),
        ("src/*/x", "src/a/b/x", false),
        ("src/*/x", "src/x", false),
        ("*.pem", "key.pem", true),
        ("*.pem", "key.pem.bak", false),
        ("*.pem", ".pem", true),
        ("*.pem", "a/key.pem", false),
        ("a*b*c", "abc", true),
        ("a*b*c", "axxbxxc", true),
        ("a*b*c", "acb", false),
        ("a*a", "a", false),
        ("a*a", "aa", true),
        ("*aa*a", "aaa", true),
        ("*", "anything/below", true),
        ("**", ".", true),
        ("**", "/etc", true),
        ("~/.ssh", "~/.ssh/id", true),
        ("~/.ssh", "~/.ssh2", false),
        ("/etc/shadow", "/etc/shadow", true),
        ("/etc/shadow", "/etc/./x/../shadow", true),
    ] {
        let asked = QuestionPath::new(path).unwrap();
        assert_eq!(PathPattern::new(pattern).unwrap().matches(&asked), expected, "`{pattern}` and `{path}`");
    }
    for bad in ["", "a**", "**a", "a/**b/c", "***", "**/..", "../x", "~bob", "a\0", "**/a/**/b/**/c/**/d/**/e"] {
        assert!(PathPattern::new(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_program_is_a_name_or_a_file() {
    let program = |t: &str| Program::new(t).unwrap();
    for (pattern, asked, expected) in [
        ("git", "git", true),
        ("git", "/usr/bin/git", true),
        ("git", "/opt/git", true),
        ("git", "/git/x", false),
        ("git", "git2", false),
        ("/usr/bin/git", "/usr/bin/git", true),
        ("/usr/bin/git", "git", false),
        ("/usr/bin/git", "/usr/local/bin/git", false),
    ] {
        assert_eq!(program(pattern).matches(&program(asked)), expected, "`{pattern}` and `{asked}`");
    }
    for bad in [
        "",
        "/",
        ".",
        "..",
        "./git",
        "bin/git",
        "../git",
        "/usr/../bin/git",
        "/usr/./git",
        "//git",
        "/usr/bin/",
        "g*t",
        "a\0",
        "a\n",
    ] {
        assert!(Program::new(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn labels_and_extensions_are_exact() {
    for bad in ["", "a b", "é", "a*", "a\0", "a,b", &"a".repeat(129)] {
        assert!(Label::new(bad).is_err(), "{bad:?}");
    }
    for bad in ["", ".md", "MD", "m d", "tar.gz", "*"] {
        assert!(Extension::new(bad).is_err(), "{bad:?}");
    }
    assert!(Label::new("external_messaging").is_ok() && Extension::new("md").is_ok());
}

/// A member is in the intersection if and only if it is in both; the intersection is canonical and order
/// does not matter.
fn closed<P: Nested>(a: &[String], b: &[String], asked: impl Fn(&P) -> bool) -> Result<(), TestCaseError> {
    let set = |texts: &[String]| AllowSet::new(texts.iter().flat_map(|t| P::parse(t).unwrap()).collect::<Vec<_>>());
    let (a, b) = (set(a), set(b));
    let joined = a.join(&b);
    let any = |set: &AllowSet<P>| set.members().iter().any(&asked);
    prop_assert_eq!(any(&joined), any(&a) && any(&b), "{:?} and {:?} give {:?}", a, b, joined);
    prop_assert_eq!(&joined, &b.join(&a));
    prop_assert_eq!(&joined, &AllowSet::new(joined.members().to_vec()));
    for member in joined.members() {
        prop_assert!(a.covers(member) && b.covers(member), "{} is not in both", member);
    }
    Ok(())
}

fn several(item: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(item, 0..6)
}

/// Names over a tiny alphabet, so that they meet.
fn host_name() -> impl Strategy<Value = String> {
    prop_oneof![9 => "[ab](\\.[ab]){0,3}", 1 => prop::sample::select(&["10.0.0.1", "[::1]", "10.0.0.2"][..]).prop_map(str::to_owned)]
}

fn port() -> impl Strategy<Value = String> {
    prop::sample::select(&["", "", ":80", ":443", ":22"][..]).prop_map(str::to_owned)
}

fn host_pattern() -> impl Strategy<Value = String> {
    let name = prop_oneof![3 => host_name(), 3 => "\\*(\\.[ab]){1,3}", 1 => Just("*".to_owned())];
    (name, port()).prop_map(|(name, port)| name + &port)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hosts_intersect(a in several(host_pattern()), b in several(host_pattern()), name in host_name(), port in prop::sample::select(&[80u16, 443, 22, 8080][..])) {
        let host = Host::parse(&name).unwrap();
        closed(&a, &b, |p: &HostPattern| p.matches(&host, port))?;
    }

    #[test]
    fn domains_intersect(a in several("(\\*\\.)?[ab](\\.[ab]){0,2}|\\*"), b in several("(\\*\\.)?[ab](\\.[ab]){0,2}|\\*"), name in host_name()) {
        let host = Host::parse(&name).unwrap();
        closed(&a, &b, |p: &DomainPattern| p.matches(&host))?;
    }

    #[test]
    fn names_intersect(a in several("[ab]{1,3}\\*?|\\*"), b in several("[ab]{1,3}\\*?|\\*"), name in "[ab]{1,4}") {
        closed(&a, &b, |p: &NamePattern| p.matches(&name))?;
    }

    #[test]
    fn imports_intersect(a in several("[ab](\\.[ab]){0,2}"), b in several("[ab](\\.[ab]){0,2}"), name in "[ab](\\.[ab]){0,3}") {
        closed(&a, &b, |p: &ImportPattern| p.matches(&name))?;
    }

    #[test]
    fn roots_intersect(a in several("(/|~/|\\./)([ab]/){0,2}[ab]|/|~|\\."), b in several("(/|~/|\\./)([ab]/){0,2}[ab]|/|~|\\."), path in "(/|~/|\\./)([ab]/){0,3}[ab]") {
        let path = QuestionPath::new(&path).unwrap();
        closed(&a, &b, |p: &PathRoot| p.contains(&path))?;
    }

    #[test]
    fn programs_intersect(a in several("(/[ab]){1,2}|[ab]"), b in several("(/[ab]){1,2}|[ab]"), name in "(/[ab]){1,3}|[ab]") {
        let asked = Program::new(&name).unwrap();
        closed(&a, &b, |p: &Program| p.matches(&asked))?;
    }

    /// Components and their globs against the textbook definition.
    #[test]
    fn a_path_pattern_means_what_it_says(pattern in "(\\*\\*/)?([ab*]{1,2}/){0,2}(\\*\\*|[ab*]{1,3})", path in "([ab]{1,3}/){0,3}[ab]{1,3}") {
        prop_assume!(!pattern.split('/').any(|c| c != "**" && c.contains("**")));
        let fast = PathPattern::new(&pattern).unwrap().matches(&QuestionPath::new(&path).unwrap());
        let components: Vec<&str> = pattern.split('/').collect();
        let asked: Vec<&str> = path.split('/').collect();
        let slow = (0..=asked.len()).any(|end| describes(&components, &asked[..end]));
        prop_assert_eq!(fast, slow, "{} and {}", pattern, path);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The short way to read a path takes fewer texts, and none in another sense.
    #[test]
    fn a_path_as_printed_is_the_path(text in "(~|/|~/)?[ab.~* \u{7f}\u{e9}]{0,3}(/[ab.~* ]{0,3}){0,3}") {
        if let Some((anchor, rest)) = PathRoot::as_printed(&text) {
            let whole = PathRoot::new(&text);
            prop_assert_eq!(whole.as_ref().map(|p| (p.anchor(), p.rest())), Ok((anchor, rest)));
        }
        if let Ok(path) = PathRoot::new(&text) {
            let printed = path.to_string();
            let taken = PathRoot::as_printed(&printed).is_some();
            let plain = printed.bytes().all(|b| b.is_ascii_graphic() && b != b'*') && !path.rest().is_empty();
            prop_assert_eq!(taken, plain && !printed.starts_with("./"), "{}", printed);
        }
    }
}

fn describes(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            describes(rest, path) || path.split_first().is_some_and(|(_, below)| describes(pattern, below))
        }
        (Some((glob, rest)), Some((name, below))) => {
            letters(glob.as_bytes(), name.as_bytes()) && describes(rest, below)
        }
        _ => false,
    }
}

fn letters(glob: &[u8], name: &[u8]) -> bool {
    match (glob.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            letters(rest, name) || name.split_first().is_some_and(|(_, below)| letters(glob, below))
        }
        (Some((g, rest)), Some((n, below))) => g == n && letters(rest, below),
        _ => false,
    }
}
