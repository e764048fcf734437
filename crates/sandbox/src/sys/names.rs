//! How the C library finds names in a statically linked program.

/// Has names looked up in `/etc/hosts` and by DNS alone, both of which are part of the C library.
///
/// Whatever else `/etc/nsswitch.conf` lists would be loaded as a shared library, which a statically linked program can
/// only do safely next to the very C library it was linked with.
#[cfg(target_env = "gnu")]
pub(crate) fn names_by_files_and_dns() {
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const libc::c_char, services: *const libc::c_char) -> libc::c_int;
    }
    // SAFETY: both are constant strings that end in a zero; the C library copies what it keeps, and no other thread
    // looks anything up yet. On failure its own configuration stays.
    unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
}

/// Other C libraries load nothing to look up a name.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn names_by_files_and_dns() {}
