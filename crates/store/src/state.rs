//! Where logs and keys are kept.

use crate::StoreError;
use std::ffi::OsString;
use std::path::PathBuf;

/// `$RINGFENCE_STATE`, else `$XDG_STATE_HOME/ringfence`, else `~/.local/state/ringfence`. The environment comes in as
/// a function. An empty variable counts as absent, and so does a relative `XDG_STATE_HOME`, as its standard says.
pub fn state_dir(env: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    let path = |name| env(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(own) = path("RINGFENCE_STATE") {
        return if own.is_absolute() { Ok(own) } else { Err(StoreError::Relative(own)) };
    }
    if let Some(shared) = path("XDG_STATE_HOME").filter(|p| p.is_absolute()) {
        return Ok(shared.join("ringfence"));
    }
    let home = path("HOME").filter(|p| p.is_absolute()).ok_or(StoreError::NoState)?;
    Ok(home.join(".local/state/ringfence"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Result<PathBuf, &'static str> {
        let env = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v));
        state_dir(env).map_err(|e| e.code())
    }

    #[test]
    fn the_first_that_is_set_counts() {
        let all = [("RINGFENCE_STATE", "/own"), ("XDG_STATE_HOME", "/xdg"), ("HOME", "/home/a")];
        assert_eq!(of(&all), Ok("/own".into()));
        assert_eq!(of(&all[1..]), Ok("/xdg/ringfence".into()));
        assert_eq!(of(&all[2..]), Ok("/home/a/.local/state/ringfence".into()));
        assert_eq!(
            of(&[("XDG_STATE_HOME", "rel"), ("RINGFENCE_STATE", ""), ("HOME", "/h")]),
            Ok("/h/.local/state/ringfence".into())
        );
        assert_eq!(of(&[("RINGFENCE_STATE", "rel"), ("HOME", "/h")]), Err("store.no_state"));
        assert_eq!(of(&[]), Err("store.no_state"));
    }
}
