//! Settings of a whole context: its limits, its use of caches and shared memory, its access to the memory of other
//! devices, and what other hardware writes to it.

mod affinity;
mod cache;
mod limits;
mod peer_access;
mod rdma;
mod state;

pub use cache::{CacheConfig, SharedMemoryConfig};
pub use limits::Limit;
pub use rdma::RdmaScope;
pub use state::StreamPriorityRange;
