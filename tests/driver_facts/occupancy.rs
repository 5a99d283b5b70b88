//! How much of a kernel fits on a multiprocessor and on the device: F310 to F314.

use crate::launches::{INVALID_CLUSTER, cluster, config};
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_int;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks of so many threads of `nothing` that fit.
pub(crate) fn active(function: CUfunction, threads: c_int, shared: usize) -> c_int {
    made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared))
}

/// F310
#[test]
fn more_than_48_kib_of_shared_memory_are_allowed_by_an_attribute() {
    let place = place();
    let function = place.kernel(c"nothing");
    let which = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let set = |value| code!(cuFuncSetAttribute(function, which, value));
    let get = || made!(cuFuncGetAttribute(which, function));
    let launch = |bytes| launch_shaped(function, [1; 3], [32, 1, 1], bytes, place.stream, &[]);
    assert_eq!((get(), launch(49_152), launch(49_153)), (49_152, SUCCESS, INVALID_VALUE));
    for most in [0, 1, 1000, 49_153, 65_536] {
        assert_eq!((set(most), get()), (SUCCESS, most));
        let most = most as u32;
        assert_eq!((launch(most), launch(most + 1)), (SUCCESS, INVALID_VALUE), "{most}");
    }
    assert_eq!((set(-1), set(1 << 30), get()), (INVALID_VALUE, INVALID_VALUE, 65_536));
    if like_h200() {
        assert_eq!((set(232_448), set(232_449)), (SUCCESS, INVALID_VALUE));
    }
    // The same function of another module is another one.
    assert_eq!(made!(cuFuncGetAttribute(which, kernel(load_kernels(), c"nothing"))), 49_152);
    // Setting it is no matter for a capture, a launch of too much spoils one.
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_eq!((set(1000), launch(1000), launch(1001)), (SUCCESS, SUCCESS, INVALID_VALUE));
    let mut graph = null_mut();
    let end = code!(cuStreamEndCapture(place.stream, &raw mut graph));
    assert_eq!(end, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    pop();
    // No context need be current.
    assert_eq!(set(50_000), SUCCESS);
    ok!(cuCtxPushCurrent_v2(place.context));
    ok!(cuStreamSynchronize(place.stream));
    place.destroy();
}

/// F311
#[test]
fn so_many_blocks_of_a_small_kernel_fit_on_a_multiprocessor() {
    let place = place();
    let function = place.kernel(c"nothing");
    if like_h200() {
        // Threads of a block, and the blocks with 0, 1, 1025, 3000, 8192, 16384, 32768 and 49152 bytes.
        let measured = [
            (1, [32, 32, 32, 32, 25, 13, 6, 4]),
            (32, [32, 32, 32, 32, 25, 13, 6, 4]),
            (64, [32, 32, 32, 32, 25, 13, 6, 4]),
            (96, [21, 21, 21, 21, 21, 13, 6, 4]),
            (100, [16, 16, 16, 16, 16, 13, 6, 4]),
            (128, [16, 16, 16, 16, 16, 13, 6, 4]),
            (160, [12, 12, 12, 12, 12, 12, 6, 4]),
            (192, [10, 10, 10, 10, 10, 10, 6, 4]),
            (224, [9, 9, 9, 9, 9, 9, 6, 4]),
            (256, [8, 8, 8, 8, 8, 8, 6, 4]),
            (320, [6, 6, 6, 6, 6, 6, 6, 4]),
            (384, [5, 5, 5, 5, 5, 5, 5, 4]),
            (512, [4, 4, 4, 4, 4, 4, 4, 4]),
            (640, [3, 3, 3, 3, 3, 3, 3, 3]),
            (704, [2, 2, 2, 2, 2, 2, 2, 2]),
            (1024, [2, 2, 2, 2, 2, 2, 2, 2]),
        ];
        for (threads, blocks) in measured {
            let sizes = [0, 1, 1025, 3000, 8192, 16_384, 32_768, 49_152];
            assert_eq!(sizes.map(|bytes| active(function, threads, bytes)), blocks, "{threads}");
        }
        let allow = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        ok!(cuFuncSetAttribute(function, allow, 232_448));
        let large = [49_153, 65_536, 100_000, 116_224, 232_448, 232_449];
        assert_eq!(large.map(|bytes| active(function, 128, bytes)), [4, 3, 2, 1, 1, 0]);
        ok!(cuFuncSetAttribute(function, allow, 49_152));
    }
    assert_eq!((active(function, 1025, 0), active(function, 128, 49_153)), (0, 0));
    let mut blocks = -7;
    let out = &raw mut blocks;
    each_gives!(INVALID_VALUE; {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function, 0, 0);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function, -1, 0);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(null_mut(), function, 32, 0);
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, function, 32, 0, 2);
    });
    assert_eq!(
        code!(cuOccupancyMaxActiveBlocksPerMultiprocessor(out, null_mut(), 32, 0)),
        INVALID_HANDLE
    );
    assert_eq!(blocks, -7);
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, function, 256, 0, 1));
    // A context must be current, whichever.
    let other = create_context();
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function, 32, 0));
    ok!(cuCtxDestroy_v2(other));
    pop();
    assert_eq!(
        code!(cuOccupancyMaxActiveBlocksPerMultiprocessor(out, function, 32, 0)),
        INVALID_CONTEXT
    );
    ok!(cuCtxPushCurrent_v2(place.context));
    place.destroy();
}

/// The sizes that the driver asked about.
static ASKED: [AtomicUsize; 64] = [const { AtomicUsize::new(0) }; 64];
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn note(threads: c_int) {
    let at = COUNT.fetch_add(1, Ordering::Relaxed);
    ASKED[at.min(63)].store(threads as usize, Ordering::Relaxed);
}

unsafe extern "C" fn much_above_500(threads: c_int) -> usize {
    note(threads);
    if threads > 500 { 60_000 } else { 100 }
}

unsafe extern "C" fn far_too_much(threads: c_int) -> usize {
    note(threads);
    1 << 20
}

/// F312
#[test]
fn the_best_size_of_a_block_is_looked_for_from_the_largest_down() {
    let place = place();
    let function = place.kernel(c"nothing");
    let (mut grid, mut block) = (-7, -7);
    let (to_grid, to_block) = (&raw mut grid, &raw mut block);
    let best = |sizes: CUoccupancyB2DSize, bytes, limit| {
        COUNT.store(0, Ordering::Relaxed);
        let (mut grid, mut block) = (-7, -7);
        let (to_grid, to_block) = (&raw mut grid, &raw mut block);
        ok!(cuOccupancyMaxPotentialBlockSize(to_grid, to_block, function, sizes, bytes, limit));
        (grid, block)
    };
    let asked = || -> Vec<usize> {
        ASKED
            .iter()
            .take(COUNT.load(Ordering::Relaxed))
            .map(|it| it.load(Ordering::Relaxed))
            .collect()
    };
    if like_h200() {
        assert_eq!(best(None, 0, 0), (264, 1024));
        assert_eq!(best(None, 40_000, 0), (264, 1024));
        assert_eq!(best(None, 0, 499), (1056, 256));
        assert_eq!(best(None, 40_000, 499), (528, 499));
        assert_eq!(best(None, 0, 998), (528, 512));
        assert_eq!(best(None, 0, 1497), (264, 1024));
        assert_eq!((best(None, 0, 1), best(None, 0, 33)), ((4224, 1), (4224, 33)));
        assert_eq!(best(Some(much_above_500), 0, 300), (1056, 256));
        assert_eq!(asked(), [300, 288, 256]);
        assert_eq!(best(Some(much_above_500), 3000, 0), (1056, 256));
        assert_eq!(asked(), (8..=32).rev().map(|warps| warps * 32).collect::<Vec<_>>());
    }
    // Nothing fits, and that is no error.
    assert_eq!((best(None, 49_153, 0), best(Some(far_too_much), 0, 0)), ((0, 0), (0, 0)));
    assert_eq!(asked(), (1..=32).rev().map(|warps| warps * 32).collect::<Vec<_>>());
    each_gives!(INVALID_VALUE; {
        cuOccupancyMaxPotentialBlockSize(to_grid, to_block, function, None, 0, -1);
        cuOccupancyMaxPotentialBlockSize(null_mut(), to_block, function, None, 0, 0);
        cuOccupancyMaxPotentialBlockSize(to_grid, null_mut(), function, None, 0, 0);
        cuOccupancyMaxPotentialBlockSizeWithFlags(to_grid, to_block, function, None, 0, 0, 2);
    });
    let no_function = null_mut();
    assert_eq!(
        code!(cuOccupancyMaxPotentialBlockSize(to_grid, to_block, no_function, None, 0, 0)),
        INVALID_HANDLE
    );
    ok!(cuOccupancyMaxPotentialBlockSizeWithFlags(to_grid, to_block, function, None, 0, 0, 1));
    place.destroy();
}

/// F313
#[test]
fn blocks_share_the_memory_of_a_multiprocessor() {
    let place = place();
    let function = place.kernel(c"nothing");
    let mut bytes = 777;
    let mut free = |function, blocks, threads| {
        let code = code!(cuOccupancyAvailableDynamicSMemPerBlock(
            &raw mut bytes,
            function,
            blocks,
            threads
        ));
        if code == SUCCESS { Ok(bytes) } else { Err(code) }
    };
    if like_h200() {
        let measured = [
            (1, 49_152),
            (4, 49_152),
            (7, 33_280),
            (8, 29_184),
            (16, 14_592),
            (17, 13_696),
            (32, 7_296),
        ];
        for (blocks, bytes) in measured {
            assert_eq!(free(function, blocks, 64), Ok(bytes), "{blocks}");
        }
        ok!(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232_448));
        let large = [1, 2, 3, 4].map(|blocks| free(function, blocks, 512));
        assert_eq!(large, [Ok(232_448), Ok(116_736), Ok(77_824), Ok(58_368)]);
        // The share that the driver takes of each block is not left out: two such blocks do not fit.
        assert_eq!((active(function, 512, 116_736), active(function, 512, 115_712)), (1, 2));
    }
    for (blocks, threads) in [(0, 32), (-1, 32), (33, 32), (1, 0), (1, 1025), (3, 1024)] {
        assert_eq!(free(function, blocks, threads), Err(INVALID_VALUE), "{blocks} of {threads}");
    }
    assert_eq!(free(null_mut(), 1, 32), Err(INVALID_HANDLE));
    place.destroy();
}

/// F314
#[test]
fn so_many_clusters_fit_on_the_device() {
    let place = place();
    let function = place.kernel(c"nothing");
    let ask = |grid: u32, block: u32, size: [u32; 3], stream: CUstream| {
        let mut list = [cluster(4, size)];
        let config = config(grid, block, stream, &mut list);
        let mut clusters = -7;
        let out = &raw mut clusters;
        let code = code!(cuOccupancyMaxActiveClusters(out, function, &raw const config));
        (code, clusters)
    };
    let largest = |block: u32, stream: CUstream| {
        let config = config(1, block, stream, &mut []);
        let mut size = -7;
        let code =
            code!(cuOccupancyMaxPotentialClusterSize(&raw mut size, function, &raw const config));
        (code, size)
    };
    let none = null_mut();
    if like_h200() {
        // Clusters of 2, of which the chip's floor plan takes none.
        for (block, clusters) in [(32, 528), (256, 528), (512, 264), (1024, 132)] {
            assert_eq!(ask(4, block, [2, 1, 1], none), (SUCCESS, clusters), "{block}");
        }
        assert_eq!((largest(32, none), largest(1024, none)), ((SUCCESS, 8), (SUCCESS, 8)));
        let large = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        ok!(cuFuncSetAttribute(function, large, 1));
        assert_eq!(largest(32, none), (SUCCESS, 16));
        ok!(cuFuncSetAttribute(function, large, 0));
    }
    assert_eq!(largest(1025, none), (SUCCESS, 0));
    // Without clusters there are none.
    assert_eq!(ask(4, 32, [0, 0, 0], none), (SUCCESS, 0));
    for (grid, size) in [(3, [2, 1, 1]), (4, [0, 1, 1]), (4, [1, 2, 1]), (9, [9, 1, 1])] {
        assert_eq!(ask(grid, 32, size, none), (INVALID_CLUSTER, -7), "{grid} of {size:?}");
    }
    assert_eq!((ask(0, 32, [1, 1, 1], none).0, largest(0, none).0), (INVALID_VALUE, INVALID_VALUE));
    let good = config(4, 32, none, &mut []);
    let mut out = 0;
    each_gives!(INVALID_VALUE; {
        cuOccupancyMaxActiveClusters(&raw mut out, function, null());
        cuOccupancyMaxActiveClusters(null_mut(), function, &raw const good);
        cuOccupancyMaxActiveClusters(&raw mut out, null_mut(), &raw const good);
        cuOccupancyMaxPotentialClusterSize(&raw mut out, function, null());
        cuOccupancyMaxPotentialClusterSize(null_mut(), function, &raw const good);
        cuOccupancyMaxPotentialClusterSize(&raw mut out, null_mut(), &raw const good);
    });
    // A stream stands for its context.
    pop();
    assert_eq!((largest(32, none).0, largest(32, place.stream).0), (INVALID_CONTEXT, SUCCESS));
    ok!(cuCtxPushCurrent_v2(place.context));
    place.destroy();
}
