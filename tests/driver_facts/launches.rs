//! Launches with attributes, occupancy, and what tells of launches: profiler, log, core dumps; from F310 on.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

const TOO_LARGE: CUresult = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
const INVALID_CLUSTER: CUresult = CUDA_ERROR_INVALID_CLUSTER_SIZE;
const UNSUPPORTED: CUresult = CUDA_ERROR_NOT_SUPPORTED;
const ILLEGAL: CUresult = CUDA_ERROR_ILLEGAL_STATE;

/// A context, current.
fn place() -> Place {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    place
}

/// An attribute whose value is that of `set`.
fn attribute(id: u32, set: impl FnOnce(&mut CUlaunchAttributeValue)) -> CUlaunchAttribute {
    let mut attribute: CUlaunchAttribute = all_zeros();
    attribute.id = CUlaunchAttributeID(id);
    set(&mut attribute.value);
    attribute
}

/// An attribute whose value is a number.
fn number(id: u32, value: i32) -> CUlaunchAttribute {
    attribute(id, |to| to.priority = value)
}

fn cluster(id: u32, [x, y, z]: [u32; 3]) -> CUlaunchAttribute {
    attribute(id, |to| to.clusterDim = CUlaunchAttributeValue_clusterDim { x, y, z })
}

/// A launch of so many blocks of so many threads, with attributes; what it points to is the caller's.
fn config(
    grid: u32,
    block: u32,
    stream: CUstream,
    list: &mut [CUlaunchAttribute],
) -> CUlaunchConfig {
    let mut config: CUlaunchConfig = all_zeros();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (grid, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (block, 1, 1);
    config.hStream = stream;
    (config.attrs, config.numAttrs) = (list.as_mut_ptr(), list.len() as u32);
    config
}

/// The answer to a launch of `nothing` with attributes.
fn extended(place: &Place, grid: u32, block: u32, list: &[CUlaunchAttribute]) -> CUresult {
    let mut list = list.to_vec();
    let config = config(grid, block, place.stream, &mut list);
    let nothing = place.kernel(c"nothing");
    let answer = code!(cuLaunchKernelEx(&raw const config, nothing, null_mut(), null_mut()));
    if !list.iter().any(|one| one.id.0 == 7 || one.id.0 == 12) {
        ok!(cuStreamSynchronize(place.stream));
    }
    answer
}

/// The same in a capture, and what the end of that gives.
fn captured(
    place: &Place,
    grid: u32,
    block: u32,
    list: &[CUlaunchAttribute],
) -> (CUresult, CUresult) {
    let mut list = list.to_vec();
    let config = config(grid, block, place.stream, &mut list);
    let nothing = place.kernel(c"nothing");
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    let answer = code!(cuLaunchKernelEx(&raw const config, nothing, null_mut(), null_mut()));
    let mut graph = null_mut();
    let end = code!(cuStreamEndCapture(place.stream, &raw mut graph));
    if end == SUCCESS {
        ok!(cuGraphDestroy(graph));
    }
    (answer, end)
}

/// Blocks of so many threads of `nothing` that fit.
fn active(function: CUfunction, threads: c_int, shared: usize) -> c_int {
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
        // What the driver takes of each block is not left out: two such blocks do not fit.
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

fn window(set: impl FnOnce(&mut CUaccessPolicyWindow)) -> CUlaunchAttribute {
    let mut window = CUaccessPolicyWindow {
        base_ptr: null_mut(),
        num_bytes: 4096,
        hitRatio: 0.5,
        hitProp: CU_ACCESS_PROPERTY_PERSISTING,
        missProp: CU_ACCESS_PROPERTY_STREAMING,
    };
    set(&mut window);
    attribute(1, |to| to.accessPolicyWindow = window)
}

/// F315, F319
#[test]
fn attributes_of_a_launch_are_looked_at_and_refused_without_harm_to_a_capture() {
    let place = place();
    let memory = std::ptr::with_exposed_provenance_mut(place.memory as usize);
    let map = |default_, remote| {
        attribute(9, |to| to.memSyncDomainMap = CUlaunchMemSyncDomainMap { default_, remote })
    };
    let good = [
        window(|it| it.base_ptr = memory),
        // Not in any memory; of no bytes; longer than the memory.
        window(|it| it.base_ptr = std::ptr::without_provenance_mut(0x1234)),
        window(|it| it.num_bytes = 0),
        window(|it| (it.base_ptr, it.num_bytes) = (memory, 134_213_633)),
        window(|it| it.hitRatio = f32::NAN),
        number(5, 0),
        number(5, 2),
        number(6, 1),
        number(8, -5),
        number(8, 100),
        number(8, -100),
        map(0, 1),
        map(3, 3),
        number(10, 1),
    ];
    let bad = [
        window(|it| (it.base_ptr, it.num_bytes) = (memory, 1 << 40)),
        window(|it| it.hitRatio = -1.0),
        window(|it| it.hitRatio = 1.5),
        window(|it| it.missProp = CU_ACCESS_PROPERTY_PERSISTING),
        number(3, 1),
        number(5, 4),
        map(255, 0),
        map(0, 255),
        number(10, 2),
        number(14, 101),
        number(14, -1),
        number(15, 0),
        number(99, 0),
        number(-1_i32 as u32, 0),
    ];
    for one in good {
        assert_eq!(extended(&place, 4, 32, &[one]), SUCCESS, "{}", one.id.0);
        assert_eq!(captured(&place, 4, 32, &[one]), (SUCCESS, SUCCESS), "{}", one.id.0);
    }
    for one in bad {
        assert_eq!(extended(&place, 4, 32, &[one]), INVALID_VALUE, "{}", one.id.0);
        assert_eq!(captured(&place, 4, 32, &[one]), (INVALID_VALUE, SUCCESS), "{}", one.id.0);
    }
    let outside_graphs = attribute(13, |_| {});
    assert_eq!(extended(&place, 4, 32, &[outside_graphs]), UNSUPPORTED);
    // Of two of a kind the later one counts; what lies beside a value does not.
    let (yes, no) = (number(2, 1), number(2, 0));
    assert_eq!(extended(&place, 100_000, 1024, &[yes, no]), SUCCESS);
    assert_eq!(extended(&place, 100_000, 1024, &[no, yes]), TOO_LARGE);
    let mut noise = number(8, -1);
    noise.pad = [1; 4];
    assert_eq!(extended(&place, 4, 32, &[noise]), SUCCESS);
    place.destroy();
}

/// F316
#[test]
fn a_grid_is_made_of_whole_clusters() {
    let place = place();
    let spoilt = (INVALID_CLUSTER, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    for (grid, size) in
        [(4, [1, 1, 1]), (4, [2, 1, 1]), (6, [3, 1, 1]), (8, [8, 1, 1]), (3, [0, 0, 0])]
    {
        assert_eq!(extended(&place, grid, 32, &[cluster(4, size)]), SUCCESS, "{grid} {size:?}");
        assert_eq!(captured(&place, grid, 32, &[cluster(4, size)]), (SUCCESS, SUCCESS));
    }
    for (grid, size) in [(3, [2, 1, 1]), (9, [9, 1, 1]), (16, [16, 1, 1]), (4, [1, 2, 1])] {
        assert_eq!(
            extended(&place, grid, 32, &[cluster(4, size)]),
            INVALID_CLUSTER,
            "{grid} {size:?}"
        );
        assert_eq!(captured(&place, grid, 32, &[cluster(4, size)]), spoilt, "{grid} {size:?}");
    }
    for size in [[0, 1, 1], [2, 0, 0]] {
        let zero = captured(&place, 4, 32, &[cluster(4, size)]);
        assert_eq!(zero, (INVALID_CLUSTER, SUCCESS), "{size:?}");
    }
    // More blocks than every device can have, where the kernel allows it.
    let large = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    ok!(cuFuncSetAttribute(place.kernel(c"nothing"), large, 1));
    assert_eq!(extended(&place, 16, 32, &[cluster(4, [16, 1, 1])]), SUCCESS);
    assert_eq!(extended(&place, 17, 32, &[cluster(4, [17, 1, 1])]), INVALID_CLUSTER);
    ok!(cuFuncSetAttribute(place.kernel(c"nothing"), large, 0));
    let preferred = |size| [cluster(4, [2, 1, 1]), cluster(11, size)];
    for size in [[2, 1, 1], [4, 1, 1], [6, 1, 1], [8, 1, 1], [0, 0, 0]] {
        assert_eq!(extended(&place, 24, 32, &preferred(size)), SUCCESS, "{size:?}");
    }
    for size in [[3, 1, 1], [1, 1, 1], [16, 1, 1], [4, 2, 1]] {
        assert_eq!(extended(&place, 24, 32, &preferred(size)), INVALID_CLUSTER, "{size:?}");
    }
    assert_eq!(extended(&place, 24, 32, &[cluster(11, [4, 1, 1])]), INVALID_CLUSTER);
    place.destroy();
}

/// F317
#[test]
fn a_cooperative_launch_has_as_many_blocks_as_fit() {
    let place = place();
    let function = place.kernel(c"nothing");
    let multiprocessors =
        made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device()));
    let most = (active(function, 1024, 0) * multiprocessors) as u32;
    for yes in [1, 2] {
        assert_eq!(extended(&place, most, 1024, &[number(2, yes)]), SUCCESS);
        assert_eq!(extended(&place, most + 1, 1024, &[number(2, yes)]), TOO_LARGE);
    }
    assert_eq!(extended(&place, most + 1, 1024, &[number(2, 0)]), SUCCESS);
    assert_eq!(captured(&place, most, 1024, &[number(2, 1)]), (SUCCESS, SUCCESS));
    let spoilt = (TOO_LARGE, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(captured(&place, most + 1, 1024, &[number(2, 1)]), spoilt);
    let cooperative = |function, grid, block, shared, stream| {
        let none = null_mut();
        code!(cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, shared, stream, none))
    };
    let stream = place.stream;
    assert_eq!(cooperative(function, most, 1024, 0, stream), SUCCESS);
    assert_eq!(cooperative(function, most + 1, 1024, 0, stream), TOO_LARGE);
    assert_eq!(cooperative(function, 1, 32, 0, null_mut()), SUCCESS);
    assert_eq!(cooperative(function, 0, 32, 0, stream), INVALID_VALUE);
    assert_eq!(cooperative(function, 1, 32, 49_153, stream), TOO_LARGE);
    assert_eq!(cooperative(null_mut(), 1, 32, 0, stream), INVALID_HANDLE);
    assert_eq!(cooperative(place.kernel(c"store_value"), 1, 32, 0, stream), INVALID_VALUE);
    pop();
    assert_eq!(cooperative(function, 1, 32, 0, stream), SUCCESS);
    ok!(cuCtxPushCurrent_v2(place.context));
    ok!(cuCtxSynchronize());
    place.destroy();
}

fn triggered(event: CUevent, flags: i32) -> CUlaunchAttribute {
    let value = CUlaunchAttributeValue_programmaticEvent { event, flags, triggerAtBlockStart: 0 };
    attribute(7, |to| to.programmaticEvent = value)
}

fn started(event: CUevent, flags: i32) -> CUlaunchAttribute {
    let value = CUlaunchAttributeValue_launchCompletionEvent { event, flags };
    attribute(12, |to| to.launchCompletionEvent = value)
}

/// F318
#[test]
fn events_of_a_launch_take_no_times_and_are_of_its_context() {
    let place = place();
    let (plain, blocking) = (made!(cuEventCreate(2)), made!(cuEventCreate(3)));
    let other = create_context();
    let foreign = made!(cuEventCreate(2));
    assert_eq!(pop(), other);
    let with = |one| extended(&place, 1, 32, &[one]);
    for make in [triggered, started] {
        assert_eq!(with(make(plain, 0)), SUCCESS);
        assert_eq!(
            (with(make(null_mut(), 0)), with(make(foreign, 0))),
            (INVALID_HANDLE, INVALID_HANDLE)
        );
        assert_eq!(with(make(place.event, 0)), UNSUPPORTED, "it takes times");
        assert_eq!((with(make(plain, 1)), with(make(plain, 2))), (ILLEGAL, INVALID_VALUE));
        let in_capture =
            [make(plain, 1), make(place.event, 0)].map(|one| captured(&place, 1, 32, &[one]));
        assert_eq!(in_capture, [(UNSUPPORTED, SUCCESS); 2]);
        assert_eq!(captured(&place, 1, 32, &[make(null_mut(), 0)]), (INVALID_HANDLE, SUCCESS));
    }
    assert_eq!((with(triggered(blocking, 0)), with(started(blocking, 0))), (SUCCESS, UNSUPPORTED));
    // A kernel that triggers nothing triggers by its end; that all its blocks have started is known before.
    let spin = place.kernel(c"spin");
    let mut time = LONG_NANOSECONDS;
    let mut arguments = [(&raw mut time).cast::<c_void>()];
    for (make, at_once) in [(triggered as fn(_, _) -> _, false), (started, true)] {
        let mut list = [make(plain, 0)];
        let config = config(1, 1, place.stream, &mut list);
        ok!(cuLaunchKernelEx(&raw const config, spin, arguments.as_mut_ptr(), null_mut()));
        ok!(cuEventSynchronize(plain));
        let running = code!(cuStreamQuery(place.stream));
        assert_eq!(running, if at_once { NOT_READY } else { SUCCESS });
        ok!(cuStreamSynchronize(place.stream));
        assert_eq!(code!(cuEventQuery(plain)), SUCCESS);
    }
    ok!(cuCtxDestroy_v2(other));
    place.destroy();
}

/// F320
#[test]
fn a_profiler_is_started_and_stopped_in_a_context_any_number_of_times() {
    let place = place();
    let start = || code!(cuProfilerStart());
    let stop = || code!(cuProfilerStop());
    assert_eq!([stop(), start(), start(), stop(), stop()], [SUCCESS; 5]);
    // A capture forbids it, but not in relaxed mode.
    let mut graph = null_mut();
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    assert_eq!((start(), stop()), (SUCCESS, SUCCESS));
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    assert_eq!(start(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    let end = code!(cuStreamEndCapture(place.stream, &raw mut graph));
    assert_eq!(end, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    pop();
    assert_eq!((start(), stop()), (INVALID_CONTEXT, INVALID_CONTEXT));
    ok!(cuCtxPushCurrent_v2(place.context));
    place.destroy();
}

/// What callbacks of these tests have seen, by their number.
static SEEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
static INSIDE: AtomicBool = AtomicBool::new(false);
static OUT: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn count(data: *mut c_void, level: CUlogLevel, text: *mut c_char, len: usize) {
    // SAFETY: the driver hands a string of `len` bytes and a NUL.
    let text = unsafe { CStr::from_ptr(text) };
    assert_eq!((level, text.to_bytes().len()), (CU_LOG_LEVEL_ERROR, len));
    if text
        .to_bytes()
        .starts_with(b"Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamDestroy_v2")
    {
        SEEN[data.addr()].fetch_add(1, Ordering::Relaxed);
    }
}

unsafe extern "C" fn slow(_: *mut c_void, _: CUlogLevel, _: *mut c_char, _: usize) {
    INSIDE.store(true, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(100));
    OUT.store(true, Ordering::Relaxed);
}

/// Fails, as a call that is logged.
fn fail() {
    assert_eq!(code!(cuStreamDestroy_v2(null_mut())), INVALID_HANDLE);
}

/// F321
#[test]
fn callbacks_are_told_which_call_failed_until_they_are_unregistered() {
    has!(cuLogsRegisterCallback, cuLogsUnregisterCallback);
    fresh!(callbacks_are_told_which_call_failed_until_they_are_unregistered, {
        let mut handles = [null_mut(); 3];
        assert_eq!(
            newer!(cuLogsRegisterCallback(None, null_mut(), &raw mut handles[0])),
            INVALID_VALUE
        );
        // Before `cuInit` too.
        for (i, handle) in handles.iter_mut().enumerate() {
            let data = std::ptr::without_provenance_mut(i);
            ok!(newer cuLogsRegisterCallback(Some(count), data, handle));
        }
        ok!(cuInit(0));
        create_context();
        let seen = || [0, 1, 2].map(|i: usize| SEEN[i].load(Ordering::Relaxed));
        fail();
        assert_eq!(seen(), [1; 3]);
        ok!(newer cuLogsUnregisterCallback(handles[1]));
        fail();
        assert_eq!(seen(), [2, 1, 2]);
        ok!(newer cuLogsUnregisterCallback(handles[0]));
        ok!(newer cuLogsUnregisterCallback(handles[2]));
        assert_eq!(newer!(cuLogsUnregisterCallback(null_mut())), INVALID_VALUE);
        // The end of a registration waits for whoever is in the function.
        let handle = &mut handles[0];
        ok!(newer cuLogsRegisterCallback(Some(slow), null_mut(), handle));
        let other = std::thread::spawn(fail);
        while !INSIDE.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        ok!(newer cuLogsUnregisterCallback(*handle));
        assert!(OUT.load(Ordering::Relaxed));
        other.join().unwrap();
    });
}

/// The registrations of the test below; null is none.
static HANDLES: [AtomicPtr<c_void>; 3] = [const { AtomicPtr::new(null_mut()) }; 3];
/// Which callback ends the registration of which.
static ENDS: Mutex<Option<(usize, usize)>> = Mutex::new(None);
/// How often one was called that was not registered any more.
static LATE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn end_another(data: *mut c_void, _: CUlogLevel, _: *mut c_char, _: usize) {
    let own = data.addr();
    SEEN[own].fetch_add(1, Ordering::Relaxed);
    if HANDLES[own].load(Ordering::Relaxed).is_null() {
        LATE.fetch_add(1, Ordering::Relaxed);
    }
    if let Some((_, other)) = ENDS.lock().unwrap().take_if(|(who, _)| *who == own) {
        end_registration(other);
    }
}

fn end_registration(of: usize) {
    let handle = HANDLES[of].swap(null_mut(), Ordering::Relaxed);
    if !handle.is_null() {
        ok!(newer cuLogsUnregisterCallback(handle.cast()));
    }
}

/// F321
#[test]
fn a_callback_that_another_one_unregisters_is_not_called_any_more() {
    has!(cuLogsRegisterCallback, cuLogsUnregisterCallback);
    fresh!(a_callback_that_another_one_unregisters_is_not_called_any_more, {
        ok!(cuInit(0));
        create_context();
        let calls = || [0, 1, 2].map(|i: usize| SEEN[i].load(Ordering::Relaxed));
        for (who, other) in [(0, 1), (0, 2), (1, 2), (1, 0), (2, 1)] {
            for (i, handle) in HANDLES.iter().enumerate() {
                let (data, mut made) = (std::ptr::without_provenance_mut(i), null_mut());
                ok!(newer cuLogsRegisterCallback(Some(end_another), data, &raw mut made));
                handle.store(made.cast(), Ordering::Relaxed);
            }
            let before = calls();
            fail();
            let told = calls();
            let messages = told[0] - before[0];
            assert!(messages > 0);
            assert_eq!(told, before.map(|calls| calls + messages), "each is told each message");
            *ENDS.lock().unwrap() = Some((who, other));
            fail();
            let ended = calls();
            assert_eq!(ended[who], told[who] + messages);
            assert_eq!(*ENDS.lock().unwrap(), None, "{who} ended {other}");
            assert_eq!(LATE.load(Ordering::Relaxed), 0, "{who} ended {other}, which is called");
            (0..3).for_each(end_registration);
        }
    });
}

/// F322
#[test]
fn the_log_is_read_from_a_place_on() {
    has!(cuLogsCurrent, cuLogsDumpToMemory, cuLogsDumpToFile);
    fresh!(the_log_is_read_from_a_place_on, {
        ok!(cuInit(0));
        create_context();
        let mut buffer = vec![0_u8; 65_536];
        let text = buffer.as_mut_ptr().cast::<c_char>();
        let mut place: u32 = made!(newer cuLogsCurrent(0));
        assert_eq!(newer!(cuLogsCurrent(null_mut(), 0)), INVALID_VALUE);
        let read = |place: *mut u32, room| {
            let mut size = room;
            let code = newer!(cuLogsDumpToMemory(place, text, &raw mut size, 0));
            // SAFETY: the driver has written `size` bytes, of a buffer that has many more.
            let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size) };
            (code, String::from_utf8_lossy(bytes).into_owned())
        };
        fail();
        fail();
        let (code, lines) = read(&raw mut place, 32_768);
        assert_eq!(code, SUCCESS);
        let last = "Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamDestroy_v2";
        let of_calls: Vec<&str> = lines.lines().filter(|line| line.ends_with(last)).collect();
        assert_eq!(of_calls.len(), 2, "{lines}");
        assert!(of_calls[0].starts_with('[') && of_calls[0].contains("[CUDA][E] "), "{lines}");
        // Nothing since; a place that is none; the beginning.
        assert_eq!(read(&raw mut place, 32_768), (SUCCESS, String::new()));
        let mut far = 1_000_000;
        assert_eq!(read(&raw mut far, 32_768), (INVALID_VALUE, String::new()));
        assert!(read(null_mut(), 32_768).1.contains(last));
        // No room for a message: nothing. For some: the newest, and the driver may write behind the room.
        assert_eq!(read(null_mut(), 10), (INVALID_VALUE, String::new()));
        let (code, some) = read(null_mut(), 400);
        assert_eq!(code, SUCCESS);
        assert!(some.starts_with("The provided buffer is not large enough to hold all messages"));
        let mut size = 100;
        each_gives_newer_invalid(text, &mut size);
        // A hundred are kept.
        let mut place: u32 = made!(newer cuLogsCurrent(0));
        (0..150).for_each(|_| fail());
        let (_, lines) = read(&raw mut place, 32_768);
        assert!(
            lines.starts_with("Log buffer has rolled over since the previous dump."),
            "{lines}"
        );
        assert_eq!(lines.lines().count(), 101);
        let file = std::env::temp_dir().join(format!("cuscope-log-{}", std::process::id()));
        let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
        ok!(newer cuLogsDumpToFile(null_mut(), path.as_ptr(), 0));
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 101);
        std::fs::remove_file(file).unwrap();
        let nowhere = c"/no/such/folder/at/all".as_ptr();
        assert_eq!(newer!(cuLogsDumpToFile(null_mut(), nowhere, 0)), INVALID_VALUE);
        assert_eq!(newer!(cuLogsDumpToFile(null_mut(), null(), 0)), INVALID_VALUE);
    });
}

/// A dump without a place for the text, or for its length.
fn each_gives_newer_invalid(text: *mut c_char, size: &mut usize) {
    assert_eq!(newer!(cuLogsDumpToMemory(null_mut(), null_mut(), size, 0)), INVALID_VALUE);
    assert_eq!(newer!(cuLogsDumpToMemory(null_mut(), text, null_mut(), 0)), INVALID_VALUE);
}

/// F323
#[test]
fn contexts_begin_with_the_process_settings_of_core_dumps() {
    has!(cuCoredumpGetAttribute, cuCoredumpSetAttribute);
    has!(cuCoredumpGetAttributeGlobal, cuCoredumpSetAttributeGlobal);
    fresh!(contexts_begin_with_the_process_settings_of_core_dumps, {
        let get = |which, bytes: &mut [u8], global: bool| {
            let (value, mut size) = (bytes.as_mut_ptr().cast(), bytes.len());
            let which = CUcoredumpSettings(which);
            let size = &raw mut size;
            if global {
                newer!(cuCoredumpGetAttributeGlobal(which, value, size))
            } else {
                newer!(cuCoredumpGetAttribute(which, value, size))
            }
        };
        let set = |which, bytes: &[u8], global: bool| {
            let (value, mut size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
            let which = CUcoredumpSettings(which);
            let size = &raw mut size;
            if global {
                newer!(cuCoredumpSetAttributeGlobal(which, value, size))
            } else {
                newer!(cuCoredumpSetAttribute(which, value, size))
            }
        };
        let switch = |which, global| {
            let mut byte = [9];
            (get(which, &mut byte, global), byte[0])
        };
        // Before `cuInit`.
        let first = [1, 2, 3, 4].map(|which| switch(which, true));
        assert_eq!(first, [(SUCCESS, 0), (SUCCESS, 1), (SUCCESS, 0), (SUCCESS, 0)]);
        assert_eq!(switch(1, false).0, NOT_INITIALIZED);
        // What is set now but names is set back by `cuInit`, once.
        let flags = || {
            let mut bytes = [9; 4];
            assert_eq!(get(7, &mut bytes, true), SUCCESS);
            i32::from_ne_bytes(bytes)
        };
        assert_eq!((set(3, &[1], true), set(2, &[0], true), flags()), (SUCCESS, SUCCESS, 0x3f));
        assert_eq!(set(5, b"/tmp/early\0", true), SUCCESS);
        ok!(cuInit(0));
        assert_eq!((switch(3, true), switch(2, true), flags()), ((SUCCESS, 0), (SUCCESS, 1), 0));
        let mut name = [0x55; 1024];
        assert_eq!(get(5, &mut name, true), SUCCESS);
        assert!(name.starts_with(b"/tmp/early\0"));
        // A lightweight dump is five flags, and none of the host is one.
        assert_eq!((set(3, &[1], true), flags(), set(2, &[0], true)), (SUCCESS, 0x2f, SUCCESS));
        ok!(cuInit(0));
        assert_eq!((flags(), set(3, &[0], true), flags()), (0x3f, SUCCESS, 0x10));
        assert_eq!((switch(2, true), set(7, &[0x2f, 0, 0, 0], true)), ((SUCCESS, 0), SUCCESS));
        assert_eq!((switch(3, true), switch(2, true)), ((SUCCESS, 1), (SUCCESS, 1)));
        assert_eq!((set(7, &[0x2d, 0, 0, 0], true), switch(3, true)), (SUCCESS, (SUCCESS, 0)));
        assert_eq!(set(7, &[0; 4], true), SUCCESS);
        assert_eq!((switch(1, false).0, switch(0, true).0), (INVALID_CONTEXT, INVALID_VALUE));
        // Sizes are exact; what is not zero is one.
        assert_eq!(get(1, &mut [0; 4], true), INVALID_VALUE);
        assert_eq!((set(2, &[2], true), switch(2, true)), (SUCCESS, (SUCCESS, 1)));
        assert_eq!((set(1, &[1, 0], true), set(7, &[0; 2], true)), (INVALID_VALUE, INVALID_VALUE));
        let mut size = 99;
        let file = CU_COREDUMP_FILE;
        ok!(newer cuCoredumpGetAttributeGlobal(file, null_mut(), &raw mut size));
        assert_eq!(size, 1024);
        assert_eq!(
            newer!(cuCoredumpGetAttributeGlobal(file, null_mut(), null_mut())),
            INVALID_VALUE
        );
        name = [0x55; 1024];
        assert_eq!((set(5, b"/tmp/ab\0", true), get(5, &mut name, true)), (SUCCESS, SUCCESS));
        assert!(name.starts_with(b"/tmp/ab\0") && name[8..].iter().all(|&byte| byte == 0));
        assert_eq!(get(5, &mut [0; 4], true), INVALID_VALUE);
        assert_eq!((set(5, &[b'a'; 1025], true), set(5, &[0; 1], true)), (INVALID_VALUE, SUCCESS));
        // A context begins so, and goes its own way.
        assert_eq!(set(3, &[1], true), SUCCESS);
        create_context();
        assert_eq!((switch(3, false), switch(2, false)), ((SUCCESS, 1), (SUCCESS, 1)));
        assert_eq!((set(3, &[0], true), switch(3, false)), (SUCCESS, (SUCCESS, 1)));
        create_context();
        assert_eq!((switch(3, false), set(3, &[1], false)), ((SUCCESS, 0), SUCCESS));
        assert_eq!((switch(3, false), switch(3, true)), ((SUCCESS, 1), (SUCCESS, 0)));
        assert_eq!(set(7, &2_i32.to_ne_bytes(), false), SUCCESS);
        // The pipe and its trigger are the process's.
        assert_eq!((switch(4, false).0, set(4, &[1], false)), (INVALID_VALUE, INVALID_VALUE));
        assert_eq!(
            (get(6, &mut name, false), set(6, b"p\0", false)),
            (INVALID_VALUE, INVALID_VALUE)
        );
        assert_eq!((set(6, b"/tmp/p.%p\0", true), get(6, &mut name, true)), (SUCCESS, SUCCESS));
        assert!(name.starts_with(format!("/tmp/p.{}\0", std::process::id()).as_bytes()));
    });
}

/// F324
#[test]
fn before_init_the_log_and_the_process_settings_of_dumps_work() {
    fresh!(before_init_the_log_and_the_process_settings_of_dumps_work, {
        let function = std::ptr::without_provenance_mut(1);
        let good = config(1, 1, null_mut(), &mut []);
        let (mut a, mut b, mut bytes) = (0, 0, 0_usize);
        let (a, b, none) = (&raw mut a, &raw mut b, null_mut::<c_int>());
        each_gives!(NOT_INITIALIZED; {
            cuOccupancyMaxActiveBlocksPerMultiprocessor(none, function, 32, 0);
            cuOccupancyMaxPotentialBlockSize(none, b, function, None, 0, 0);
            cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, null_mut(), 1, 32);
            cuOccupancyMaxActiveClusters(a, function, &raw const good);
            cuOccupancyMaxPotentialClusterSize(a, function, &raw const good);
            cuLaunchCooperativeKernel(null_mut(), 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut());
            cuFuncSetAttribute(null_mut(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
            cuProfilerStart();
            cuProfilerStop();
        });
        each_gives!(INVALID_VALUE; {
            cuOccupancyMaxActiveClusters(none, function, &raw const good);
            cuOccupancyMaxActiveClusters(a, null_mut(), &raw const good);
            cuOccupancyMaxActiveClusters(a, function, null());
            cuOccupancyMaxPotentialClusterSize(none, function, &raw const good);
        });
        has!(cuLogsCurrent);
        let _place: u32 = made!(newer cuLogsCurrent(0));
    });
}

/// F324
#[test]
fn after_a_fault_the_log_can_still_be_read() {
    fresh!(after_a_fault_the_log_can_still_be_read, {
        ok!(cuInit(0));
        let place = place();
        let (function, fault) = (place.kernel(c"nothing"), place.kernel(c"stop_here"));
        assert_eq!(launch(fault, place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(place.stream)), LAUNCH_FAILED);
        let good = config(1, 1, null_mut(), &mut []);
        let (mut a, mut b, mut bytes) = (0, 0, 0_usize);
        let (a, b) = (&raw mut a, &raw mut b);
        each_gives!(LAUNCH_FAILED; {
            cuOccupancyMaxActiveBlocksPerMultiprocessor(null_mut(), function, 32, 0);
            cuOccupancyMaxPotentialBlockSize(a, b, function, None, 0, 0);
            cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, function, 1, 32);
            cuOccupancyMaxActiveClusters(a, function, &raw const good);
            cuOccupancyMaxPotentialClusterSize(a, function, &raw const good);
            cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, place.stream, null_mut());
            cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
            cuProfilerStart();
            cuProfilerStop();
        });
        has!(cuLogsCurrent, cuCoredumpGetAttribute, cuCoredumpGetAttributeGlobal);
        let _place: u32 = made!(newer cuLogsCurrent(0));
        let (mut value, mut size) = (0_u8, 1);
        let (which, value) = (CU_COREDUMP_LIGHTWEIGHT, (&raw mut value).cast());
        assert_eq!(newer!(cuCoredumpGetAttribute(which, value, &raw mut size)), LAUNCH_FAILED);
        ok!(newer cuCoredumpGetAttributeGlobal(which, value, &raw mut size));
    });
}
