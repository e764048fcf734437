//! `allow`: timed grants inside the ceiling.

pub(crate) mod grants;
