//! Attributes of streams: F153 to F158.

use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ptr::{null_mut, without_provenance_mut};

const WINDOW: CUstreamAttrID = CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW;
const POLICY: CUstreamAttrID = CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY;
const PRIORITY: CUstreamAttrID = CU_STREAM_ATTRIBUTE_PRIORITY;
const MAP: CUstreamAttrID = CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
const DOMAIN: CUstreamAttrID = CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN;
const ALL: [CUstreamAttrID; 5] = [WINDOW, POLICY, PRIORITY, MAP, DOMAIN];

/// No policy.
const NONE: u32 = u32::MAX;

fn defaults() -> [CUstream; 3] {
    [null_mut(), without_provenance_mut(1), without_provenance_mut(2)]
}

/// The first bytes of an attribute, and of what is not written 0xAA.
fn get(stream: CUstream, id: CUstreamAttrID) -> Result<[u8; 64], CUresult> {
    let mut bytes = [0xAA_u8; 64];
    // A value of it lies at the begin, and has the alignment of a pointer at most.
    let mut value = CUstreamAttrValue { pad: bytes.map(|byte| byte as _) };
    let code = code!(cuStreamGetAttribute(stream, id, &raw mut value));
    // SAFETY: all of it was initialised, and any bytes are numbers.
    unsafe { (&raw const value).cast::<u8>().copy_to_nonoverlapping(bytes.as_mut_ptr(), 64) };
    if code == SUCCESS {
        Ok(bytes)
    } else {
        assert_eq!(bytes, [0xAA; 64], "nothing is written");
        Err(code)
    }
}

/// An attribute that is a number.
fn number(stream: CUstream, id: CUstreamAttrID) -> u32 {
    let bytes = get(stream, id).unwrap();
    assert_eq!(bytes[4..], [0xAA; 60], "{id:?} has four bytes");
    u32::from_ne_bytes(bytes[..4].try_into().unwrap())
}

fn set(stream: CUstream, id: CUstreamAttrID, number: i32) -> CUresult {
    let mut value = CUstreamAttrValue { pad: [0; 64] };
    value.priority = number;
    code!(cuStreamSetAttribute(stream, id, &raw const value))
}

fn set_map(stream: CUstream, default_: u8, remote: u8) -> CUresult {
    let mut value = CUstreamAttrValue { pad: [0; 64] };
    value.memSyncDomainMap = CUlaunchMemSyncDomainMap { default_, remote };
    code!(cuStreamSetAttribute(stream, MAP, &raw const value))
}

fn window(address: usize, bytes: usize, ratio: f32, hit: u32, miss: u32) -> CUaccessPolicyWindow {
    CUaccessPolicyWindow {
        base_ptr: without_provenance_mut(address),
        num_bytes: bytes,
        hitRatio: ratio,
        hitProp: CUaccessProperty(hit),
        missProp: CUaccessProperty(miss),
    }
}

fn set_window(stream: CUstream, window: CUaccessPolicyWindow) -> CUresult {
    let mut value = CUstreamAttrValue { pad: [0; 64] };
    value.accessPolicyWindow = window;
    code!(cuStreamSetAttribute(stream, WINDOW, &raw const value))
}

/// Address, bytes, share, treatment of hits and of misses.
fn told_window(stream: CUstream) -> (usize, usize, f32, u32, u32) {
    let mut value = CUstreamAttrValue { pad: [0; 64] };
    ok!(cuStreamGetAttribute(stream, WINDOW, &raw mut value));
    // SAFETY: written, and zeros after that.
    let window = unsafe { value.accessPolicyWindow };
    let (hit, miss) = (window.hitProp.0, window.missProp.0);
    (window.base_ptr.addr(), window.num_bytes, window.hitRatio, hit, miss)
}

fn stream() -> CUstream {
    made!(cuStreamCreate(CUstream_flags::CU_STREAM_NON_BLOCKING.bits()))
}

/// F153
#[test]
fn streams_have_five_attributes_and_tell_them_whatever_is_current() {
    let context = create_context();
    let one = stream();
    for stream in [one].into_iter().chain(defaults()) {
        assert_eq!(number(stream, POLICY), NONE, "whatever the flags of the context");
        assert_eq!((number(stream, PRIORITY), number(stream, DOMAIN)), (0, 0));
        assert_eq!(get(stream, MAP).unwrap()[..4], [0, 1, 0xAA, 0xAA]);
        let window = get(stream, WINDOW).unwrap();
        assert_eq!((&window[..28], &window[32..]), (&[0; 28][..], &[0xAA; 32][..]));
        for id in (0..=19).map(CUlaunchAttributeID).filter(|id| !ALL.contains(id)) {
            assert_eq!(get(stream, id), Err(INVALID_VALUE), "{id:?}");
            assert_eq!(set(stream, id, 0), INVALID_VALUE, "{id:?}");
        }
    }
    assert_eq!(pop(), context);
    assert_eq!(number(one, POLICY), NONE);
    assert_eq!(set(one, POLICY, 2), SUCCESS);
    assert_eq!(number(one, POLICY), 2);
    for stream in defaults() {
        assert_eq!(get(stream, POLICY), Err(INVALID_CONTEXT));
        assert_eq!(set(stream, POLICY, 2), INVALID_CONTEXT);
    }
    ok!(cuCtxDestroy_v2(context));
}

/// F154
#[test]
fn invalid_values_of_attributes_change_nothing() {
    let context = create_context();
    let one = stream();
    for bad in [-1, 0, 5, 99] {
        assert_eq!(set(one, POLICY, bad), INVALID_VALUE);
        assert_eq!(number(one, POLICY), NONE);
    }
    for policy in 1..=4 {
        assert_eq!(set(one, POLICY, policy), SUCCESS);
        assert_eq!(number(one, POLICY), policy as u32);
    }
    for (asked, told) in [(-7, -5), (-5, -5), (-2, -2), (0, 0), (2, 0)] {
        assert_eq!(set(one, PRIORITY, asked), SUCCESS);
        assert_eq!(number(one, PRIORITY) as i32, told);
        let mut priority = 77;
        ok!(cuStreamGetPriority(one, &raw mut priority));
        assert_eq!(priority, told);
    }
    assert_eq!(set(one, DOMAIN, 1), SUCCESS);
    for bad in [-1, 2, 3] {
        assert_eq!(set(one, DOMAIN, bad), INVALID_VALUE);
        assert_eq!(number(one, DOMAIN), 1);
    }
    for (default, remote) in [(0, 0), (1, 0), (3, 3), (2, 3)] {
        assert_eq!(set_map(one, default, remote), SUCCESS);
    }
    for (default, remote) in [(4, 0), (0, 4), (255, 255)] {
        assert_eq!(set_map(one, default, remote), INVALID_VALUE);
        assert_eq!(get(one, MAP).unwrap()[..2], [2, 3]);
    }
    assert_eq!(pop(), context);
    ok!(cuCtxDestroy_v2(context));
}

/// F155
#[test]
fn a_window_may_lie_anywhere_and_is_at_most_128_mib() {
    let context = create_context();
    let one = stream();
    let memory: CUdeviceptr = made!(cuMemAlloc_v2(1 << 20));
    let (at, bytes) = (memory as usize, 1 << 20);
    let on_stack = 0_u64;
    for good in [
        window(at, bytes, 0.5, 2, 1),
        window(at, 0, 0.5, 2, 1),
        window(at, bytes, 0.0, 2, 1),
        window(at, bytes, 1.0, 2, 0),
        window(at, bytes, 0.5, 0, 0),
        window(at, bytes, 0.5, 1, 1),
        window(at, bytes, 0.5, 3, 3),
        window(at, 128 << 20, 0.5, 2, 1),
        window(at + 3, 5, 0.25, 2, 1),
        window((&raw const on_stack).addr(), 8, 0.5, 2, 1),
        window(0, bytes, 0.5, 2, 1),
    ] {
        assert_eq!(set_window(one, good), SUCCESS, "{good:?}");
        let CUaccessPolicyWindow { base_ptr, num_bytes, hitRatio, hitProp, missProp } = good;
        let told = told_window(one);
        assert_eq!(told, (base_ptr.addr(), num_bytes, hitRatio, hitProp.0, missProp.0));
    }
    for bad in [
        window(at, bytes, 1.5, 2, 1),
        window(at, bytes, -0.1, 2, 1),
        window(at, bytes, 0.5, 2, 2),
        window(at, (128 << 20) + 1, 0.5, 2, 1),
        window(at, 1 << 40, 0.5, 2, 1),
        window(usize::MAX - 4096, bytes, 0.5, 2, 1),
    ] {
        assert_eq!(set_window(one, bad), INVALID_VALUE, "{bad:?}");
        assert_eq!(told_window(one), (0, bytes, 0.5, 2, 1), "as it was");
    }
    assert_eq!(set_window(one, window(at, bytes, f32::NAN, 2, 1)), SUCCESS);
    assert!(told_window(one).2.is_nan());
    for anywhere in [window(0, bytes, 1.0, 2, 1), window(0x1234_5678_9000, bytes, 1.0, 2, 1)] {
        assert_eq!(set_window(one, anywhere), SUCCESS);
        let nothing = kernel(load_kernels(), c"nothing");
        assert_eq!(launch(nothing, one, &[]), SUCCESS);
        ok!(cuStreamSynchronize(one));
    }
    let mut greatest = 0;
    let which = CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE;
    ok!(cuDeviceGetAttribute(&raw mut greatest, which, device()));
    assert_eq!(greatest, 128 << 20);
    assert_eq!(pop(), context);
    ok!(cuCtxDestroy_v2(context));
}

/// F156
#[test]
fn attributes_are_copied_within_a_context() {
    let other = create_context();
    let foreign = stream();
    assert_eq!(pop(), other);
    let context = create_context();
    let (one, two) = (stream(), made!(cuStreamCreate(0)));
    assert_eq!(set(one, POLICY, 4), SUCCESS);
    assert_eq!(set(one, PRIORITY, -3), SUCCESS);
    assert_eq!(set(one, DOMAIN, 1), SUCCESS);
    assert_eq!(set_map(one, 1, 2), SUCCESS);
    assert_eq!(set_window(one, window(0x1000, 4096, 0.5, 2, 1)), SUCCESS);
    assert_eq!(code!(cuStreamCopyAttributes(foreign, one)), INVALID_VALUE);
    assert_eq!(number(foreign, POLICY), NONE);
    for to in [two, one].into_iter().chain(defaults()) {
        ok!(cuStreamCopyAttributes(to, one));
        assert_eq!((number(to, POLICY), number(to, PRIORITY) as i32), (4, -3));
        assert_eq!((number(to, DOMAIN), &get(to, MAP).unwrap()[..2]), (1, &[1, 2][..]));
        assert_eq!(told_window(to), (0x1000, 4096, 0.5, 2, 1));
    }
    // The null stream is that of handle 1, and that of the thread is another.
    let [null, legacy, thread] = defaults();
    assert_eq!(set(legacy, POLICY, 2), SUCCESS);
    assert_eq!((number(null, POLICY), number(thread, POLICY)), (2, 4));
    ok!(cuStreamCopyAttributes(two, null));
    assert_eq!(number(two, POLICY), 2);
    assert_eq!(pop(), context);
    assert_eq!(code!(cuStreamCopyAttributes(foreign, one)), INVALID_VALUE);
    assert_eq!(code!(cuStreamCopyAttributes(one, null)), INVALID_CONTEXT);
    assert_eq!(code!(cuStreamCopyAttributes(null, one)), INVALID_CONTEXT);
    ok!(cuCtxDestroy_v2(context));
    ok!(cuCtxDestroy_v2(other));
}

/// F157
#[test]
fn captures_do_not_mind_attributes() {
    let context = create_context();
    let (one, two) = (stream(), made!(cuStreamCreate(0)));
    for mode in [CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED] {
        ok!(cuStreamBeginCapture_v2(one, mode));
        for stream in [one, two] {
            assert_eq!(set(stream, POLICY, 2), SUCCESS);
            assert_eq!(number(stream, POLICY), 2);
        }
        ok!(cuStreamCopyAttributes(one, two));
        ok!(cuStreamCopyAttributes(two, one));
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(one, &raw mut graph));
        let mut nodes = 9;
        ok!(cuGraphGetNodes(graph, null_mut(), &raw mut nodes));
        assert_eq!(nodes, 0, "no work");
        ok!(cuGraphDestroy(graph));
    }
    // The legacy stream is refused as in any call (F143).
    let legacy = without_provenance_mut(1);
    ok!(cuStreamBeginCapture_v2(two, CU_STREAM_CAPTURE_MODE_RELAXED));
    let implicit = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    assert_eq!(get(legacy, POLICY), Err(implicit));
    assert_eq!(set(legacy, POLICY, 1), implicit);
    assert_eq!(code!(cuStreamCopyAttributes(one, legacy)), implicit);
    let mut graph = null_mut();
    let ended = code!(cuStreamEndCapture(two, &raw mut graph));
    assert_eq!(ended, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_eq!(pop(), context);
    ok!(cuCtxDestroy_v2(context));
}

/// F158
#[test]
fn before_init_there_are_no_attributes() {
    fresh!(before_init_there_are_no_attributes, {
        for stream in defaults() {
            assert_eq!(get(stream, POLICY), Err(NOT_INITIALIZED));
            assert_eq!(set(stream, POLICY, 1), NOT_INITIALIZED);
            assert_eq!(code!(cuStreamCopyAttributes(stream, stream)), NOT_INITIALIZED);
        }
    });
}

/// F158
#[test]
fn a_host_function_may_set_attributes_of_created_streams() {
    static SEEN: std::sync::Mutex<Vec<CUresult>> = std::sync::Mutex::new(Vec::new());
    unsafe extern "C" fn ask(stream: *mut std::ffi::c_void) {
        let stream: CUstream = stream.cast();
        let mut seen = SEEN.lock().unwrap();
        seen.push(get(stream, POLICY).map_or_else(|code| code, |_| SUCCESS));
        seen.push(set(stream, POLICY, 3));
        seen.push(code!(cuStreamCopyAttributes(stream, stream)));
        seen.push(get(without_provenance_mut(2), POLICY).unwrap_err());
    }
    let context = create_context();
    let one = stream();
    ok!(cuLaunchHostFunc(one, Some(ask), one.cast()));
    ok!(cuStreamSynchronize(one));
    assert_eq!(*SEEN.lock().unwrap(), [SUCCESS, SUCCESS, SUCCESS, NOT_PERMITTED]);
    assert_eq!(number(one, POLICY), 3);
    assert_eq!(pop(), context);
    ok!(cuCtxDestroy_v2(context));
}

/// F158
#[test]
fn after_a_fault_attributes_give_its_code() {
    fresh!(after_a_fault_attributes_give_its_code, {
        let _context = create_context();
        let (one, two) = (stream(), stream());
        let module = load_kernels();
        assert_eq!(launch(kernel(module, c"stop_here"), one, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(one)), LAUNCH_FAILED);
        for id in ALL {
            assert_eq!(get(two, id), Err(LAUNCH_FAILED));
            assert_eq!(set(two, id, 0), LAUNCH_FAILED);
        }
        assert_eq!(set(two, CUlaunchAttributeID(2), 0), LAUNCH_FAILED);
        assert_eq!(code!(cuStreamCopyAttributes(two, one)), LAUNCH_FAILED);
    });
}

/// F158
#[test]
fn the_streams_of_a_destroyed_context_have_no_attributes() {
    dangling!(the_streams_of_a_destroyed_context_have_no_attributes, {
        let gone = create_context();
        let dead = stream();
        assert_eq!(pop(), gone);
        let context = create_context();
        let one = stream();
        ok!(cuCtxDestroy_v2(gone));
        assert_eq!(get(dead, POLICY), Err(CONTEXT_IS_DESTROYED));
        assert_eq!(set(dead, POLICY, 1), CONTEXT_IS_DESTROYED);
        assert_eq!(code!(cuStreamCopyAttributes(one, dead)), CONTEXT_IS_DESTROYED);
        assert_eq!(code!(cuStreamCopyAttributes(dead, one)), CONTEXT_IS_DESTROYED);
        assert_eq!(pop(), context);
    });
}
