//! The state of the driver: what contexts, streams, graphs and memory are, and what can be done with them.
//! Nothing here imports the entry points in [`calls`](crate::calls).

pub(crate) mod array;
pub(crate) mod attributes;
pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod coredump;
pub(crate) mod device;
pub(crate) mod device_attribute;
pub(crate) mod device_runtime;
pub(crate) mod driver;
pub(crate) mod event;
pub(crate) mod external;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod graphics;
pub(crate) mod green;
pub(crate) mod ipc;
pub(crate) mod jit;
pub(crate) mod launch;
pub(crate) mod launch_attributes;
pub(crate) mod library;
pub(crate) mod life;
pub(crate) mod limits;
pub(crate) mod link;
pub(crate) mod logs;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod notification;
pub(crate) mod occupancy;
pub(crate) mod peer;
pub(crate) mod priority;
pub(crate) mod resource;
pub(crate) mod result;
pub(crate) mod stack;
pub(crate) mod stream;
pub(crate) mod stream_memory;
