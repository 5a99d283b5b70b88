//! Settings of a whole context: its limits, and how it uses the caches of its device.

mod cache;
mod limits;

pub use cache::{CacheConfig, SharedMemoryConfig};
pub use limits::Limit;
