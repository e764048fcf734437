//! Which path lies in which, by bytes: at each start a hundred paths are held against a dozen places, and taking each
//! apart into components every time would be a good part of the start.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The path with nothing in it that means nothing: no doubled or final slash, no `.`. A `..` stays what it is.
pub(crate) fn normal(path: &Path) -> Cow<'_, Path> {
    let bytes = path.as_os_str().as_bytes();
    let at_end = bytes.len() > 1 && (bytes.ends_with(b"/") || bytes.ends_with(b"/."));
    match at_end || bytes.windows(2).any(|w| w == b"//") || bytes.windows(3).any(|w| w == b"/./") {
        true => Cow::Owned(path.components().collect()),
        false => Cow::Borrowed(path),
    }
}

/// Whether a path is a place or lies below it. Both must be absolute and [`normal`].
pub(crate) fn lies_in(path: &Path, place: &Path) -> bool {
    match path.as_os_str().as_bytes().strip_prefix(place.as_os_str().as_bytes()) {
        Some([] | [b'/', ..]) => true,
        Some(_) => place == Path::new("/"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_no_prefix_of_a_longer_one() {
        let lies = |path: &str, place: &str| lies_in(Path::new(path), Path::new(place));
        assert!(lies("/a/b", "/a") && lies("/a", "/a") && lies("/a", "/") && lies("/", "/"));
        assert!(!lies("/ab", "/a") && !lies("/a", "/a/b") && !lies("/b", "/a"));
    }

    proptest! {
        /// The standard library takes the long way; the answer is the same.
        #[test]
        fn it_is_what_components_say(path in "/[ab./]{0,8}", place in "/[ab./]{0,5}") {
            let (path, place) = (Path::new(&path), Path::new(&place));
            prop_assert_eq!(lies_in(&normal(path), &normal(place)), path.starts_with(place));
        }
    }
}
