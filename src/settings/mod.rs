//! Settings of a whole context: its limits, and its use of caches and shared memory.

mod affinity;
mod cache;
mod limits;
mod state;

pub use cache::{CacheConfig, SharedMemoryConfig};
pub use limits::Limit;
pub use state::StreamPriorityRange;
