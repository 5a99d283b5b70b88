//! Settings of a whole context: its limits, and its use of caches and shared memory.

mod cache;
mod limits;

pub use cache::{CacheConfig, SharedMemoryConfig};
pub use limits::Limit;
