//! The data plane's services: what a run needs from the outside while it runs. For now the quarantine's summarisers;
//! decisions and guards stay in the pure crates below.

pub mod quarantine;
