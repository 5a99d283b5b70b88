//! Device memory.

mod buffer;
mod element;
mod info;
pub(crate) mod slice;

pub(crate) use buffer::Allocation;
pub use buffer::DeviceBuffer;
pub use element::Element;
pub use info::MemoryInfo;
pub use slice::DeviceSlice;
