//! Virtual memory: ranges of addresses, physical memory, and mappings of one to the other.
//!
//! [`GrowableBuffer`](crate::memory::GrowableBuffer) is made of these and serves most programs: it reserves addresses
//! once and grows without a copy. Use the steps themselves to share physical memory with another process, or to place it
//! by hand:
//!
//! 1. [`Reservation::new`] reserves addresses, which cost no memory.
//! 2. [`PhysicalMemory::create`] takes memory from a device. It has no address yet.
//! 3. [`Reservation::map`] gives it one.
//! 4. [`Reservation::set_access`] lets devices use it. A mapping begins without access.
//!
//! Physical memory belongs to no context, and every context of a device with access can use it. A kernel takes it by its
//! [address](Reservation::address). [`PushedGuard::buffer_from_raw`](crate::PushedGuard::buffer_from_raw) makes a buffer
//! of it, which keeps the reservation.
//!
//! A [`Multicast`] object is mapped likewise: what kernels write there goes to the memory of several devices.
//!
//! ```
//! use cuscope::virtual_memory::{MappedAccess, PhysicalMemory, Reservation};
//! use cuscope::{Context, ContextStack, Device};
//!
//! # fn main() -> cuscope::Result {
//! let context = Context::primary(Device::get(0)?)?;
//! let mut stack = ContextStack::current_thread()?;
//! let gpu = stack.push(&context)?;
//! let bytes = PhysicalMemory::granularity(gpu.device())?;
//! let mut addresses = Reservation::new(4 * bytes)?;
//! addresses.map(0, PhysicalMemory::create(gpu.device(), bytes)?)?;
//! addresses.set_access(0, bytes, gpu.device(), MappedAccess::ReadWrite)?;
//! let address = addresses.address();
//! // SAFETY: the memory is mapped and accessible until the reservation is dropped, and nothing else uses it.
//! let mut x = unsafe { gpu.buffer_from_raw::<u32>(address, bytes / 4, addresses) }?;
//! gpu.on(&gpu.stream()?).fill(&mut x, 1)?;
//! # Ok(()) }
//! ```

mod multicast;
mod physical;
pub(crate) mod refusals;
mod reservation;

pub use multicast::Multicast;
pub use physical::PhysicalMemory;
pub use reservation::{MappedAccess, Reservation};

use crate::device::Device;
use ffi::CUmemLocation;

/// Returns a device as a location of memory.
#[inline]
pub(crate) fn location(device: Device) -> CUmemLocation {
    CUmemLocation {
        r#type: ffi::CU_MEM_LOCATION_TYPE_DEVICE,
        anonymous: ffi::CUmemLocation_v1_anonymous { id: device.raw() },
    }
}
