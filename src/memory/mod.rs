//! Device memory.

mod buffer;
mod element;
mod info;

pub(crate) use buffer::Allocation;
pub use buffer::DeviceBuffer;
pub use element::Element;
pub use info::MemoryInfo;
