#![doc = include_str!("../README.md")]

#[cfg(feature = "software-driver")]
extern crate cuscope_softdriver as _;

mod args;
mod core;
pub mod stream;
pub mod memory;
pub mod module;
pub mod scope;
pub mod ordered;
pub mod kernel;
pub mod function;
pub mod launch;
mod event;
pub mod graph;
pub mod library;
pub mod jit;
pub mod image;
pub mod texture;
pub mod tensor_map;
pub mod detached;
pub mod settings;
pub mod virtual_memory;
pub mod ipc;
pub mod external;
pub mod graphics;
pub mod foreign;
pub mod diagnostics;
mod ops;
mod owned;
mod tuples;

#[cfg(all(test, loom))]
#[path = "../tests/loom/models.rs"]
mod models;

pub mod error_index;
pub mod guide;
#[cfg(feature = "nvrtc-load")]
pub mod nvrtc;

pub use ffi;

use self::core::{brand, call, driver, name, registry, sync};
#[doc(inline)]
pub use self::core::{context, device, error, stack};

#[doc(inline)]
pub use self::{
    args::{KernelArg, KernelArgs},
    context::{Context, ContextFlags, current_context},
    detached::Detached,
    device::Device,
    driver::release::on_release_error,
    driver::{DriverVersion, driver_kind, driver_version, init},
    error::{DriverError, Error, Result},
    event::{Event, EventFlags},
    function::Function,
    graph::{Capture, Graph, GraphBuilder},
    image::{Cubin, Fatbin, Image, Ptx},
    jit::Linker,
    kernel::{In, Kernel, Launchable, Out, TrustedKernel, Value},
    launch::{Dim3, LaunchConfig},
    library::Library,
    memory::{
        DeviceBuffer, DeviceMemory, DeviceMemoryMut, DeviceSlice, DeviceSliceMut, Element,
        MemoryPool, PinnedBuffer,
    },
    module::Module,
    ordered::{OrderedBuffer, OrderedStream, SharedBuffer},
    scope::{Scope, ScopedBuffer, ScopedHostSlice, ScopedPinned, ScopedSlice, ScopedStream},
    stack::{ContextStack, PushContext, PushedGuard},
    stream::{Stream, StreamFlags, SyncDefaultStream, SyncStream},
};
#[cfg(feature = "async")]
#[doc(inline)]
pub use stream::StreamDone;

#[doc = include_str!("../docs/driver-facts.md")]
pub mod driver_facts {}

#[doc = include_str!("../SOUNDNESS.md")]
pub mod soundness {}

#[doc = include_str!("../ui-tests/README.md")]
pub mod refused_programs {}

/// For the macros of this crate. Not a part of its interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::call::called;
    pub use crate::detached::{BrandKey, BrandedSealed};
}
