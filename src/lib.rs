#![doc = include_str!("../README.md")]

#[cfg(feature = "software-driver")]
extern crate cuscope_softdriver as _;

mod args;
mod brand;
mod context;
mod detached;
mod device;
mod driver;
mod error;
mod event;
mod function;
mod launch;
mod memory;
mod module;
mod on_stream;
mod stack;
mod stream;
mod wait;

pub mod error_index;

pub use ffi;

pub use args::{KernelArg, KernelArgs};
pub use context::{Context, ContextFlags, ContextKind};
pub use detached::{Branded, Detached, NotAttached};
pub use device::{Device, DeviceAttribute, DeviceUuid};
pub use driver::{DriverVersion, driver_kind, driver_version, init};
pub use error::{DriverError, Error, LoadError, Result, on_release_error};
pub use event::{Event, EventFlags};
pub use function::{Function, FunctionAttribute};
pub use launch::{Dim3, LaunchConfig};
pub use memory::{DeviceBuffer, Element, MemoryInfo};
pub use module::{Module, PtxText};
pub use on_stream::OnStream;
pub use stack::{ContextStack, NestedStack, PushContext, PushedGuard};
pub use stream::{Stream, StreamFlags};
