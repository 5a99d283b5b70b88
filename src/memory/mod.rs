//! Device memory.

mod buffer;
mod element;
mod info;

pub use buffer::DeviceBuffer;
pub use element::Element;
pub use info::MemoryInfo;
