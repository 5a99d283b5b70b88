#![doc = include_str!("../README.md")]

#[cfg(feature = "software-driver")]
extern crate cuscope_softdriver as _;

mod args;
mod brand;
mod call;
mod context;
mod detached;
mod device;
mod diagnostics;
mod driver;
mod error;
mod event;
mod function;
mod graph;
mod image;
mod jit;
mod kernel;
mod launch;
mod library;
mod memory;
mod module;
mod name;
mod ops;
mod owned;
mod registry;
mod scope;
mod settings;
mod stack;
mod stream;
mod sync;
mod tuples;

pub mod error_index;
#[cfg(feature = "nvrtc-load")]
pub mod nvrtc;

pub use ffi;

pub use args::{KernelArg, KernelArgs};
pub use context::{
    Context, ContextFlags, ContextKind, PrimaryContextState, SmResource, SmSplit, SmSplitFlags,
};
pub use detached::{Branded, Detached, NotAttached, Plain};
pub use device::{Device, DeviceAttribute, DeviceUuid};
pub use diagnostics::{
    CoreDumpFlags, CoreDumps, DriverLog, DriverLogHook, LogLevel, Profiling, on_driver_log,
};
pub use driver::release::on_release_error;
pub use driver::{DriverVersion, driver_kind, driver_version, init};
pub use error::{DriverError, Error, LoadError, Result};
pub use event::{Event, EventFlags};
pub use function::{Carveout, Function, FunctionAttribute, ParameterInfo};
pub use graph::{
    AllocNode, Capture, CaptureQueue, ChildGraphNode, DeviceQueue, DotFlags, EmptyNode,
    EventRecordNode, EventWaitNode, FreeNode, Graph, GraphBuffers, GraphBuilder, HostNode,
    KernelNode, Kind, MemcpyNode, MemsetNode, Node, NodeId, NodeKind, ScopeGraphBuffers, kind,
};
pub use image::{Cubin, Fatbin, Image, ImageError, ImageKind, ImageProblem, Ptx, PtxText};
pub use jit::{JitCache, JitFallback, JitLog, JitOptions, JitTarget, Linked, Linker};
pub use kernel::{
    Checked, Kernel, Launchable, Parameter, Signature, SignatureError, SignatureProblem, Value,
};
pub use launch::{
    BlockSize, ClusterScheduling, Dim3, ExtendedLaunch, LaunchConfig, LaunchSpec, Occupancy,
    OccupancyFlags,
};
pub use library::{Library, LibraryKernel, ManagedVariable};
pub use memory::{
    AccessPolicyWindow, AccessProperty, BufferKind, DeviceBuffer, DeviceMemory, DeviceMemoryMut,
    DeviceSlice, DeviceSliceMut, Element, MemSyncDomain, MemoryInfo, MemoryPool, PinnedBuffer,
    PoolReuse, PoolUsage, Registered, WindowMemory,
};
pub use module::{Loaded, LoadingMode, Module};
pub use name::Name;
pub use scope::{
    Held, HeldSlice, Mapped, Queue, Scope, ScopeArg, ScopeArgs, Source, Staged, StagedMemory,
};
pub use settings::{CacheConfig, Limit, SharedMemoryConfig};
pub use stack::{
    ContextStack, CurrentContext, NestedStack, Ownership, PushContext, PushedGuard, RawContext,
    ReleaseWith, StreamPriorityRange, current_context,
};
#[cfg(feature = "async")]
pub use stream::Finished;
pub use stream::{MemSyncDomainMap, OnDefaultStream, OnStream, Stream, StreamFlags, SyncPolicy};

#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from.md")]
mod coming_from {}

/// For the macros of this crate. Not a part of its interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::call::called;
    pub use crate::detached::{BrandKey, BrandedSealed};
}
