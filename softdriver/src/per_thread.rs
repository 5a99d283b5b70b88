//! The forms of functions whose default stream is that of the calling thread: the names that end in
//! `_ptds` and `_ptsz`.
#![allow(unsafe_code, reason = "functions of C that forward to others")]

/// Hands a function that has such a form to the macro `$with`, as `name "suffix" rest`; drops others.
#[doc(hidden)]
#[macro_export]
macro_rules! if_per_thread {
    ($with:ident cuEventRecordWithFlags $($rest:tt)*) => { $with! { cuEventRecordWithFlags "_ptsz" $($rest)* } };
    ($with:ident cuEventRecord $($rest:tt)*) => { $with! { cuEventRecord "_ptsz" $($rest)* } };
    ($with:ident cuGraphInstantiateWithParams $($rest:tt)*) => { $with! { cuGraphInstantiateWithParams "_ptsz" $($rest)* } };
    ($with:ident cuGraphLaunch $($rest:tt)*) => { $with! { cuGraphLaunch "_ptsz" $($rest)* } };
    ($with:ident cuGraphUpload $($rest:tt)*) => { $with! { cuGraphUpload "_ptsz" $($rest)* } };
    ($with:ident cuGraphicsMapResources $($rest:tt)*) => { $with! { cuGraphicsMapResources "_ptsz" $($rest)* } };
    ($with:ident cuGraphicsUnmapResources $($rest:tt)*) => { $with! { cuGraphicsUnmapResources "_ptsz" $($rest)* } };
    ($with:ident cuLaunchCooperativeKernel $($rest:tt)*) => { $with! { cuLaunchCooperativeKernel "_ptsz" $($rest)* } };
    ($with:ident cuLaunchHostFunc $($rest:tt)*) => { $with! { cuLaunchHostFunc "_ptsz" $($rest)* } };
    ($with:ident cuLaunchKernelEx $($rest:tt)*) => { $with! { cuLaunchKernelEx "_ptsz" $($rest)* } };
    ($with:ident cuLaunchKernel $($rest:tt)*) => { $with! { cuLaunchKernel "_ptsz" $($rest)* } };
    ($with:ident cuMemAllocAsync $($rest:tt)*) => { $with! { cuMemAllocAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemAllocFromPoolAsync $($rest:tt)*) => { $with! { cuMemAllocFromPoolAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemBatchDecompressAsync $($rest:tt)*) => { $with! { cuMemBatchDecompressAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemDiscardAndPrefetchBatchAsync $($rest:tt)*) => { $with! { cuMemDiscardAndPrefetchBatchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemDiscardBatchAsync $($rest:tt)*) => { $with! { cuMemDiscardBatchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemFreeAsync $($rest:tt)*) => { $with! { cuMemFreeAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemMapArrayAsync $($rest:tt)*) => { $with! { cuMemMapArrayAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemPrefetchAsync $($rest:tt)*) => { $with! { cuMemPrefetchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemPrefetchAsync_v2 $($rest:tt)*) => { $with! { cuMemPrefetchAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemPrefetchBatchAsync $($rest:tt)*) => { $with! { cuMemPrefetchBatchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy2DAsync_v2 $($rest:tt)*) => { $with! { cuMemcpy2DAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy2DUnaligned_v2 $($rest:tt)*) => { $with! { cuMemcpy2DUnaligned_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpy2D_v2 $($rest:tt)*) => { $with! { cuMemcpy2D_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpy3DAsync_v2 $($rest:tt)*) => { $with! { cuMemcpy3DAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy3DBatchAsync $($rest:tt)*) => { $with! { cuMemcpy3DBatchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy3DBatchAsync_v2 $($rest:tt)*) => { $with! { cuMemcpy3DBatchAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy3DPeerAsync $($rest:tt)*) => { $with! { cuMemcpy3DPeerAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpy3DPeer $($rest:tt)*) => { $with! { cuMemcpy3DPeer "_ptds" $($rest)* } };
    ($with:ident cuMemcpy3D_v2 $($rest:tt)*) => { $with! { cuMemcpy3D_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyAsync $($rest:tt)*) => { $with! { cuMemcpyAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyAtoA_v2 $($rest:tt)*) => { $with! { cuMemcpyAtoA_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyAtoD_v2 $($rest:tt)*) => { $with! { cuMemcpyAtoD_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyAtoHAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyAtoHAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyAtoH_v2 $($rest:tt)*) => { $with! { cuMemcpyAtoH_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyBatchAsync $($rest:tt)*) => { $with! { cuMemcpyBatchAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyBatchAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyBatchAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyDtoA_v2 $($rest:tt)*) => { $with! { cuMemcpyDtoA_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyDtoDAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyDtoDAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyDtoD_v2 $($rest:tt)*) => { $with! { cuMemcpyDtoD_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyDtoHAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyDtoHAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyDtoH_v2 $($rest:tt)*) => { $with! { cuMemcpyDtoH_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyHtoAAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyHtoAAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyHtoA_v2 $($rest:tt)*) => { $with! { cuMemcpyHtoA_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyHtoDAsync_v2 $($rest:tt)*) => { $with! { cuMemcpyHtoDAsync_v2 "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyHtoD_v2 $($rest:tt)*) => { $with! { cuMemcpyHtoD_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemcpyPeerAsync $($rest:tt)*) => { $with! { cuMemcpyPeerAsync "_ptsz" $($rest)* } };
    ($with:ident cuMemcpyPeer $($rest:tt)*) => { $with! { cuMemcpyPeer "_ptds" $($rest)* } };
    ($with:ident cuMemcpy $($rest:tt)*) => { $with! { cuMemcpy "_ptds" $($rest)* } };
    ($with:ident cuMemsetD16Async $($rest:tt)*) => { $with! { cuMemsetD16Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD16_v2 $($rest:tt)*) => { $with! { cuMemsetD16_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemsetD2D16Async $($rest:tt)*) => { $with! { cuMemsetD2D16Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD2D16_v2 $($rest:tt)*) => { $with! { cuMemsetD2D16_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemsetD2D32Async $($rest:tt)*) => { $with! { cuMemsetD2D32Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD2D32_v2 $($rest:tt)*) => { $with! { cuMemsetD2D32_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemsetD2D8Async $($rest:tt)*) => { $with! { cuMemsetD2D8Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD2D8_v2 $($rest:tt)*) => { $with! { cuMemsetD2D8_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemsetD32Async $($rest:tt)*) => { $with! { cuMemsetD32Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD32_v2 $($rest:tt)*) => { $with! { cuMemsetD32_v2 "_ptds" $($rest)* } };
    ($with:ident cuMemsetD8Async $($rest:tt)*) => { $with! { cuMemsetD8Async "_ptsz" $($rest)* } };
    ($with:ident cuMemsetD8_v2 $($rest:tt)*) => { $with! { cuMemsetD8_v2 "_ptds" $($rest)* } };
    ($with:ident cuSignalExternalSemaphoresAsync $($rest:tt)*) => { $with! { cuSignalExternalSemaphoresAsync "_ptsz" $($rest)* } };
    ($with:ident cuStreamAddCallback $($rest:tt)*) => { $with! { cuStreamAddCallback "_ptsz" $($rest)* } };
    ($with:ident cuStreamAttachMemAsync $($rest:tt)*) => { $with! { cuStreamAttachMemAsync "_ptsz" $($rest)* } };
    ($with:ident cuStreamBatchMemOp_v2 $($rest:tt)*) => { $with! { cuStreamBatchMemOp_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamBeginCaptureToGraph $($rest:tt)*) => { $with! { cuStreamBeginCaptureToGraph "_ptsz" $($rest)* } };
    ($with:ident cuStreamBeginCapture_v2 $($rest:tt)*) => { $with! { cuStreamBeginCapture_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamCopyAttributes $($rest:tt)*) => { $with! { cuStreamCopyAttributes "_ptsz" $($rest)* } };
    ($with:ident cuStreamEndCapture $($rest:tt)*) => { $with! { cuStreamEndCapture "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetAttribute $($rest:tt)*) => { $with! { cuStreamGetAttribute "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetCaptureInfo_v2 $($rest:tt)*) => { $with! { cuStreamGetCaptureInfo_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetCaptureInfo_v3 $($rest:tt)*) => { $with! { cuStreamGetCaptureInfo_v3 "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetCtx $($rest:tt)*) => { $with! { cuStreamGetCtx "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetCtx_v2 $($rest:tt)*) => { $with! { cuStreamGetCtx_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetDevice $($rest:tt)*) => { $with! { cuStreamGetDevice "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetFlags $($rest:tt)*) => { $with! { cuStreamGetFlags "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetId $($rest:tt)*) => { $with! { cuStreamGetId "_ptsz" $($rest)* } };
    ($with:ident cuStreamGetPriority $($rest:tt)*) => { $with! { cuStreamGetPriority "_ptsz" $($rest)* } };
    ($with:ident cuStreamIsCapturing $($rest:tt)*) => { $with! { cuStreamIsCapturing "_ptsz" $($rest)* } };
    ($with:ident cuStreamQuery $($rest:tt)*) => { $with! { cuStreamQuery "_ptsz" $($rest)* } };
    ($with:ident cuStreamSetAttribute $($rest:tt)*) => { $with! { cuStreamSetAttribute "_ptsz" $($rest)* } };
    ($with:ident cuStreamSynchronize $($rest:tt)*) => { $with! { cuStreamSynchronize "_ptsz" $($rest)* } };
    ($with:ident cuStreamUpdateCaptureDependencies $($rest:tt)*) => { $with! { cuStreamUpdateCaptureDependencies "_ptsz" $($rest)* } };
    ($with:ident cuStreamUpdateCaptureDependencies_v2 $($rest:tt)*) => { $with! { cuStreamUpdateCaptureDependencies_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamWaitEvent $($rest:tt)*) => { $with! { cuStreamWaitEvent "_ptsz" $($rest)* } };
    ($with:ident cuStreamWaitValue32_v2 $($rest:tt)*) => { $with! { cuStreamWaitValue32_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamWaitValue64_v2 $($rest:tt)*) => { $with! { cuStreamWaitValue64_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamWriteValue32_v2 $($rest:tt)*) => { $with! { cuStreamWriteValue32_v2 "_ptsz" $($rest)* } };
    ($with:ident cuStreamWriteValue64_v2 $($rest:tt)*) => { $with! { cuStreamWriteValue64_v2 "_ptsz" $($rest)* } };
    ($with:ident cuWaitExternalSemaphoresAsync $($rest:tt)*) => { $with! { cuWaitExternalSemaphoresAsync "_ptsz" $($rest)* } };
    ($($other:tt)*) => {};
}

/// The forms, under the names of what they are forms of.
pub mod forms {
    use core::ffi::*;
    use cuscope_sys::*;

    /// The functions that have these forms.
    mod base {
        pub(super) use crate::older::*;
        pub(super) use crate::*;
    }

    macro_rules! form {
        ($name:ident $suffix:literal ($($arg:ident: $ty:ty),*)) => {
            #[doc = concat!("`", stringify!($name), $suffix, "`.")]
            ///
            /// # Safety
            ///
            /// As for the function whose form it is.
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
                // SAFETY: the same function with the same arguments; the caller promises what it asks
                // for.
                crate::model::default_stream::of_thread(|| unsafe { base::$name($($arg),*) })
            }
        };
    }
    macro_rules! each {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            $(crate::if_per_thread! { form $name ($($arg: $ty),*) })*
        };
    }
    cuscope_sys::driver_functions!(each);
    cuscope_sys::newer_functions!(each);

    macro_rules! older {
        ($($name:ident $suffix:literal ($($arg:ident: $ty:ty),* $(,)?);)*) => {
            $(form! { $name $suffix ($($arg: $ty),*) })*
        };
    }
    crate::older_per_thread!(older);
}
