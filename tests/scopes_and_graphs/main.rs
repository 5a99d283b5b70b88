//! Scopes of streams, captures and graphs.

mod captures;
#[path = "../common/mod.rs"]
mod common;
mod graph;
mod graph_nodes;
#[cfg(unix)] // Windows counts the time of a process in steps of 15 ms
mod growth;
#[cfg(feature = "guard")]
mod guide_pictures;
mod open_captures;
mod other_errors;
mod schedules;
mod scope;
mod scope_calls;
mod scope_peers;
mod scope_programs;
mod scope_scratch;
mod stream_values;
