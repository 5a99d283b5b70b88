//! Options and logs of the driver's compiler and linker.

mod link;
mod options;
mod refusals;
mod request;

pub use link::{Linked, Linker};
pub use options::{JitCache, JitFallback, JitOptions, JitTarget};
pub use request::JitLog;
pub(crate) use request::Request;
