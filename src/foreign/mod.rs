//! Contexts of other code in the same process.

mod context;

pub use context::{Ownership, RawContext, ReleaseWith};
