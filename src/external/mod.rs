//! Memory and semaphores of other interfaces, such as Vulkan and Direct3D, without copies.
//!
//! The other interface exports memory as a file descriptor, or as a handle of Windows. [`ExternalMemory`] imports it, and
//! its mappings are a [`DeviceBuffer`](crate::DeviceBuffer) or a
//! [`MipmappedArray`](crate::texture::MipmappedArray) like any other: kernels, copies, scopes, ordered streams and graphs
//! take them.
//!
//! [`ExternalSemaphore`] imports a semaphore, by which the two sides take turns on the device. Streams signal it and wait
//! for it:
//!
//! ```no_run
//! # #[cfg(unix)] {
//! use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
//! use cuscope::{Context, ContextStack, Device, Result};
//! use std::os::fd::OwnedFd;
//!
//! /// Adds 1 to what Vulkan wrote. `memory` and `turns` come from `vkGetMemoryFdKHR` and `vkGetSemaphoreFdKHR`.
//! fn add_one(memory: OwnedFd, bytes: u64, turns: OwnedFd) -> Result {
//!     let context = Context::primary(Device::get(0)?)?;
//!     let mut stack = ContextStack::current_thread()?;
//!     let gpu = stack.push(&context)?;
//!     let stream = gpu.stream()?;
//!     // SAFETY: 1. `bytes` is the size that the memory was allocated with.
//!     let memory = unsafe {
//!         gpu.import_external_memory(MemoryHandle::OpaqueFd(memory), bytes, MemoryFlags::empty())
//!     }?;
//!     // SAFETY: 1. Vulkan uses the memory only before it signals 1 and after it waited for 2. 2. There is one buffer.
//!     let mut x = unsafe { gpu.map_external_buffer::<f32>(&memory, 0, 1024) }?;
//!     // SAFETY: 1. `turns` is a timeline semaphore.
//!     let turns = unsafe { gpu.import_external_semaphore(SemaphoreHandle::TimelineFd(turns)) }?;
//!     gpu.scope(|s| {
//!         let (run, mut x) = (s.on(&stream), s.hold(&mut x));
//!         run.wait_semaphores(&[(&turns, 1)])?; // Vulkan has written
//!         run.fill(&mut x, 1.0)?;
//!         run.signal_semaphores(&[(&turns, 2)]) // Vulkan may read
//!     })
//! }
//! # }
//! ```
//!
//! # Which device
//!
//! The memory belongs to one GPU. Compare the `deviceUUID` of Vulkan with [`Device::uuid`](crate::Device::uuid) to find it.
//!
//! # Waits that never end
//!
//! A stream that waits for a semaphore that nobody signals never goes on. Whatever waits for the stream then blocks for
//! ever: a blocking operation, the end of a scope, a download or a `synchronize` of an ordered stream, and drops that wait
//! for work, such as those of a [`DeviceBuffer`](crate::DeviceBuffer), a module, a graph that runs in an ordered stream, the
//! last handle of a context, and a semaphore that an ordered stream uses. Nothing on the host ends such a wait but a signal,
//! so signal on the error paths of the other interface, too.
//!
//! The same holds for an [imported event](crate::PushedGuard::import_event) whose process died. A wait for an event with a
//! limit is [`Event::synchronize_timeout`](crate::Event::synchronize_timeout): record one behind the work that may never
//! end, and wait for it before anything that waits without a limit.

#[cfg(unix)]
mod dma_buf;
pub(crate) mod enqueue;

mod memory;
mod refusals;
mod semaphore;

pub use memory::{ExternalMemory, MemoryFlags, MemoryHandle};
pub use semaphore::{ExternalSemaphore, SemaphoreHandle};
pub(crate) use semaphore::{SemaphoreInner, Signals, Waits};
