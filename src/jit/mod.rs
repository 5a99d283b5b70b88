//! Options and logs of the driver's compiler and linker.

mod options;
mod request;

pub use options::{JitCache, JitFallback, JitOptions, JitTarget};
pub use request::JitLog;
pub(crate) use request::Request;
