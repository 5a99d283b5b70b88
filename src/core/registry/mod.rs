//! Lists of this process, which all threads share: the contexts that there are, the entries on the stacks of threads,
//! and the page-locked memory of the host.

pub(crate) mod contexts;
pub(crate) mod entries;
mod host;

pub(crate) use contexts::{is_alone, may_be_green};
pub(crate) use host::{LentHost, host_saw, host_sees, registered};
