//! Device memory, its pools, and page-locked memory of the host.

pub(crate) mod access;
mod allocation;
mod buffer;
mod element;
mod info;
mod pinned;
mod pool;
mod register;
mod slice;
mod slice_mut;
pub(crate) mod uses;
pub(crate) mod view;

pub(crate) use allocation::{Allocation, Share};
pub(crate) use buffer::size_for;
pub use buffer::{BufferKind, DeviceBuffer};
pub use element::Element;
pub use info::MemoryInfo;
pub use pinned::PinnedBuffer;
pub use pool::{MemoryPool, PoolReuse, PoolUsage};
pub use register::Registered;
pub use slice::DeviceSlice;
pub use slice_mut::DeviceSliceMut;
pub use view::{DeviceMemory, DeviceMemoryMut};
