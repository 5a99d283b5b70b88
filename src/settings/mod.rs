//! Settings of a whole context: its limits, its use of caches and shared memory, and its access to the memory of other
//! devices.

mod affinity;
mod cache;
mod limits;
mod peer_access;
mod state;

pub use cache::{CacheConfig, SharedMemoryConfig};
pub use limits::Limit;
pub use state::StreamPriorityRange;
