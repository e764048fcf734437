//! Hosts → a change of one policy file, as a unified diff.
//!
//! In: the file in which a project or an agent states its allowlist. Out: the same text with the hosts in that list;
//! everything else stays byte for byte. A list that cannot be found for sure is left alone.

use crate::command::run::trail::{DEFAULT, Trails};
use crate::failure::Failure;
use crate::input::InputArgs;
use ringfence_policy::pattern::Host;
use ringfence_policy::question::{DEFAULT_PORT, Question};
use ringfence_policy::scale::Effect;
use ringfence_sandbox::Place;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A change of one file.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) path: PathBuf,
    /// None where the file is new.
    before: Option<String>,
    after: String,
}

impl Edit {
    /// The change that lets the hosts through; none where there is nothing to change, or no sure way to.
    pub(super) fn new(hosts: &[String], trails: &Trails) -> Result<Option<Self>, Failure> {
        let Some(question) = hosts.first().and_then(|h| question(h)) else { return Ok(None) };
        let entries = trails.why(&question).1.into_iter().map(|b| b.entry);
        let own = |level: &str| matches!(level, "project" | "agent");
        let mut stated = entries.filter(|e| own(&e.via_cascade_level));
        let Some(entry) = stated.next() else { return Ok(None) };
        if trails.documents.is_empty() {
            let text = fresh(hosts);
            return Ok(Some(Self { path: "ringfence.yaml".into(), before: None, after: text }));
        }
        // Lists of two documents would both have to be changed; that is for a person.
        if entry.rule_id != "sandbox.network.allowlist" || stated.next().is_some() {
            return Ok(None);
        }
        let path = PathBuf::from(&entry.file);
        let before = std::fs::read_to_string(&path).map_err(|e| Failure::io("read", &path, e))?;
        let after = with_hosts(&before, entry.line as usize, entry.column as usize, hosts);
        Ok(after.map(|after| Self { path, before: Some(before), after }))
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self) -> String {
        let name = self.path.display();
        let old: Vec<&str> = self.before.as_deref().unwrap_or_default().lines().collect();
        let new: Vec<&str> = self.after.lines().collect();
        let from = if self.before.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
        format!("--- {from}\n+++ b/{name}\n{}", hunk(&old, &new))
    }

    /// Writes the change, and takes it back where it does not do what it should.
    pub(super) fn apply(&self, input: &InputArgs, place: &Place, hosts: &[String]) -> Result<(), Failure> {
        self.replace(&self.after)?;
        let holds = Trails::derive(input, place).is_ok_and(|(trails, _)| {
            hosts.iter().filter_map(|h| question(h)).all(|q| trails.why(&q).0 == Effect::Allow)
        });
        if holds {
            return Ok(());
        }
        match &self.before {
            Some(before) => self.replace(before)?,
            None => std::fs::remove_file(&self.path).map_err(|e| Failure::io("remove", &self.path, e))?,
        }
        Err(Failure::Io(format!("the change of `{}` does not hold; it was taken back", self.path.display())))
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

fn question(rule: &str) -> Option<Question> {
    let (host, port) = Host::parse_with_port(rule).ok()?;
    Some(Question::Net { host: host.into_owned(), port: port.unwrap_or(DEFAULT_PORT) })
}

/// The text with hosts added to the list that starts at a place.
fn with_hosts(text: &str, line: usize, column: usize, hosts: &[String]) -> Option<String> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?;
    let (skip, _) = rest.char_indices().nth(column.checked_sub(1)?)?;
    let at = start + skip;
    let list = text.get(at..)?;
    if list.starts_with('[') {
        return in_brackets(text, at, hosts);
    }
    list.starts_with("- ").then(|| in_block(text, at, skip, hosts))
}

/// Before the bracket that closes the list. Hosts have no brackets, quotes only around them.
fn in_brackets(text: &str, at: usize, hosts: &[String]) -> Option<String> {
    let inner = text.get(at + 1..)?;
    let close = inner.find(']').filter(|n| !inner.get(..*n).is_some_and(|t| t.contains(['[', '#'])))?;
    let trimmed = inner.get(..close)?.trim_end();
    let added = hosts.iter().map(|h| format!("\"{h}\"")).collect::<Vec<_>>().join(", ");
    let comma = if trimmed.is_empty() || trimmed.ends_with(',') { "" } else { ", " };
    let place = at + 1 + trimmed.len();
    Some(format!("{}{comma}{added}{}", text.get(..place)?, text.get(place..)?))
}

/// After the last item of the list, at its depth.
fn in_block(text: &str, at: usize, indent: usize, hosts: &[String]) -> String {
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
    let added: String = hosts.iter().map(|h| format!("{item}\"{h}\"\n")).collect();
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
        assert_eq!(with_hosts(flow, 2, 25, &hosts()).as_deref(), Some(want));
        let block = "allowlist:\n  - a.example\n  # c\n  - \"*.d.example\"\nother: 1\n";
        let want = "allowlist:\n  - a.example\n  # c\n  - \"*.d.example\"\n  - \"b.example:443\"\nother: 1\n";
        assert_eq!(with_hosts(block, 2, 3, &hosts()).as_deref(), Some(want));
        assert_eq!(with_hosts("allowlist: &x [a]\n", 1, 12, &hosts()), None);
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
        let edit =
            Edit { path: "p".into(), before: Some("1\n2\n3\n4\n5\n6\n".into()), after: "1\n2\n3\n4\nx\n6\n".into() };
        assert_eq!(edit.diff(), "--- a/p\n+++ b/p\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n");
        let new = Edit { path: "p".into(), before: None, after: "1\n".into() };
        assert_eq!(new.diff(), "--- /dev/null\n+++ b/p\n@@ -0,0 +1,1 @@\n+1\n");
    }
}
