//! Texts that were written to hurt: they are refused with the right code, or read, and never more than that.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use proptest::prelude::*;
use ringfence_policy::catalog::Catalog;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::{Library, parse};
use ringfence_policy::node::{self, MAX_BYTES, MAX_DEPTH, Node};
use ringfence_policy::pack::{CategoryBook, Pack};
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::question::Question;
use ringfence_policy::read::{MAX_DIAGNOSTICS, Reader};
use ringfence_policy::span::{SourceId, Sources};
use ringfence_policy::spec::{HostCeiling, SandboxSpec};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const SOURCE: SourceId = SourceId(0);

/// Sends bytes through everything that reads; gives back what the policy reader found.
fn survive(bytes: &[u8]) -> Vec<Diagnostic> {
    let text = match node::decode_text(bytes, SOURCE) {
        Ok(text) => text,
        Err(d) => return vec![*d],
    };
    let root = match node::parse(text, SOURCE) {
        Ok(root) => root,
        Err(d) => return checked(vec![*d], text),
    };
    try_reader(&root, text, SandboxSpec::read);
    try_reader(&root, text, Catalog::read);
    try_reader(&root, text, HostCeiling::read);
    try_reader(&root, text, Pack::read);
    try_reader(&root, text, CategoryBook::read);
    let (document, found) = try_reader(&root, text, PolicyDocument::read);
    if found.is_empty() {
        let printed = document.print().to_string();
        let again = node::parse(&printed, SOURCE).expect("what was printed is JSON");
        let (again, problems) = try_reader(&again, &printed, PolicyDocument::read);
        assert!(problems.is_empty(), "{printed}\n{problems:#?}");
        assert_eq!(document.print(), again.print());
    }
    found
}

fn try_reader<T>(root: &Node, text: &str, read: fn(&Node, &mut Reader) -> T) -> (T, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let value = read(root, &mut reader);
    (value, checked(reader.diagnostics, text))
}

/// Every message is bounded and shows what it holds; every place is a part of the text.
fn checked(found: Vec<Diagnostic>, text: &str) -> Vec<Diagnostic> {
    assert!(found.len() <= MAX_DIAGNOSTICS + 1);
    for d in &found {
        for shown in d.labels.iter().map(|l| &l.text).chain([&d.message]).chain(&d.help) {
            assert!(shown.chars().count() <= 10 * 1_001, "{} characters", shown.len());
            assert!(!shown.contains(hidden), "{shown:?}");
        }
        for label in &d.labels {
            assert!(text.get(label.place.start as usize..label.place.end as usize).is_some(), "{label:?}");
        }
    }
    found
}

fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn codes(text: &str) -> Vec<Code> {
    survive(text.as_bytes()).iter().map(|d| d.code).collect()
}

/// A head and then as many numbered lines.
fn lines(head: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    (0..count).for_each(|n| text.push_str(&line(n)));
    text
}

fn alias_bomb() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..20 {
        let aliases = vec![format!("*a{}", n - 1); 10].join(", ");
        let _ = writeln!(text, "a{n}: &a{n} [{aliases}]");
    }
    text
}

fn block_nesting(depth: usize) -> String {
    lines("", depth, |n| format!("{}a:\n", " ".repeat(n)))
}

#[test]
fn rules_for_requests_are_bounded() {
    let rules = |methods: usize, paths: usize| {
        // Upper-case letters only: digits are no part of a method.
        let method = |n: usize| (0..4).map(|i| char::from(b'A' + (n >> (4 * i) & 15) as u8)).collect::<String>();
        let methods: Vec<String> = (0..methods).map(method).collect();
        let paths: Vec<String> = (0..paths).map(|n| format!("/p{n}")).collect();
        let rule = serde_json::json!({ "host": "a.example:80", "methods": methods, "paths": paths });
        serde_json::json!({ "sandbox": { "network": { "http": [rule, { "host": "a.example:80" }] } } }).to_string()
    };
    assert_eq!(codes(&rules(63, 65)), []);
    for text in [rules(64, 64), rules(65, 1), rules(1, 5_000), rules(20_000, 20_000)] {
        assert_eq!(codes(&text), [Code::TooLarge]);
    }
}

#[test]
fn a_shape_that_is_too_large_is_refused() {
    let cases = [
        ("deep list", "[".repeat(100_000)),
        ("deep mapping", "{a: ".repeat(100_000)),
        ("deep block", block_nesting(2_000)),
        ("deep block list", "- ".repeat(100_000)),
        ("deep keys", "? ".repeat(100_000)),
        ("alias bomb", alias_bomb()),
        ("billion aliases", lines("because: &a x\ntags:\n", 1_000_001, |_| "- *a\n".into())),
        ("long alias", format!("because: &a \"{}\"\noperator: *a\n", "x".repeat(MAX_BYTES / 2))),
        ("one anchor on everything", format!("tags: &a [{}]", "a,".repeat(600_000))),
        ("giant list", format!("tags: [{}]", "a,".repeat(1_000_001))),
        ("alias below the depth limit", {
            let deep = format!("{}x{}", "[".repeat(40), "]".repeat(40));
            format!("a: &a {deep}\nb: {}*a {}\n", "[".repeat(40), "]".repeat(40))
        }),
    ];
    for (what, text) in cases {
        assert_eq!(codes(&text), [Code::TooLarge], "{what}");
    }
    assert_eq!(survive(&vec![b' '; MAX_BYTES + 1])[0].code, Code::TooLarge, "too many bytes");
}

#[test]
fn a_shape_that_is_large_and_sound_is_read() {
    let list = |path: &str, count, item: fn(usize) -> String| lines(path, count, item);
    let cases = [
        (
            "a long allowlist",
            list("sandbox:\n  network:\n    allowlist:\n", 30_000, |n| format!("    - h{n}.example\n")),
        ),
        ("many rules", list("tools:\n  rules:\n", 30_000, |n| format!("    t{n}: ask\n"))),
        ("many prefixes", list("tools:\n  rules:\n", 30_000, |n| format!("    t{n}*: ask\n"))),
        ("many anchors", list("tags:\n", 30_000, |n| format!("- &a{n} b{n}\n"))),
        ("one anchor again and again", list("tags:\n", 30_000, |_| "- &a b\n".into())),
        ("nested anchors", {
            let open = lines("", MAX_DEPTH - 2, |n| format!("&a{n} ["));
            format!("tests: {open}x{}", "]".repeat(MAX_DEPTH - 2))
        }),
        ("a long scalar", format!("because: {}", "x".repeat(2 << 20))),
        ("a long quoted scalar", format!("because: \"{}\"", "\\n".repeat(1 << 20))),
        ("a long block", lines("because: |\n", 100_000, |_| "  x\n".into())),
        ("many comments", lines("", 100_000, |_| "# c\n".into()) + "policy: a\n"),
        ("one long comment", format!("#{}\npolicy: a\n", "c".repeat(2 << 20))),
        ("many blank lines", format!("{}policy: a\n", "\n".repeat(1 << 20))),
        ("many globs", list("sandbox:\n  filesystem:\n    hidden:\n", 5_000, |n| format!("    - \"**/x{n}*\"\n"))),
        ("many steps", list("steps:\n", 30_000, |n| format!("  s{n}: {{ onDetection: log }}\n"))),
        (
            "many constraints",
            list("tools:\n  constraints:\n", 20_000, |n| format!("    t{n}: {{ a: {{ max: 3 }} }}\n")),
        ),
    ];
    for (what, text) in cases {
        let found = codes(&text);
        assert!(found.is_empty() || what == "nested anchors", "{what}: {found:?}");
    }
}

#[test]
fn a_bad_text_has_its_code() {
    let cases: &[(&str, &str, Code)] = &[
        ("nothing", "", Code::Empty),
        ("only a byte order mark", "\u{feff}", Code::Empty),
        ("only comments", "# a\n# b\n", Code::Empty),
        ("only document ends", "...\n...\n", Code::Empty),
        ("two documents", "policy: a\n---\npolicy: b\n", Code::Syntax),
        ("NUL", "policy: \0\n", Code::Syntax),
        ("tab", "sandbox:\n\tnetwork: {}\n", Code::Syntax),
        ("directive", "%YAML 1.1\n---\npolicy: a\n", Code::Syntax),
        ("tag", "policy: !!python/object:os.system a\n", Code::Syntax),
        ("tag on a list", "packs: !!set [a]\n", Code::Syntax),
        ("alias before its anchor", "policy: *a\n", Code::Syntax),
        ("alias inside itself", "packs: &a [*a]\n", Code::Syntax),
        ("list as a key", "[a]: 1\n", Code::WrongType),
        ("mapping as a key", "? {a: b}\n: 1\n", Code::WrongType),
        ("merge key", "<<: { policy: a }\n", Code::UnknownKey),
        ("same key twice", "policy: a\npolicy: b\n", Code::DuplicateKey),
        ("same key by an alias", "? &k policy\n: a\n? *k\n: b\n", Code::DuplicateKey),
        ("two spellings", "code: { deniedImports: [a], denied_imports: [b] }\n", Code::DuplicateKey),
        ("a scalar", "policy\n", Code::WrongType),
        ("a list", "- policy\n", Code::WrongType),
        ("null", "null\n", Code::WrongType),
        ("boolean for text", "policy: true\n", Code::WrongType),
        ("number over 64 bits", "tools: { strikes: 18446744073709551616 }\n", Code::WrongType),
        ("negative number", "tools: { strikes: -1 }\n", Code::WrongType),
        ("word for a switch", "sandbox: { env: { scrub: yes } }\n", Code::WrongType),
    ];
    for (what, text, code) in cases {
        assert_eq!(codes(text), [*code], "{what}");
    }
}

#[test]
fn a_duplicate_after_many_keys_is_one_error_with_both_places() {
    let found = survive(lines("", 200_000, |n| format!("k{}: 1\n", n % 199_999)).as_bytes());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, Code::DuplicateKey);
    let at: Vec<u32> = found[0].labels.iter().map(|l| l.place.line).collect();
    assert_eq!(at, [200_000, 1]);
}

#[test]
fn at_most_a_thousand_problems_are_kept() {
    let cases = [
        ("unknown keys", lines("", 5_000, |n| format!("sandbo{n}: 1\n")), Code::UnknownKey),
        ("wrong types", lines("tags:\n", 5_000, |_| "- 1\n".into()), Code::WrongType),
        ("bad effects", lines("tools:\n  rules:\n", 5_000, |n| format!("    t{n}: maybe\n")), Code::InvalidValue),
        (
            "bad hosts",
            lines("sandbox:\n  network:\n    allowlist:\n", 5_000, |n| format!("    - h*{n}\n")),
            Code::InvalidValue,
        ),
        ("bad questions", lines("tests:\n", 5_000, |n| format!("- {{ deny: what{n} }}\n")), Code::BadQuestion),
    ];
    for (what, text, code) in cases {
        let found = codes(&text);
        assert_eq!(found.len(), MAX_DIAGNOSTICS + 1, "{what}");
        assert!(found[..MAX_DIAGNOSTICS].iter().all(|c| *c == code), "{what}");
        assert_eq!(found.last(), Some(&Code::TooLarge), "{what}");
    }
    let exactly = lines("tags:\n", MAX_DIAGNOSTICS, |_| "- 1\n".into());
    assert!(codes(&exactly).iter().all(|c| *c == Code::WrongType), "a full list is not one that was cut");
}

#[test]
fn a_message_quotes_little_and_hides_nothing() {
    let nasty = "\u{202e}\u{200b}\u{2066}\u{1b}[31m\u{e0041}\u{fe0f}\r\n".repeat(40);
    let quoted = serde_json::to_string(&nasty).unwrap();
    let cases = [
        format!("{{ {quoted}: 1 }}"),
        format!("{{ {quoted}: 1, {quoted}: 2 }}"),
        format!("{{ \"level\": {quoted} }}"),
        format!("{{ \"policy\": {quoted} }}"),
        format!("{{ \"packs\": [{quoted}, 7] }}"),
        format!("{{ \"at\": {quoted} }}"),
        format!("{{ \"tests\": [{{ \"deny\": {quoted} }}, {{ \"deny\": \"tool a {nasty:?}\" }}] }}"),
        format!("{{ \"tools\": {{ \"rules\": {{ {quoted}: \"ask\", \"a\": {quoted} }} }} }}"),
        format!("{{ \"tools\": {{ \"constraints\": {{ {quoted}: {{ {quoted}: {{ {quoted}: 1 }} }} }} }} }}"),
        format!("{{ \"steps\": {{ {quoted}: {{ {quoted}: {quoted} }} }} }}"),
        format!(
            "{{ \"sandbox\": {{ \"network\": {{ \"allowlist\": [{quoted}] }}, \"limits\": {{ \"memory\": {quoted} }} }} }}"
        ),
        format!(
            "{{ \"name\": {quoted}, \"layers\": [{quoted}], \"parameters\": {{ \"home\": {quoted}, {quoted}: 1 }} }}"
        ),
        format!(
            "{{ \"categories\": {{ {quoted}: {{ \"concerns\": [{quoted}] }} }}, \"concerns\": {{}}, \"mitigations\": {{}} }}"
        ),
        format!(
            "{{ \"tools\": [{{ \"name\": {quoted} }}, {{ \"name\": \"a{0}\" }}, {{ \"name\": \"a{0}\" }}] }}",
            "\\u202e".repeat(500)
        ),
        format!("policy: !<{}> a\n", "x".repeat(10_000)),
        "policy: *\u{202e}\u{200b}a\n".to_owned(),
        "policy: \u{7}\n".to_owned(),
    ];
    for text in cases {
        let found = survive(text.as_bytes());
        assert!(!found.is_empty(), "{text}");
        for d in found {
            assert!(d.message.chars().count() < 1_100, "{}", d.message);
        }
    }
}

#[test]
fn a_bad_byte_is_found_where_it_stands() {
    let cases: &[(&[u8], u32, u32, u32)] = &[
        (b"\xff", 1, 1, 0),
        (b"policy: \xff", 1, 9, 8),
        (b"policy: a\nbecause: \xfe\n", 2, 10, 19),
        (b"policy: a\r\nbecause: \xfe\n", 2, 10, 20),
        (b"policy: a\rbecause: \xfe\n", 2, 10, 19),
        ("policy: é\nbecause: é".as_bytes(), 0, 0, 0),
        (b"because: \xc3\xa9\xc3\xa9 \xc3", 1, 13, 14),
        (b"\xef\xbb\xbfpolicy: \x80", 1, 9, 8),
        (b"a\n\n\n\xed\xa0\x80", 4, 1, 4),
    ];
    for (bytes, line, column, offset) in cases {
        let Err(d) = node::decode_text(bytes, SOURCE) else {
            assert_eq!(*line, 0, "{bytes:?} is text");
            continue;
        };
        let place = d.labels[0].place;
        assert_eq!(
            (d.code, place.line, place.column, place.start),
            (Code::NotUtf8, *line, *column, *offset),
            "{bytes:?}"
        );
    }
}

#[test]
fn a_syntax_error_points_at_a_whole_character() {
    for text in ["policy: [é", "é: é: é\n", "policy: \"\\é\"", "a: @é", "policy: 'é", "{é", "é: *é", "a: !é b", "%é"]
    {
        let found = survive(text.as_bytes());
        assert_eq!(found.len(), 1, "{text}");
    }
}

#[test]
fn a_question_that_is_shown_reads_the_same() {
    let cases = [
        "net A.Example.:443",
        "net [::1]:80",
        "net ::1",
        "net bücher.example:8080",
        "read ./~x",
        "write /a/../b",
        "read a  b/c",
        "exec /usr/bin/git status",
        "tool a {\"b\": [1, 2.5, null, \"\\u0000\"]}",
        "import os.path",
        "model claude-1",
    ];
    for text in cases {
        let question = Question::parse(text).unwrap();
        assert_eq!(Question::parse(&question.to_string()).as_ref(), Ok(&question), "{text}");
    }
    for text in [
        "",
        " ",
        "net",
        "net ",
        "tool a [1]",
        "tool a {",
        "tool a* {}",
        "model *",
        "read ../x",
        "net a:b",
        "\0",
        "read \u{85}",
    ] {
        assert!(Question::parse(text).is_err(), "{text:?}");
    }
    let deep = format!("tool a {{\"b\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Question::parse(&deep).is_err(), "arguments nested too deep");
}

/// Every YAML file below the folders that users see, and what is built in.
fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = [root.join("data"), root.join("../../examples")].into();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    texts.sort();
    assert!(texts.len() > 12, "the seeds are gone");
    texts
}

/// One change to a text, by lines or by characters.
#[derive(Debug, Clone)]
enum Change {
    Truncate(prop::sample::Index),
    RemoveLine(prop::sample::Index),
    DoubleLine(prop::sample::Index),
    SwapLines(prop::sample::Index, prop::sample::Index),
    Insert(prop::sample::Index, String),
    Indent(prop::sample::Index, usize),
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    use prop::sample::Index;
    let at = any::<Index>;
    let token = prop_oneof![
        "[-\\[\\]{}:,#&*!|>'\"%@`?~<= \t\r\n0-9a-z\\\\]{1,4}",
        prop::sample::select(
            &["&a ", "*a", "? ", "---\n", "...\n", "<<: ", "\u{feff}", "\u{2028}", "null", "1e999", "!!str ", "\0"][..]
        )
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop_oneof![
        at().prop_map(Change::Truncate),
        at().prop_map(Change::RemoveLine),
        at().prop_map(Change::DoubleLine),
        (at(), at()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        (at(), token).prop_map(|(a, t)| Change::Insert(a, t)),
        (at(), 0usize..6).prop_map(|(a, n)| Change::Indent(a, n)),
        (at(), at(), at()).prop_map(|(a, b, c)| Change::Splice(a, b, c)),
    ]
}

fn apply(text: &mut String, change: &Change, seeds: &[String]) {
    let at = |index: &prop::sample::Index, text: &str| text.floor_char_boundary(index.index(text.len() + 1));
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let count = lines.len();
    match change {
        Change::Truncate(i) => return text.truncate(at(i, text)),
        Change::Insert(i, token) => return text.insert_str(at(i, text), token),
        _ if lines.is_empty() => return,
        Change::RemoveLine(i) => _ = lines.remove(i.index(count)),
        Change::DoubleLine(i) => lines.insert(i.index(count), lines[i.index(count)]),
        Change::SwapLines(i, j) => lines.swap(i.index(count), j.index(count)),
        Change::Indent(i, n) => lines.insert(i.index(count), &"      "[..*n]),
        Change::Splice(i, seed, j) => {
            let other: Vec<&str> = seeds[seed.index(seeds.len())].split_inclusive('\n').collect();
            lines.truncate(i.index(count));
            lines.extend(&other[j.index(other.len())..]);
        }
    }
    *text = lines.concat();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_survives(text in any::<String>()) {
        survive(text.as_bytes());
    }

    #[test]
    fn any_bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&bytes);
    }

    #[test]
    fn anything_that_looks_like_yaml_survives(text in "([ \t]{0,4}[-?:]? ?[a-z*&!|>'\"{}\\[\\],#%]{0,6}:? ?[a-z0-9*&!|>'\"{}\\[\\],~.]{0,6}\n){0,12}") {
        survive(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_document_survives(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..6)) {
        let seeds = seeds();
        let mut text = seeds[seed.index(seeds.len())].clone();
        for change in &changes {
            apply(&mut text, change, &seeds);
        }
        survive(text.as_bytes());
    }
}

/// Found by the `question` fuzz target: what a question prints must read back as the same question.
#[test]
fn a_path_with_outer_spaces_is_no_question() {
    for text in ["write a /", "read ./ x", "write a/b /c"] {
        assert!(Question::parse(text).is_err(), "{text}");
    }
    let spaced = Question::parse("read a b/c d").unwrap();
    assert_eq!(Question::parse(&spaced.to_string()).unwrap(), spaced);
}

/// Found by hand: repeated packs once added a source and a set of contributions each.
#[test]
fn repeated_packs_are_pointed_out_and_count_once() {
    let packs = vec!["gdpr"; 500];
    let text = serde_json::json!({ "policy": "p", "packs": packs }).to_string();
    let mut sources = Sources::default();
    let source = sources.add("p.json", text);
    let mut reader = Reader::default();
    let document = parse(source, &sources, &mut reader, PolicyDocument::read).unwrap();
    let parts =
        Parts { documents: vec![Leveled { level: Level::Org, fallback_id: "p".into(), document }], ..Parts::default() };
    let set = PolicySet::assemble(parts, &mut Library::default(), &mut sources, &mut reader);
    assert!(reader.diagnostics.iter().all(|d| d.code == Code::NoEffect && !d.is_error()));
    assert_eq!(reader.diagnostics.len(), 499);
    assert!(set.cascade.contributions().len() < 40);
}
