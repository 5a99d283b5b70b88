//! `docs/driver-facts.md`, row by row, against the driver that this build is linked with.
//!
//! The rows were measured on an H200. The software driver answers as that one does, so the same
//! tests run on both, and they use nothing but the declared C functions.
#![allow(unsafe_code, reason = "the tests call the driver itself")]

#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
#[path = "../common/gl.rs"]
mod gl;
#[macro_use]
mod raw;

mod arrays;
mod attach;
mod batches;
mod blocking;
mod callbacks;
mod capture;
mod capture_refusals;
mod captured_allocations;
mod captured_graphs;
mod captured_rows;
mod compiler;
mod conditionals;
mod context_creation;
mod context_events;
mod context_state;
mod contexts_and_calls;
mod cooperative;
mod deaths;
mod device_launches;
mod diagnostics;
#[cfg(target_os = "linux")] // its handles are descriptors
mod dma_buf;
mod ends_after_faults;
mod errors;
mod external;
mod external_semaphores;
mod faults;
mod faults_elsewhere;
mod filters;
mod foreign_code;
mod graph_attributes;
mod graph_batches;
mod graph_captures;
mod graph_edges;
mod graph_nodes;
mod graph_rows;
mod graph_updates;
mod graph_values;
mod graphics;
mod graphs;
mod green_contexts;
mod host_pools;
mod images;
mod ipc;
mod kernels;
#[cfg(target_os = "linux")] // the loader calls what is in a section of the executable
mod last_calls;
mod launches;
mod legacy;
mod libraries;
mod lookups;
mod managed;
mod modules;
mod notifications;
mod occupancy;
mod older_launches;
mod outside;
mod peer_memory;
mod peers;
mod pools;
mod ptx_texts;
mod registered_memory;
mod resources;
mod shared_pools;
mod stack;
mod stream_attributes;
mod table;
mod tensor_maps;
mod textures;
mod times;
mod unified;
mod user_objects;
mod virtual_memory;
mod visible;
