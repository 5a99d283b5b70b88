//! Images, streams and syncs of EGL, which are pointers to what only EGL knows. No driver of Windows has these functions.

use crate::types::*;
use core::ffi::{c_int, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! egl_functions { ($with:path) => { $with! {
    /// Registers an image.
    7000 fn cuGraphicsEGLRegisterImage(pCudaResource: *mut CUgraphicsResource, image: *mut c_void, flags: c_uint) -> CUresult;
    /// Connects CUDA to a stream as its consumer.
    7000 fn cuEGLStreamConsumerConnect(conn: *mut CUeglStreamConnection, stream: *mut c_void) -> CUresult;
    /// Connects CUDA to a stream as its consumer, and says where the frames are to lie.
    8000 fn cuEGLStreamConsumerConnectWithFlags(conn: *mut CUeglStreamConnection, stream: *mut c_void, flags: c_uint) -> CUresult;
    /// Disconnects the consumer.
    7000 fn cuEGLStreamConsumerDisconnect(conn: *mut CUeglStreamConnection) -> CUresult;
    /// Waits for a frame, at most `timeout` microseconds.
    7000 fn cuEGLStreamConsumerAcquireFrame(conn: *mut CUeglStreamConnection, pCudaResource: *mut CUgraphicsResource, pStream: *mut CUstream, timeout: c_uint) -> CUresult;
    /// Gives a frame back to the stream.
    7000 fn cuEGLStreamConsumerReleaseFrame(conn: *mut CUeglStreamConnection, pCudaResource: CUgraphicsResource, pStream: *mut CUstream) -> CUresult;
    /// Connects CUDA to a stream as its producer, of frames of one size.
    7000 fn cuEGLStreamProducerConnect(conn: *mut CUeglStreamConnection, stream: *mut c_void, width: c_int, height: c_int) -> CUresult;
    /// Disconnects the producer.
    7000 fn cuEGLStreamProducerDisconnect(conn: *mut CUeglStreamConnection) -> CUresult;
    /// Presents a frame to the consumer.
    7000 fn cuEGLStreamProducerPresentFrame(conn: *mut CUeglStreamConnection, eglframe: CUeglFrame, pStream: *mut CUstream) -> CUresult;
    /// Gets a frame back that the consumer has released.
    7000 fn cuEGLStreamProducerReturnFrame(conn: *mut CUeglStreamConnection, eglframe: *mut CUeglFrame, pStream: *mut CUstream) -> CUresult;
    /// A mapped resource as a frame.
    7000 fn cuGraphicsResourceGetMappedEglFrame(eglFrame: *mut CUeglFrame, resource: CUgraphicsResource, index: c_uint, mipLevel: c_uint) -> CUresult;
} } }
egl_functions!(declare);

/// Hands the functions of this group that not every driver has to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! egl_newer_functions { ($with:path) => { $with! {
    /// An event of a sync, which EGL signals. Only drivers of NVIDIA's systems on a chip have it.
    9000 fn cuEventCreateFromEGLSync(phEvent: *mut CUevent, eglSync: *mut c_void, flags: c_uint) -> CUresult;
} } }
egl_newer_functions!(lookup);
