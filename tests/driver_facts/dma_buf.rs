//! Memory for other hardware: F564.

use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::os::fd::FromRawFd;
use std::ptr::null_mut;

const MIB: usize = 1 << 20;
const DMA_BUF: CUmemRangeHandleType = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;

/// The code for a range, and the descriptor.
fn handle(
    at: CUdeviceptr,
    bytes: usize,
    kind: CUmemRangeHandleType,
    flags: u64,
) -> (CUresult, Option<File>) {
    let mut descriptor: c_int = -1;
    let to = (&raw mut descriptor).cast();
    let code = code!(cuMemGetHandleForAddressRange(to, at, bytes, kind, flags));
    // SAFETY: the driver has made the descriptor, which nothing else owns.
    let file = (code == SUCCESS).then(|| unsafe { File::from_raw_fd(descriptor) });
    (code, file)
}

fn exported(at: CUdeviceptr, bytes: usize) -> CUresult {
    handle(at, bytes, DMA_BUF, 0).0
}

/// Leaves the test if the device has no `dma-buf`, which the driver answers then too.
macro_rules! needs_dma_buf {
    ($memory:expr) => {
        let mut has = 0;
        ok!(cuDeviceGetAttribute(&raw mut has, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, device()));
        if has == 0 {
            assert_eq!(exported($memory, 2 * MIB), NOT_SUPPORTED);
            return;
        }
    };
}

/// F564
#[test]
fn pages_of_one_allocation_are_exported_for_other_hardware() {
    skip_under_miri!("takes descriptors");
    fresh!(pages_of_one_allocation_are_exported_for_other_hardware, {
        let place = Place::new();
        ok!(cuCtxPushCurrent_v2(place.context));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(4 * MIB));
        needs_dma_buf!(memory);
        for (offset, bytes) in [(0, 4 * MIB), (0, 4096), (4096, 4096), (2 * MIB, 2 * MIB)] {
            let (code, file) = handle(memory + offset as CUdeviceptr, bytes, DMA_BUF, 0);
            assert_eq!(code, SUCCESS, "{offset} {bytes}");
            drop(file);
        }
        for (offset, bytes) in [(0, 0), (0, 100), (100, 4096), (0, 8 * MIB)] {
            assert_eq!(exported(memory + offset, bytes), INVALID_VALUE, "{offset} {bytes}");
        }
        for (kind, flags) in [(0, 0), (2, 0), (1, 2)] {
            let kind = CUmemRangeHandleType(kind);
            assert_eq!(handle(memory, 4096, kind, flags).0, INVALID_VALUE);
        }
        assert_eq!(exported(0, 4096), INVALID_VALUE);
        let null = null_mut::<c_void>();
        assert_eq!(
            code!(cuMemGetHandleForAddressRange(null, memory, 4096, DMA_BUF, 0)),
            INVALID_VALUE
        );
        // Memory of a pool, and not of the host.
        let pooled: CUdeviceptr = made!(cuMemAllocAsync(2 * MIB, place.stream));
        ok!(cuStreamSynchronize(place.stream));
        assert_eq!(exported(pooled, 2 * MIB), SUCCESS);
        let managed: CUdeviceptr = made!(cuMemAllocManaged(2 * MIB, 1));
        assert_eq!(exported(managed, 2 * MIB), INVALID_VALUE);
        let host: *mut c_void = made!(cuMemHostAlloc(2 * MIB, 0));
        assert_eq!(exported(host.expose_provenance() as CUdeviceptr, 2 * MIB), INVALID_VALUE);
        // Needs a context, whichever; captures do not mind.
        assert_eq!(pop(), place.context);
        assert_eq!(exported(memory, 4096), INVALID_CONTEXT);
        let other = create_context();
        assert_eq!(exported(memory, 4096), SUCCESS);
        ok!(cuCtxDestroy_v2(other));
        ok!(cuCtxPushCurrent_v2(place.context));
        for mode in [
            CU_STREAM_CAPTURE_MODE_GLOBAL,
            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            ok!(cuStreamBeginCapture_v2(place.stream, mode));
            assert_eq!(exported(memory, 4096), SUCCESS);
            let mut graph = null_mut();
            ok!(cuStreamEndCapture(place.stream, &raw mut graph));
            ok!(cuGraphDestroy(graph));
        }
        assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(place.stream)), LAUNCH_FAILED);
        assert_eq!(exported(memory, 4096), LAUNCH_FAILED);
    });
}

/// F564
#[test]
fn exported_memory_is_there_until_its_descriptor_is_closed() {
    skip_under_miri!("takes descriptors");
    fresh!(exported_memory_is_there_until_its_descriptor_is_closed, {
        let place = Place::new();
        ok!(cuCtxPushCurrent_v2(place.context));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(1 << 30));
        needs_dma_buf!(memory);
        let left = || {
            let (mut left, mut total) = (0, 0);
            ok!(cuMemGetInfo_v2(&raw mut left, &raw mut total));
            left
        };
        let before = left();
        let (code, file) = handle(memory, 1 << 30, DMA_BUF, 0);
        assert_eq!(code, SUCCESS);
        ok!(cuMemFree_v2(memory));
        // Other programs may use the device, but not for so much.
        assert!(left() < before + (1 << 29));
        assert_eq!(exported(memory, 4096), INVALID_VALUE);
        drop(file);
        assert!(left() > before + (1 << 29));
        place.destroy();
    });
}
