//! Which environment variables a run starts with.
//!
//! In: the slice's rules and the outer environment. Out: pairs. Names that the policy hides never pass, kept or not.

use ringfence_policy::slice::{EnvRules, KernelSlice};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// What is kept where the policy names nothing: what programs need to find their way, and nothing that signs in.
const HARMLESS: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CI",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LESS",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "JAVA_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "npm_config_cache",
    "NODE_ENV",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "CCACHE_DIR",
    "RUSTFLAGS",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CARGO_TERM_COLOR",
    "PYTHONUNBUFFERED",
    "COLUMNS",
    "LINES",
    "PKG_CONFIG_PATH",
    "SOURCE_DATE_EPOCH",
    "DEBIAN_FRONTEND",
];

/// Variables that point at doors which do not exist inside, or that change how programs are loaded.
const NEVER: &[&str] =
    &["LD_*", "XDG_RUNTIME_DIR", "DBUS_*", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TMPDIR", "TMP", "TEMP"];

/// One variable.
pub type Variable = (OsString, OsString);

/// The environment of a run, in the order of the outer one.
pub(crate) fn scrubbed(slice: &KernelSlice, outer: impl IntoIterator<Item = Variable>) -> Vec<Variable> {
    outer.into_iter().filter(|(name, _)| passes(slice, name)).collect()
}

fn passes(slice: &KernelSlice, name: &OsStr) -> bool {
    let hidden = || slice.hidden_env.iter().any(|p| covers(p, name));
    kept(&slice.env, name) && !NEVER.iter().any(|p| covers(p, name)) && !hidden()
}

fn kept(rules: &EnvRules, name: &OsStr) -> bool {
    match (&rules.keep, rules.scrub) {
        (_, false) => true,
        (Some(keep), true) => keep.iter().any(|p| covers(p, name)),
        (None, true) => HARMLESS.iter().any(|p| covers(p, name)),
    }
}

/// A name, or a prefix that ends in `*`.
fn covers(pattern: &str, name: &OsStr) -> bool {
    // By bytes: every variable is held against every pattern at each start.
    match pattern.as_bytes() {
        [prefix @ .., b'*'] => name.as_bytes().starts_with(prefix),
        exact => name.as_bytes() == exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_covers_and_a_name_is_exact() {
        assert!(covers("AWS_*", OsStr::new("AWS_SECRET_ACCESS_KEY")));
        assert!(!covers("AWS_*", OsStr::new("XAWS_")));
        assert!(covers("PATH", OsStr::new("PATH")));
        assert!(!covers("PATH", OsStr::new("PATHX")));
    }
}
