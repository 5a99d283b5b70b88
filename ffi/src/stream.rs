//! Streams, and their capture into graphs.

use crate::types::*;
use core::ffi::{c_int, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_functions { ($with:path) => { $with! {
    /// Creates a stream in the current context.
    2000 fn cuStreamCreate(phStream: *mut CUstream, Flags: c_uint) -> CUresult;
    /// Creates a stream with a priority: lower numbers go first.
    5050 fn cuStreamCreateWithPriority(phStream: *mut CUstream, flags: c_uint, priority: c_int) -> CUresult;
    /// Destroys a stream; its work still finishes.
    4000 fn cuStreamDestroy_v2(hStream: CUstream) -> CUresult;
    /// Waits until everything in a stream is finished.
    2000 fn cuStreamSynchronize(hStream: CUstream) -> CUresult;
    /// `CUDA_SUCCESS` if everything in a stream is finished, else `CUDA_ERROR_NOT_READY`.
    2000 fn cuStreamQuery(hStream: CUstream) -> CUresult;
    /// The priority of a stream.
    5050 fn cuStreamGetPriority(hStream: CUstream, priority: *mut c_int) -> CUresult;
    /// The flags of a stream.
    5050 fn cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint) -> CUresult;
    /// A number that no other stream of the process has.
    12000 fn cuStreamGetId(hStream: CUstream, streamId: *mut u64) -> CUresult;
    /// The context of a stream.
    9020 fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) -> CUresult;
    /// Makes what comes next in a stream wait for an event.
    3020 fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint) -> CUresult;
    /// Enqueues a function of the host, which is told of errors. Later work waits for it; `flags` must be 0. To be deprecated: use `cuLaunchHostFunc`.
    5000 fn cuStreamAddCallback(hStream: CUstream, callback: CUstreamCallback, userData: *mut c_void, flags: c_uint) -> CUresult;
    /// Ties managed memory to a stream, to all or to the host alone, in the order of the stream; a `length` of 0 is the whole allocation.
    6000 fn cuStreamAttachMemAsync(hStream: CUstream, dptr: CUdeviceptr, length: usize, flags: c_uint) -> CUresult;
    /// Copies all attributes of one stream to another of the same context.
    11000 fn cuStreamCopyAttributes(dstStream: CUstream, srcStream: CUstream) -> CUresult;
    /// One attribute of a stream.
    11000 fn cuStreamGetAttribute(hStream: CUstream, attr: CUstreamAttrID, value: *mut CUstreamAttrValue) -> CUresult;
    /// Sets an attribute of a stream, for what comes next in it.
    11000 fn cuStreamSetAttribute(hStream: CUstream, attr: CUstreamAttrID, param: *const CUstreamAttrValue) -> CUresult;
    /// Swaps the calling thread's capture mode with `*mode`.
    10010 fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> CUresult;
    /// Begins a capture: what is enqueued from now on becomes nodes of a graph.
    10010 fn cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode) -> CUresult;
    /// Ends the capture and hands the graph over; null if the capture was spoiled.
    10000 fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult;
    /// Whether a stream is captured.
    10000 fn cuStreamIsCapturing(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus) -> CUresult;
    /// State, id and graph of a capture, and the nodes that the next one would depend on. All but the state may be null.
    11030 fn cuStreamGetCaptureInfo_v2(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, numDependencies_out: *mut usize) -> CUresult;
    /// Replaces, or adds to, the nodes that the next captured one will depend on.
    11030 fn cuStreamUpdateCaptureDependencies(hStream: CUstream, dependencies: *mut CUgraphNode, numDependencies: usize, flags: c_uint) -> CUresult;
} } }
stream_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_newer_functions { ($with:path) => { $with! {
    /// The device of a stream.
    12080 fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice) -> CUresult;
    /// The context of a stream, and the green context that it was created in, or null. Either may be unwanted.
    12050 fn cuStreamGetCtx_v2(hStream: CUstream, pCtx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx) -> CUresult;
    /// Begins a capture into a graph that exists, after the given nodes.
    12030 fn cuStreamBeginCaptureToGraph(hStream: CUstream, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, mode: CUstreamCaptureMode) -> CUresult;
    /// Begins a capture that must repeat a graph's nodes in order; parameters that differ are shown to the callback.
    13030 fn cuStreamBeginRecaptureToGraph(hStream: CUstream, mode: CUstreamCaptureMode, hGraph: CUgraph, callbackFunc: CUgraphRecaptureCallback, userData: *mut c_void) -> CUresult;
    /// As `cuStreamGetCaptureInfo_v2`, with the data of the edges.
    12030 fn cuStreamGetCaptureInfo_v3(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, edgeData_out: *mut *const CUgraphEdgeData, numDependencies_out: *mut usize) -> CUresult;
    /// As `cuStreamUpdateCaptureDependencies`, with the data of the edges.
    12030 fn cuStreamUpdateCaptureDependencies_v2(hStream: CUstream, dependencies: *mut CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, flags: c_uint) -> CUresult;
    /// Begins to record what is enqueued into a command list of a graphics API; needs a context made for that.
    13010 fn cuStreamBeginCaptureToCig(hStream: CUstream, streamCigCaptureParams: *mut CUstreamCigCaptureParams) -> CUresult;
    /// Ends what `cuStreamBeginCaptureToCig` began.
    13010 fn cuStreamEndCaptureToCig(hStream: CUstream) -> CUresult;
} } }
stream_newer_functions!(lookup);

// skipped cuStreamDestroy: superseded by cuStreamDestroy_v2
// skipped cuStreamBeginCapture: superseded by cuStreamBeginCapture_v2
// skipped cuStreamGetCaptureInfo: superseded by cuStreamGetCaptureInfo_v2
// skipped cuStreamBeginCapture_ptsz: the form for a default stream of each thread
// skipped cuStreamGetCaptureInfo_ptsz: the form for a default stream of each thread
// skipped cuStreamGetCaptureInfo_v2_ptsz: the form for a default stream of each thread
// skipped cuStreamUpdateCaptureDependencies_ptsz: the form for a default stream of each thread
