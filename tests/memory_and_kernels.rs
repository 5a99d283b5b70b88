//! Memory and its copies, images, modules, and launches.

mod arguments;
mod common;
mod cuda_kernels;
mod default_streams;
mod dlpack;
mod empty;
mod half_precision;
mod host_functions;
mod images;
mod ipc;
mod kernels;
mod launch;
mod launch_attributes;
mod mapped;
mod memory;
mod modules;
mod occupancy;
mod other_context;
mod peers;
mod pitched;
mod streams;
mod typed_kernels;
mod views;
mod virtual_memory;
