//! Device memory, memory pools, and page-locked host memory.

pub(crate) mod access;
pub(crate) mod access_policy;
mod allocation;
mod blocks;
mod buffer;
mod element;
pub(crate) mod grid;
pub(crate) mod home;
mod info;
pub(crate) mod lent;
mod pinned;
pub(crate) mod pitched;
mod pool;
mod register;
mod slice;
mod slice_mut;
mod sync_domain;
pub(crate) mod uses;
pub(crate) mod view;

pub use access_policy::{AccessPolicyWindow, AccessProperty, WindowMemory};
pub(crate) use allocation::{Allocation, Share};
pub use blocks::OrderedUsage;
pub(crate) use buffer::size_for;
pub use buffer::{BufferKind, DeviceBuffer};
pub use element::Element;
pub use grid::Extent;
pub use info::MemoryInfo;
pub use lent::{InCall, InOrder, InScope};
pub use pinned::PinnedBuffer;
pub use pitched::{PitchedBuffer, PitchedSlice, PitchedSliceMut};
pub use pool::{MemoryPool, PoolAccess, PoolReuse, PoolUsage};
pub use register::Registered;
pub use slice::DeviceSlice;
pub use slice_mut::DeviceSliceMut;
pub use sync_domain::MemSyncDomain;
pub use view::{DeviceMemory, DeviceMemoryMut};
