//! Hand-declared bindings to the CUDA driver, linked against libcuda.
//!
//! The names, signatures and values are those of NVIDIA's `cuda.h`, under the names that libcuda
//! exports (`cuMemAlloc_v2`). Codes and enumerations are transparent integers with constants, since
//! a newer driver may return what has no name here; handles are distinct opaque pointers.
//!
//! Every function declared here exists in every driver from CUDA 12.0 on, because a program that
//! refers to a function which the driver lacks does not start.
//!
//! The build script finds libcuda; where there is none, it writes a stub to link against, and the
//! program runs wherever a driver is installed. [`DRIVER`] says what a build is linked with.
//!
//! Using these functions is `unsafe`. The crate `cuscope` is the safe layer.
#![no_std]
#![allow(non_camel_case_types, non_snake_case, reason = "the names are those of cuda.h")]

#[macro_use]
mod macros;

mod context;
mod device;
mod event;
mod execution;
mod graph;
mod init;
mod memory;
mod module;
mod primary_context;
mod result;
mod stream;
mod stream_ordered_memory;
mod types;
mod unified;

pub use context::*;
pub use device::*;
pub use event::*;
pub use execution::*;
pub use graph::*;
pub use init::*;
pub use memory::*;
pub use module::*;
pub use primary_context::*;
pub use result::*;
pub use stream::*;
pub use stream_ordered_memory::*;
pub use types::*;
pub use unified::*;

/// What this build is linked with: `"native"` for libcuda, `"software"` for the software driver.
pub const DRIVER: &str = if cfg!(cuda_driver = "software") { "software" } else { "native" };

/// Hands every declared function to the macro `$with`, a group at a time, as
/// `fn name(argument: type, …) -> CUresult;`.
#[macro_export]
macro_rules! driver_functions {
    ($with:path) => {
        $crate::result_functions!($with);
        $crate::init_functions!($with);
        $crate::device_functions!($with);
        $crate::primary_context_functions!($with);
        $crate::context_functions!($with);
        $crate::module_functions!($with);
        $crate::memory_functions!($with);
        $crate::stream_ordered_memory_functions!($with);
        $crate::unified_functions!($with);
        $crate::stream_functions!($with);
        $crate::event_functions!($with);
        $crate::execution_functions!($with);
        $crate::graph_functions!($with);
    };
}
