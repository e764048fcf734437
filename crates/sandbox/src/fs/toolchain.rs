//! Toolchain presets: which parts of the home directory a toolchain needs, by name.
//!
//! Programs and settings are shown read-only. Caches are shown copy-on-write: a run finds what was downloaded before,
//! and nothing it downloads or changes reaches the next build outside.

use std::path::{Component, Path, PathBuf};

/// How a directory is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Read-only.
    Shown,
    /// Copy-on-write.
    Cache,
}

/// One directory or file of a toolchain.
struct Part {
    /// Below the home directory.
    path: &'static str,
    /// A variable that moves it, and where it then lies below what the variable names.
    moved: Option<(&'static str, &'static str)>,
    kind: Kind,
}

const fn shown(path: &'static str) -> Part {
    Part { path, moved: None, kind: Kind::Shown }
}

const fn cache(path: &'static str) -> Part {
    Part { path, moved: None, kind: Kind::Cache }
}

impl Part {
    const fn moved_by(self, variable: &'static str, rest: &'static str) -> Self {
        Self { moved: Some((variable, rest)), ..self }
    }

    fn place(&self, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let moved = self.moved.and_then(|(name, rest)| Some((variable(name)?, rest)));
        match moved {
            // A variable that names the home directory or what it lies in would show all of it.
            Some((base, rest)) if base.is_absolute() && !climbs(&base) && !home.starts_with(&base) => base.join(rest),
            _ => home.join(self.path),
        }
    }
}

fn climbs(path: &Path) -> bool {
    path.components().any(|c| c == Component::ParentDir)
}

const TOOLCHAINS: &[(&str, &[Part])] = &[
    (
        "git",
        &[shown(".gitconfig"), shown(".config/git/config"), shown(".config/git/ignore"), shown(".gitignore_global")],
    ),
    (
        "cargo",
        &[
            shown(".cargo/bin").moved_by("CARGO_HOME", "bin"),
            shown(".cargo/config.toml").moved_by("CARGO_HOME", "config.toml"),
            shown(".cargo/env").moved_by("CARGO_HOME", "env"),
            cache(".cargo/registry").moved_by("CARGO_HOME", "registry"),
            cache(".cargo/git").moved_by("CARGO_HOME", "git"),
            shown(".rustup").moved_by("RUSTUP_HOME", ""),
        ],
    ),
    (
        "npm",
        &[
            cache(".npm").moved_by("npm_config_cache", ""),
            shown(".nvm").moved_by("NVM_DIR", ""),
            cache(".cache/yarn"),
            cache(".local/share/pnpm"),
            shown(".volta").moved_by("VOLTA_HOME", ""),
            shown(".local/share/fnm"),
            shown(".bun/bin"),
            cache(".bun/install/cache"),
            shown(".deno/bin"),
            cache(".cache/deno"),
            cache(".cache/node"),
        ],
    ),
    (
        "pip",
        &[
            cache(".cache/pip").moved_by("PIP_CACHE_DIR", ""),
            cache(".cache/uv").moved_by("UV_CACHE_DIR", ""),
            shown(".pyenv").moved_by("PYENV_ROOT", ""),
            shown(".local/bin"),
            shown(".local/lib"),
            shown(".local/share/uv"),
            shown("miniconda3"),
            shown("miniforge3"),
            shown("anaconda3"),
        ],
    ),
    (
        "go",
        &[
            cache("go/pkg").moved_by("GOPATH", "pkg"),
            shown("go/bin").moved_by("GOPATH", "bin"),
            cache(".cache/go-build").moved_by("GOCACHE", ""),
            shown(".config/go"),
        ],
    ),
    ("java", &[cache(".m2/repository"), cache(".gradle/caches"), cache(".gradle/wrapper"), shown(".sdkman")]),
    ("ccache", &[cache(".cache/ccache").moved_by("CCACHE_DIR", ""), cache(".ccache")]),
];

/// The parts of the enabled toolchains that exist. `None` enables all.
pub(crate) fn parts(
    enabled: Option<&[String]>,
    home: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<(PathBuf, Kind)> {
    let is_enabled = |name: &str| enabled.is_none_or(|list| list.iter().any(|n| n == name));
    let parts = TOOLCHAINS.iter().filter(|(name, _)| is_enabled(name)).flat_map(|(_, parts)| parts.iter());
    // Most of them are not there, and to find where a path leads is a call for each folder on the way.
    let there = parts.map(|p| (p.place(home, &variable), p.kind)).filter(|(path, _)| path.exists());
    there.flat_map(|(path, kind)| with_target(path, kind, home)).collect()
}

/// A link is shown as a link, so what it leads to is shown too: settings kept in a folder of their own are common.
fn with_target(path: PathBuf, kind: Kind, home: &Path) -> Vec<(PathBuf, Kind)> {
    let target = path.canonicalize().ok().filter(|t| kind == Kind::Shown && *t != path && !home.starts_with(t));
    [Some(path), target].into_iter().flatten().map(|p| (p, kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(part: &Part, value: Option<&str>) -> PathBuf {
        part.place(Path::new("/home/u"), |_| value.map(PathBuf::from))
    }

    #[test]
    fn a_variable_moves_a_part() {
        let bin = shown(".cargo/bin").moved_by("CARGO_HOME", "bin");
        assert_eq!(place(&bin, None), Path::new("/home/u/.cargo/bin"));
        assert_eq!(place(&bin, Some("/srv/cargo")), Path::new("/srv/cargo/bin"));
        let build = cache(".cache/go-build").moved_by("GOCACHE", "");
        assert_eq!(place(&build, Some("/srv/go")), Path::new("/srv/go"));
    }

    #[test]
    fn what_a_link_leads_to_is_shown_too() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("a path");
        std::fs::create_dir(home.join("dotfiles")).expect("a folder");
        std::fs::write(home.join("dotfiles/gitconfig"), "").expect("a file");
        std::os::unix::fs::symlink("dotfiles/gitconfig", home.join(".gitconfig")).expect("a link");
        std::os::unix::fs::symlink("..", home.join(".rustup")).expect("a link");
        let found = parts(None, &home, |_| None);
        let expected = [".gitconfig", "dotfiles/gitconfig", ".rustup"].map(|p| (home.join(p), Kind::Shown));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_variable_does_not_show_the_home_directory() {
        let pyenv = shown(".pyenv").moved_by("PYENV_ROOT", "");
        for value in ["/home/u", "/home", "/", "relative", "", "/home/u/x/..", "/srv/../home/u"] {
            assert_eq!(place(&pyenv, Some(value)), Path::new("/home/u/.pyenv"), "{value}");
        }
    }
}
