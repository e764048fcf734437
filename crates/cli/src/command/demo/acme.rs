//! The policies of `examples/acme`, in the program itself: the demo works in a folder that has never seen the source.

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../../examples/acme/", $path)))),*]
    };
}

/// Every file, with its path below the folder.
pub(super) const FILES: &[(&str, &str)] = files![
    "agents/coder.yaml",
    "agents/emailer.yaml",
    "agents/researcher.yaml",
    "host.yaml",
    "org.yaml",
    "projects/platform.yaml",
    "projects/support.yaml",
    "specs/coder.yaml",
    "specs/customer-support-emailer.yaml",
    "specs/researcher.yaml",
    "tools.yaml",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn below(folder: &Path, root: &Path, out: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => below(&path, root, out),
                false => _ = out.insert(path.strip_prefix(root).unwrap_or(&path).display().to_string()),
            }
        }
    }

    #[test]
    fn every_file_of_the_example_is_here() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/acme");
        let mut there = BTreeSet::new();
        below(&root, &root, &mut there);
        let here: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(here, there);
    }
}
