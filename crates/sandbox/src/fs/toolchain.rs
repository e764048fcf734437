//! Toolchain presets: which parts of the home directory a toolchain needs, by name.
//!
//! Programs and settings are shown read-only. Caches are shown copy-on-write: a run finds what was downloaded before,
//! and nothing it downloads or changes reaches the next build outside.

use std::path::{Path, PathBuf};

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
    /// Below the home directory, or below what the variable names.
    path: &'static str,
    /// A variable that moves it.
    variable: Option<&'static str>,
    kind: Kind,
}

const fn shown(path: &'static str) -> Part {
    Part { path, variable: None, kind: Kind::Shown }
}

const fn cache(path: &'static str) -> Part {
    Part { path, variable: None, kind: Kind::Cache }
}

const TOOLCHAINS: &[(&str, &[Part])] = &[
    (
        "git",
        &[shown(".gitconfig"), shown(".config/git/config"), shown(".config/git/ignore"), shown(".gitignore_global")],
    ),
    (
        "cargo",
        &[
            Part { path: ".cargo/bin", variable: Some("CARGO_HOME"), kind: Kind::Shown },
            Part { path: ".cargo/config.toml", variable: Some("CARGO_HOME"), kind: Kind::Shown },
            Part { path: ".cargo/env", variable: Some("CARGO_HOME"), kind: Kind::Shown },
            Part { path: ".cargo/registry", variable: Some("CARGO_HOME"), kind: Kind::Cache },
            Part { path: ".cargo/git", variable: Some("CARGO_HOME"), kind: Kind::Cache },
            Part { path: ".rustup", variable: Some("RUSTUP_HOME"), kind: Kind::Shown },
        ],
    ),
    (
        "npm",
        &[
            cache(".npm"),
            shown(".nvm"),
            cache(".cache/yarn"),
            cache(".local/share/pnpm"),
            shown(".volta"),
            cache(".cache/node"),
        ],
    ),
    (
        "pip",
        &[
            cache(".cache/pip"),
            cache(".cache/uv"),
            shown(".pyenv"),
            shown(".local/bin"),
            shown(".local/lib"),
            shown(".local/share/uv"),
        ],
    ),
    ("go", &[cache("go/pkg"), cache(".cache/go-build"), shown("go/bin"), shown(".config/go")]),
    ("java", &[cache(".m2/repository"), cache(".gradle/caches"), cache(".gradle/wrapper"), shown(".sdkman")]),
    ("ccache", &[cache(".cache/ccache"), cache(".ccache")]),
];

/// The parts of the enabled toolchains that exist. `None` enables all.
pub(crate) fn parts(
    enabled: Option<&[String]>,
    home: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<(PathBuf, Kind)> {
    let is_enabled = |name: &str| enabled.is_none_or(|list| list.iter().any(|n| n == name));
    let parts = TOOLCHAINS.iter().filter(|(name, _)| is_enabled(name)).flat_map(|(_, parts)| parts.iter());
    let place = |part: &Part| match part.variable.and_then(&variable) {
        // `.cargo/bin` below CARGO_HOME is `bin`.
        Some(moved) if moved.is_absolute() => match part.path.split_once('/') {
            Some((_, rest)) => moved.join(rest),
            None => moved,
        },
        _ => home.join(part.path),
    };
    parts.map(|p| (place(p), p.kind)).filter(|(path, _)| path.exists()).collect()
}
