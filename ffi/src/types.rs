//! Handles, addresses and the aliases that every group uses.

use core::ffi::{c_char, c_int, c_uint, c_void};
use static_assertions::{assert_eq_align, assert_eq_size, assert_not_impl_any, const_assert_eq};

/// A device, by ordinal.
pub type CUdevice = c_int;
/// An address in device memory. An integer: the host never follows it.
pub type CUdeviceptr = u64;
/// A function that a stream runs on the host: `cuLaunchHostFunc`.
pub type CUhostFn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

handles! {
    /// A context.
    CUcontext -> CUctx_st;
    /// A loaded module.
    CUmodule -> CUmod_st;
    /// A kernel in a loaded module.
    CUfunction -> CUfunc_st;
    /// A stream; null is the default stream of the current context.
    CUstream -> CUstream_st;
    /// An event.
    CUevent -> CUevent_st;
    /// A graph under construction.
    CUgraph -> CUgraph_st;
    /// A node of a graph.
    CUgraphNode -> CUgraphNode_st;
    /// An instantiated graph.
    CUgraphExec -> CUgraphExec_st;
}

/// The identity of a device, the same in every process and after every restart.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CUuuid {
    /// The 16 bytes.
    pub bytes: [c_char; 16],
}

// The layout that cuda.h gives these on every supported platform (all are 64-bit).
assert_eq_size!(CUcontext, usize);
assert_eq_size!(CUdeviceptr, [u8; 8]);
assert_eq_size!(CUhostFn, usize);
assert_eq_size!(CUuuid, [u8; 16]);
assert_eq_align!(CUuuid, u8);
const_assert_eq!(size_of::<c_int>(), 4);
const_assert_eq!(size_of::<c_uint>(), 4);
// Who may use a handle from which thread is for a safe layer to say.
assert_not_impl_any!(CUcontext: Send, Sync);
assert_not_impl_any!(CUctx_st: Send, Sync, Unpin);
