//! Device memory and its pools, and page-locked host memory.

pub(crate) mod allocation;
pub(crate) mod managed;
pub(crate) mod multicast;
pub(crate) mod pages;
pub(crate) mod physical;
pub(crate) mod pool;
pub(crate) mod reach;
pub(crate) mod set;
pub(crate) mod shared;
pub(crate) mod space;
pub(crate) mod storage;
pub(crate) mod virtual_memory;
pub(crate) mod watched;
pub(crate) mod written;
