//! Hosts and programs → changes of policy files, as unified diffs.
//!
//! In: the files in which a project or an agent states its allowlists. Out: the same text with more in those lists;
//! everything else stays byte for byte. A list that cannot be found for sure is left alone.

use super::needs::Needs;
use crate::command::run::trail::{DEFAULT, Trails};
use crate::failure::Failure;
use crate::input::InputArgs;
use ringfence_policy::pattern::{Host, Program};
use ringfence_policy::question::{DEFAULT_PORT, Question};
use ringfence_policy::scale::Effect;
use ringfence_sandbox::Place;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A list of a policy that something is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// `sandbox.network.allowlist`
    Hosts,
    /// `sandbox.exec.allowlist`
    Programs,
}

impl List {
    /// Its field.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Hosts => "sandbox.network.allowlist",
            Self::Programs => "sandbox.exec.allowlist",
        }
    }

    /// What is in it.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Hosts => "hosts",
            Self::Programs => "programs",
        }
    }

    /// What it lacks.
    pub(super) fn items(self, needs: &Needs) -> &[String] {
        match self {
            Self::Hosts => &needs.hosts,
            Self::Programs => &needs.programs,
        }
    }

    /// Whether something may be reached or started.
    fn question(self, item: &str) -> Option<Question> {
        match self {
            Self::Hosts => {
                let (host, port) = Host::parse_with_port(item).ok()?;
                Some(Question::Net { host: host.into_owned(), port: port.unwrap_or(DEFAULT_PORT) })
            }
            Self::Programs => Program::new(item).ok().map(Question::Exec),
        }
    }
}

/// A change of one file.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) path: PathBuf,
    /// None where the file is new.
    before: Option<String>,
    after: String,
    /// What it adds, and to which list.
    added: Vec<(List, Vec<String>)>,
}

/// Where a list starts, and what goes into it.
struct Addition {
    path: PathBuf,
    /// Line and column, from 1.
    place: (usize, usize),
    list: List,
    items: Vec<String>,
}

impl Edit {
    /// The changes that let through what was needed; none where there is nothing to change, or no sure way to.
    pub(super) fn all(needs: &Needs, trails: &Trails) -> Result<Vec<Self>, Failure> {
        let lists = [List::Hosts, List::Programs];
        if trails.documents.is_empty() {
            let hosts = needs.hosts.clone();
            let stated = !hosts.is_empty() && lists.iter().all(|l| *l == List::Hosts || l.items(needs).is_empty());
            let fresh = stated.then(|| Self {
                path: "ringfence.yaml".into(),
                before: None,
                after: fresh(&hosts),
                added: vec![(List::Hosts, hosts)],
            });
            return Ok(fresh.into_iter().collect());
        }
        let mut additions: Vec<Addition> = lists.iter().filter_map(|list| addition(*list, needs, trails)).collect();
        // From the end of a file to its beginning: what is added moves only what follows.
        additions.sort_by(|a, b| (&a.path, b.place).cmp(&(&b.path, a.place)));
        let mut edits: Vec<Self> = Vec::new();
        for Addition { path, place: (line, column), list, items } in additions {
            match edits.last_mut().filter(|e| e.path == path) {
                Some(edit) => {
                    if let Some(after) = with_items(&edit.after, line, column, &items) {
                        edit.after = after;
                        edit.added.push((list, items));
                    }
                }
                None => {
                    let before = std::fs::read_to_string(&path).map_err(|e| Failure::io("read", &path, e))?;
                    if let Some(after) = with_items(&before, line, column, &items) {
                        edits.push(Self { path, before: Some(before), after, added: vec![(list, items)] });
                    }
                }
            }
        }
        Ok(edits)
    }

    /// Whether it adds to a list.
    pub(super) fn changes(&self, list: List) -> bool {
        self.added.iter().any(|(l, _)| *l == list)
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self) -> String {
        let name = self.path.display();
        let old: Vec<&str> = self.before.as_deref().unwrap_or_default().lines().collect();
        let new: Vec<&str> = self.after.lines().collect();
        let from = if self.before.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
        format!("--- {from}\n+++ b/{name}\n{}", hunk(&old, &new))
    }

    /// Puts the file back.
    fn take_back(&self) -> Result<(), Failure> {
        match &self.before {
            Some(before) => self.replace(before),
            None => std::fs::remove_file(&self.path).map_err(|e| Failure::io("remove", &self.path, e)),
        }
    }

    fn replace(&self, text: &str) -> Result<(), Failure> {
        let failed = |e: std::io::Error| Failure::io("write", &self.path, e);
        let real = if self.before.is_some() { self.path.canonicalize().map_err(failed)? } else { self.path.clone() };
        let folder = real.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        let mode = std::fs::metadata(&real).map(|m| m.permissions());
        let mode = mode.unwrap_or_else(|_| std::os::unix::fs::PermissionsExt::from_mode(0o644));
        file.as_file().set_permissions(mode).map_err(failed)?;
        file.persist(&real).map_err(|e| failed(e.error))?;
        Ok(())
    }
}

/// Where a list lies that all of it can be added to. Lists of two documents would both have to be changed; that is for
/// a person.
fn addition(list: List, needs: &Needs, trails: &Trails) -> Option<Addition> {
    let items = list.items(needs);
    let question = items.first().and_then(|item| list.question(item))?;
    let entries = trails.why(&question).1.into_iter().map(|b| b.entry);
    let mut stated = entries.filter(|e| matches!(&*e.via_cascade_level, "project" | "agent"));
    let entry = stated.next().filter(|e| e.rule_id == list.field())?;
    if stated.next().is_some() {
        return None;
    }
    let place = (entry.line as usize, entry.column as usize);
    Some(Addition { path: PathBuf::from(&entry.file), place, list, items: items.to_vec() })
}

/// Writes the changes, and takes them back where they do not do what they should.
pub(super) fn apply(edits: &[Edit], input: &InputArgs, place: &Place) -> Result<(), Failure> {
    for (at, edit) in edits.iter().enumerate() {
        if let Err(e) = edit.replace(&edit.after) {
            edits.iter().take(at).try_for_each(Edit::take_back)?;
            return Err(e);
        }
    }
    let added = edits.iter().flat_map(|edit| &edit.added);
    let mut questions = added.flat_map(|(list, items)| items.iter().filter_map(|item| list.question(item)));
    let holds = Trails::derive(input, place)
        .is_ok_and(|(trails, _)| questions.all(|question| trails.why(&question).0 == Effect::Allow));
    if holds {
        return Ok(());
    }
    edits.iter().try_for_each(Edit::take_back)?;
    let paths: Vec<String> = edits.iter().map(|e| format!("`{}`", e.path.display())).collect();
    Err(Failure::Io(format!("the change of {} does not hold; it was taken back", paths.join(" and "))))
}

/// A first policy for a folder: what held without one, and the hosts.
fn fresh(hosts: &[String]) -> String {
    let list = hosts.iter().map(|h| format!("\"{h}\"")).collect::<Vec<_>>().join(", ");
    let mut out = String::new();
    for line in DEFAULT.lines().skip_while(|l| l.starts_with('#')) {
        match line.trim() {
            "policy: built-in" => out.push_str("policy: project"),
            "network: { mode: none }" => {
                out.push_str(&format!("  network: {{ mode: allowlist, allowlist: [{list}] }}"))
            }
            text if text.starts_with("because:") => out.push_str("because: What a recorded run needed."),
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The text with items added to the list that starts at a place.
fn with_items(text: &str, line: usize, column: usize, items: &[String]) -> Option<String> {
    if items.iter().any(|item| item.contains(['"', '\\', '[', ']'])) {
        return None;
    }
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?;
    let (skip, _) = rest.char_indices().nth(column.checked_sub(1)?)?;
    let at = start + skip;
    let list = text.get(at..)?;
    if list.starts_with('[') {
        return in_brackets(text, at, items);
    }
    list.starts_with("- ").then(|| in_block(text, at, skip, items))
}

/// Before the bracket that closes the list. What has brackets or quotes of its own is left to a person.
fn in_brackets(text: &str, at: usize, items: &[String]) -> Option<String> {
    let inner = text.get(at + 1..)?;
    let close = inner.find(']').filter(|n| !inner.get(..*n).is_some_and(|t| t.contains(['[', '#'])))?;
    let trimmed = inner.get(..close)?.trim_end();
    let added = items.iter().map(|h| format!("\"{h}\"")).collect::<Vec<_>>().join(", ");
    let comma = if trimmed.is_empty() || trimmed.ends_with(',') { "" } else { ", " };
    let place = at + 1 + trimmed.len();
    Some(format!("{}{comma}{added}{}", text.get(..place)?, text.get(place..)?))
}

/// After the last item of the list, at its depth.
fn in_block(text: &str, at: usize, indent: usize, items: &[String]) -> String {
    let line_start = text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
    let item = format!("{}- ", " ".repeat(indent));
    let mut end = line_start;
    let mut last = line_start;
    for line in text.get(line_start..).unwrap_or_default().split_inclusive('\n') {
        let between = line.trim().is_empty() || line.trim_start().starts_with('#');
        if !line.starts_with(&item) && !between {
            break;
        }
        end += line.len();
        if !between {
            last = end;
        }
    }
    let (head, tail) = text.split_at_checked(last).unwrap_or((text, ""));
    let newline = if head.ends_with('\n') { "" } else { "\n" };
    let added: String = items.iter().map(|i| format!("{item}\"{i}\"\n")).collect();
    format!("{head}{newline}{added}{tail}")
}

/// One hunk with three lines around what differs.
fn hunk(old: &[&str], new: &[&str]) -> String {
    const AROUND: usize = 3;
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(AROUND);
    let after = tail.min(AROUND);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let part = |list: &[&str], range: std::ops::Range<usize>, sign: char| -> String {
        list.get(range).unwrap_or_default().iter().map(|l| format!("{sign}{l}\n")).collect()
    };
    let start = |n: usize, len: usize| if len == 0 { n } else { n + 1 };
    let (old_len, new_len) = (old_end + after - from, new_end + after - from);
    format!("@@ -{},{old_len} +{},{new_len} @@\n", start(from, old_len), start(from, new_len))
        + &part(old, from..same, ' ')
        + &part(old, same..old_end, '-')
        + &part(new, same..new_end, '+')
        + &part(old, old_end..old_end + after, ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Vec<String> {
        vec!["b.example:443".to_owned()]
    }

    #[test]
    fn hosts_go_into_either_kind_of_list() {
        let flow = "sandbox:\n  network: { allowlist: [a.example ] } # x\n";
        let want = "sandbox:\n  network: { allowlist: [a.example, \"b.example:443\" ] } # x\n";
        assert_eq!(with_items(flow, 2, 25, &hosts()).as_deref(), Some(want));
        let block = "allowlist:\n  - a.example\n  # c\n  - \"*.d.example\"\nother: 1\n";
        let want = "allowlist:\n  - a.example\n  # c\n  - \"*.d.example\"\n  - \"b.example:443\"\nother: 1\n";
        assert_eq!(with_items(block, 2, 3, &hosts()).as_deref(), Some(want));
        assert_eq!(with_items("allowlist: &x [a]\n", 1, 12, &hosts()), None);
    }

    #[test]
    fn a_first_policy_is_the_built_in_one_with_the_hosts() {
        let text = fresh(&hosts());
        assert!(text.starts_with("policy: project\nlevel: project\nbecause: What a recorded run needed.\n"), "{text}");
        assert!(text.contains("\n  network: { mode: allowlist, allowlist: [\"b.example:443\"] }\n"), "{text}");
        assert!(text.contains("\n  filesystem: { permission: repo-readwrite }\n"), "{text}");
    }

    #[test]
    fn a_diff_is_what_patch_reads() {
        let edit = |before: Option<&str>, after: &str| Edit {
            path: "p".into(),
            before: before.map(str::to_owned),
            after: after.into(),
            added: Vec::new(),
        };
        let changed = edit(Some("1\n2\n3\n4\n5\n6\n"), "1\n2\n3\n4\nx\n6\n");
        assert_eq!(changed.diff(), "--- a/p\n+++ b/p\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n");
        let new = edit(None, "1\n");
        assert_eq!(new.diff(), "--- /dev/null\n+++ b/p\n@@ -0,0 +1,1 @@\n+1\n");
    }
}
