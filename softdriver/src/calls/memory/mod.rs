//! Device memory and its pools, and page-locked host memory.

pub(crate) mod allocate;
pub(crate) mod batch;
pub(crate) mod copy;
pub(crate) mod host;
pub(crate) mod managed;
pub(crate) mod multicast;
pub(crate) mod pool;
pub(crate) mod pool_sharing;
pub(crate) mod pools;
pub(crate) mod rows;
pub(crate) mod set;
pub(crate) mod virtual_memory;
