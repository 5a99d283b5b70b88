//! Streams that own the order of their memory.

#[path = "../common/mod.rs"]
mod common;
mod ordered;
mod ordered_come_and_go;
mod ordered_ends;
mod ordered_faults;
mod ordered_futures;
mod ordered_growth;
mod ordered_peers;
mod ordered_schedules;
mod ordered_textures;
mod ordered_values;
mod steady;
