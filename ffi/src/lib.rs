//! Hand-declared bindings to the CUDA driver, linked against libcuda.
//!
//! The names, signatures and values are those of NVIDIA's `cuda.h`, under the names that libcuda
//! exports (`cuMemAlloc_v2`). Codes and enumerations are transparent integers with constants, since
//! a newer driver may return what has no name here; handles are distinct opaque pointers.
//!
//! A program that refers to a function which the driver lacks does not start. So the functions that
//! are linked are those that every driver from CUDA 12.0 on has. The newer ones are looked up when
//! the program first asks, each by a function of its own name:
//!
//! ```no_run
//! use cuscope_sys::{CUgreenCtx, CUresult, NeedsDriver, cuGreenCtxDestroy};
//!
//! /// # Safety
//! /// The green context is not used any more.
//! unsafe fn destroy(context: CUgreenCtx) -> Result<CUresult, NeedsDriver> {
//!     // "cuGreenCtxDestroy needs a driver of CUDA 12.4 or later"
//!     let destroy = cuGreenCtxDestroy()?;
//!     // SAFETY: as the caller says
//!     Ok(unsafe { destroy(context) })
//! }
//! ```
//!
//! The tests prove every declaration against NVIDIA's headers from CUDA 11.8 to 13.5, and
//! `COVERAGE.md` lists all functions.
//!
//! The build script finds libcuda; where there is none, it writes a stub to link against, and the
//! program runs wherever a driver is installed. [`DRIVER`] says what a build is linked with.
//!
//! With the feature `load`, nothing is linked, and a program also starts where there is no driver:
//! [`load`] says whether it is there. Every function is then looked up when it is first called, and
//! answers [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`] without a driver.
//!
//! Using these functions is `unsafe`. The crate `cuscope` is the safe layer.
#![no_std]
#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "the names are those of cuda.h"
)]

#[macro_use]
#[doc(hidden)]
pub mod flags;
#[macro_use]
mod macros;

mod lookup;
mod types;

pub use lookup::{NeedsDriver, NotLoaded, load};
pub use types::*;

// groups:
mod checkpoint;
mod context;
mod coredump;
mod device;
mod driver_entry_point;
mod egl;
mod error_log;
mod event;
mod execution;
mod external;
mod fabric;
mod functions;
mod gl;
mod graph;
mod graph_exec;
mod graphics;
mod green_context;
mod init;
mod library;
mod memory;
mod module;
mod multicast;
mod occupancy;
mod peer;
mod primary_context;
mod profiler;
mod result;
mod stream;
mod stream_memory_ops;
mod stream_ordered_memory;
mod surface;
mod tensor_map;
mod texture;
mod unified;
mod vdpau;
mod virtual_memory;

pub use checkpoint::*;
pub use context::*;
pub use coredump::*;
pub use device::*;
pub use driver_entry_point::*;
pub use egl::*;
pub use error_log::*;
pub use event::*;
pub use execution::*;
pub use external::*;
pub use fabric::*;
pub use gl::*;
pub use graph::*;
pub use graph_exec::*;
pub use graphics::*;
pub use green_context::*;
pub use init::*;
pub use library::*;
pub use memory::*;
pub use module::*;
pub use multicast::*;
pub use occupancy::*;
pub use peer::*;
pub use primary_context::*;
pub use profiler::*;
pub use result::*;
pub use stream::*;
pub use stream_memory_ops::*;
pub use stream_ordered_memory::*;
pub use surface::*;
pub use tensor_map::*;
pub use texture::*;
pub use unified::*;
pub use vdpau::*;
pub use virtual_memory::*;
// end of groups

/// The driver that this build is linked with: `"native"` for libcuda, `"software"` for the software driver.
pub const DRIVER: &str = if cfg!(cuda_driver = "software") { "software" } else { "native" };
