//! Contexts, handles and memory of other code in the same process.
//!
//! Other code, such as PyTorch or a video decoder, has its own owners for what it creates. This crate takes a handle
//! together with a value that keeps it alive: [`stream_from_raw`], [`event_from_raw`], [`buffer_from_raw`]. It never
//! destroys or frees such a handle. It drops the value when nothing of it uses the handle any more.
//!
//! In the other direction, a [`Detached`] handle is a `'static` owner that other code can keep. Its drop needs no
//! current context and no thread of its own:
//!
//! ```
//! use cuscope::{Context, ContextStack, Detached, Device, DeviceBuffer, Result, ffi};
//! use std::ffi::c_void;
//!
//! /// What other code receives: memory, and how to end it.
//! #[repr(C)]
//! struct Shared {
//!     address: ffi::CUdeviceptr,
//!     owner: *mut c_void,
//!     end: unsafe extern "C" fn(*mut c_void),
//! }
//!
//! /// # Safety
//! /// `owner` is of `share`, and not used again.
//! unsafe extern "C" fn end(owner: *mut c_void) {
//!     // SAFETY: the caller's: it is the box of `share`.
//!     drop(unsafe { Box::from_raw(owner.cast::<Detached<DeviceBuffer<'static, f32>>>()) });
//! }
//!
//! fn share(buffer: DeviceBuffer<'_, f32>) -> Shared {
//!     let address = buffer.address();
//!     let owner = Box::into_raw(Box::new(buffer.detach())).cast();
//!     Shared { address, owner, end }
//! }
//!
//! # fn main() -> Result {
//! let context = Context::primary(Device::get(0)?)?;
//! let mut stack = ContextStack::current_thread()?;
//! let gpu = stack.push(&context)?;
//! let shared = share(gpu.alloc(64)?);
//! gpu.pop()?;
//! // SAFETY: once, with the owner.
//! unsafe { (shared.end)(shared.owner) }; // on any thread, at any time
//! # Ok(()) }
//! ```
//!
//! [`stream_from_raw`]: crate::PushedGuard::stream_from_raw
//! [`event_from_raw`]: crate::PushedGuard::event_from_raw
//! [`buffer_from_raw`]: crate::PushedGuard::buffer_from_raw
//! [`Detached`]: crate::Detached

mod context;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod handles;

pub use crate::args::ForeignArgs;
pub use context::{Ownership, RawContext, ReleaseWith};
