//! Launches with attributes: F315 to F319.

use crate::occupancy::active;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const TOO_LARGE: CUresult = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
pub(crate) const INVALID_CLUSTER: CUresult = CUDA_ERROR_INVALID_CLUSTER_SIZE;
const UNSUPPORTED: CUresult = CUDA_ERROR_NOT_SUPPORTED;
const ILLEGAL: CUresult = CUDA_ERROR_ILLEGAL_STATE;

/// An attribute whose value is that of `set`.
pub(crate) fn attribute(
    id: u32,
    set: impl FnOnce(&mut CUlaunchAttributeValue),
) -> CUlaunchAttribute {
    let mut attribute: CUlaunchAttribute = all_zeros();
    attribute.id = CUlaunchAttributeID(id);
    set(&mut attribute.value);
    attribute
}

/// An attribute whose value is a number.
fn number(id: u32, value: i32) -> CUlaunchAttribute {
    attribute(id, |to| to.priority = value)
}

pub(crate) fn cluster(id: u32, [x, y, z]: [u32; 3]) -> CUlaunchAttribute {
    attribute(id, |to| to.clusterDim = CUlaunchAttributeValue_clusterDim { x, y, z })
}

/// A launch of so many blocks of so many threads, with attributes; what it points to is the caller's.
pub(crate) fn config(
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
    for (make, at_once) in [(triggered as fn(_, _) -> _, false), (started, true)] {
        let mut list = [make(plain, 0)];
        let config = config(1, 1, place.stream, &mut list);
        let (gate, mut word) = within(place.context, Gate::closed);
        let mut arguments = [(&raw mut word).cast::<c_void>()];
        let hold = place.kernel(c"hold");
        ok!(cuLaunchKernelEx(&raw const config, hold, arguments.as_mut_ptr(), null_mut()));
        let held = at_once.then_some(gate);
        ok!(cuEventSynchronize(plain));
        let running = code!(cuStreamQuery(place.stream));
        assert_eq!(running, if at_once { NOT_READY } else { SUCCESS });
        drop(held);
        ok!(cuStreamSynchronize(place.stream));
        assert_eq!(code!(cuEventQuery(plain)), SUCCESS);
    }
    ok!(cuCtxDestroy_v2(other));
    place.destroy();
}
