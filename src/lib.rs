#![doc = include_str!("../README.md")]

#[cfg(feature = "software-driver")]
extern crate cuscope_softdriver as _;

mod args;
mod blocking;
mod brand;
mod cache;
mod call;
mod capture_mode;
mod code;
mod context;
mod core_dumps;
mod detached;
mod device;
mod driver;
mod driver_log;
mod enqueue;
mod error;
mod event;
mod fault;
#[cfg(feature = "async")]
mod finished;
mod fork;
mod function;
mod graph;
mod host_function;
mod image;
mod jit;
mod kernel;
mod launch;
mod legacy_gate;
mod library;
mod limits;
mod link;
mod memory;
mod module;
mod name;
mod occupancy;
mod on_default_stream;
mod on_stream;
mod ops;
mod profiling;
mod registry;
mod release;
mod scope;
mod stack;
mod stream;
mod stream_attributes;
mod sync;
mod tuples;
mod wait;

pub mod error_index;
#[cfg(feature = "nvrtc-load")]
pub mod nvrtc;

pub use ffi;

pub use args::{KernelArg, KernelArgs};
pub use cache::{CacheConfig, SharedMemoryConfig};
pub use context::{
    Context, ContextFlags, ContextKind, PrimaryContextState, SmResource, SmSplit, SmSplitFlags,
};
pub use core_dumps::{CoreDumpFlags, CoreDumps};
pub use detached::{Branded, Detached, NotAttached, Plain};
pub use device::{Device, DeviceAttribute, DeviceUuid};
pub use driver::{DriverVersion, driver_kind, driver_version, init};
pub use driver_log::{DriverLog, DriverLogHook, LogLevel, on_driver_log};
pub use error::{DriverError, Error, LoadError, Result};
pub use event::{Event, EventFlags};
#[cfg(feature = "async")]
pub use finished::Finished;
pub use function::{Carveout, Function, FunctionAttribute, ParameterInfo};
pub use graph::{
    AllocNode, Capture, CaptureQueue, ChildGraphNode, DeviceQueue, DotFlags, EmptyNode,
    EventRecordNode, EventWaitNode, FreeNode, Graph, GraphBuffers, GraphBuilder, HostNode,
    KernelNode, Kind, MemcpyNode, MemsetNode, Node, NodeId, NodeKind, ScopeGraphBuffers, kind,
};
pub use image::{Cubin, Fatbin, Image, ImageError, ImageKind, ImageProblem, Ptx, PtxText};
pub use jit::{JitCache, JitFallback, JitLog, JitOptions, JitTarget};
pub use kernel::{
    Checked, Kernel, Launchable, Parameter, Signature, SignatureError, SignatureProblem, Value,
};
pub use launch::{
    AccessPolicy, CachePolicy, ClusterScheduling, Dim3, ExtendedLaunch, LaunchConfig, LaunchSpec,
    MemorySyncDomain,
};
pub use library::{Library, LibraryKernel, ManagedVariable};
pub use limits::Limit;
pub use link::{Linked, Linker};
pub use memory::{
    BufferKind, DeviceBuffer, DeviceMemory, DeviceMemoryMut, DeviceSlice, DeviceSliceMut, Element,
    MemoryInfo, MemoryPool, PinnedBuffer, PoolReuse, PoolUsage, Registered,
};
pub use module::{Loaded, LoadingMode, Module};
pub use name::Name;
pub use occupancy::{BlockSize, Occupancy, OccupancyFlags};
pub use on_default_stream::OnDefaultStream;
pub use on_stream::OnStream;
pub use profiling::Profiling;
pub use release::on_release_error;
pub use scope::{
    Held, HeldSlice, Mapped, Queue, Scope, ScopeArg, ScopeArgs, Source, Staged, StagedMemory,
};
pub use stack::{
    ContextStack, CurrentContext, NestedStack, Ownership, PushContext, PushedGuard, RawContext,
    ReleaseWith, StreamPriorityRange, current_context,
};
pub use stream::{Stream, StreamFlags};
pub use stream_attributes::{
    AccessPolicyWindow, AccessProperty, MemSyncDomain, MemSyncDomainMap, SyncPolicy,
};

#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from.md")]
mod coming_from {}

/// For the macros of this crate. Not a part of its interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::call::called;
    pub use crate::detached::{BrandKey, BrandedSealed};
}
