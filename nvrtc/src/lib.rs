//! Hand-declared bindings to NVRTC, the run-time compiler of CUDA C++.
//!
//! The names, signatures and values are those of NVIDIA's `nvrtc.h`. Codes are transparent integers
//! with constants, since a newer NVRTC may return what has no name here.
//!
//! With the feature `link`, programs are linked with the libnvrtc that the build script finds.
//! Without it, the library is looked up when the program first calls into it, and a program starts
//! where there is none: [`load`] says whether it is there, and until it is, every function answers
//! [`NVRTC_NOT_LOADED`].
//!
//! The functions that every NVRTC from 11.8 on has are plain functions. The others are looked up when
//! the program first asks, each by a function of its own name:
//!
//! ```no_run
//! use cuscope_nvrtc_sys::{NeedsNvrtc, nvrtcGetLTOIRSize, nvrtcProgram, nvrtcResult};
//!
//! /// # Safety
//! /// The program is alive.
//! unsafe fn size(program: nvrtcProgram, bytes: &mut usize) -> Result<nvrtcResult, NeedsNvrtc> {
//!     // "nvrtcGetLTOIRSize needs NVRTC 12.0 or later"
//!     let size = nvrtcGetLTOIRSize()?;
//!     // SAFETY: as the caller says
//!     Ok(unsafe { size(program, bytes) })
//! }
//! ```
//!
//! The tests prove every declaration against NVIDIA's headers from 11.8 to 13.5. Using these
//! functions is `unsafe`; the crate `cuscope`, with its feature `nvrtc`, is the safe layer.
#![no_std]
#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "the names are those of nvrtc.h"
)]

#[macro_use]
mod macros;

mod functions;
mod lookup;
mod slot;
mod types;

pub use functions::*;
pub use lookup::{NeedsNvrtc, NotLoaded, load};
pub use types::*;

/// Whether this build is linked with libnvrtc; otherwise the library is looked up at run time.
pub const LINKED: bool = cfg!(feature = "link");
