//! Derived sandboxes that are kept: used where nothing changed, and never where anything did.

use crate::support::{Bench, allowing};
use std::fs;
use std::path::PathBuf;

fn entries(bench: &Bench) -> Vec<PathBuf> {
    let dir = bench.home().join(".cache/ringfence/derived");
    let names = fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    names.filter(|p| p.extension().is_none()).collect()
}

fn was_derived(bench: &Bench) -> bool {
    bench.events()[0]["payload"]["derived_now"].as_bool().expect("a word")
}

#[test]
fn the_same_policies_are_derived_once_and_changed_ones_again() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["a.example"]));
        assert_eq!(bench.sh(&[], "true").code, 0);
        assert!(was_derived(&bench));
        assert_eq!(bench.sh(&[], "true").code, 0);
        assert!(!was_derived(&bench));
        bench.write("ringfence.yaml", &allowing(&["b.example"]));
        let ran = bench.sh(&["--banner"], "true");
        assert!(was_derived(&bench) && ran.err.contains("only b.example"), "{}", ran.err);
        assert!(bench.sh(&["--preset", "full-isolate", "--banner"], "true").err.contains("network  none"));
    }
}

#[test]
fn a_damaged_entry_counts_as_none() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["a.example"]));
    assert_eq!(bench.sh(&[], "true").code, 0);
    let entry = entries(&bench).pop().expect("an entry");
    let text = fs::read_to_string(&entry).expect("a file");
    for bad in
        [text.replace("a.example", "x.example"), String::new(), text[..text.len() / 2].to_owned(), "\u{0}".repeat(500)]
    {
        fs::write(&entry, &bad).expect("written");
        let ran = bench.sh(&["--banner"], "true");
        assert!(ran.err.contains("only a.example"), "{}", ran.err);
        assert!(was_derived(&bench));
    }
    assert!(
        !{
            bench.sh(&[], "true");
            was_derived(&bench)
        },
        "a damaged entry is replaced"
    );
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["a.example"]));
    let dir = bench.home().join(".cache/ringfence/derived");
    fs::create_dir_all(&dir).expect("a folder");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).expect("a mode");
    for _ in 0..2 {
        assert_eq!(bench.sh(&[], "true").code, 0);
        assert!(was_derived(&bench));
    }
}

#[test]
fn warnings_are_shown_each_time() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["a.example"]));
    bench.write("Ringfence.yml", "policy: other\n");
    let (first, second) = (bench.sh(&["-C", "."], "true"), bench.sh(&["-C", "."], "true"));
    assert!(first.err.contains("is not read"), "{}", first.err);
    assert!(!was_derived(&bench));
    assert_eq!(first.err, second.err);
}

#[test]
fn a_bad_policy_is_no_run_however_often() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", "policy: p\nsandbox: { nonsense: 1 }\n");
    for _ in 0..2 {
        assert_eq!(bench.sh(&[], "true").code, 120);
    }
    assert!(entries(&bench).is_empty() && bench.runs().is_empty());
}
