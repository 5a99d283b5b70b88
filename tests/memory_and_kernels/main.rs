//! Memory and its copies, images, modules, and launches.

mod arguments;
mod batches;
#[path = "../common/mod.rs"]
mod common;
mod cuda_kernels;
mod damaged_images;
mod default_streams;
mod dlpack;
mod empty;
mod external;
#[cfg(target_os = "linux")]
#[path = "../common/gl.rs"]
mod gl;
mod graphics;
#[cfg(feature = "guard")]
mod guarded;
mod half_precision;
mod held_textures;
mod host_functions;
mod host_memory;
mod host_pools;
mod images;
mod ipc;
mod kernels;
mod lacking;
mod launch;
mod launch_attributes;
mod managed;
mod mapped;
mod memory;
mod modules;
mod multicast;
mod occupancy;
mod options;
mod other_context;
mod parts_and_words;
mod peers;
mod pitched;
mod printed;
mod released_later;
mod runtimes;
mod shared_pools;
mod streams;
mod tensor_bounds;
mod tensor_limits;
mod tensor_maps;
mod textures;
mod trusted;
mod typed_kernels;
mod views;
mod virtual_memory;
mod windows_handles;
