//! Memory of other contexts and devices: copies on every surface, and the access of kernels. With one device, the
//! copies are between two of its contexts.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::foreign;
use crate::common::gpu::{downloaded, kernel, new_context, new_context_on, uploaded};
use crate::common::kernels::STORE;
use crate::common::random::scheduled;
use crate::{common, fresh, skip};
use cuscope::detached::Branded;
use cuscope::memory::{PitchedBuffer, PoolAccess};
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{
    Context, ContextStack, Device, DeviceBuffer, Error, LaunchConfig, MemoryPool, OrderedBuffer,
    PushedGuard, Result, Stream, ffi,
};
use cuscope_softdriver::{control, schedule};

const LEN: usize = 6;

/// Two new contexts, on the first and the last device.
fn contexts() -> [Context; 2] {
    let last = *Device::all().unwrap().last().unwrap();
    [new_context(), new_context_on(last)]
}

/// Runs a test under a guard of the second context, pushed on one of the first: that gets what `first` made there.
fn with_both<R>(
    [first, second]: &[Context; 2],
    test: impl for<'a, 'b> FnOnce(DeviceBuffer<'a, u32>, &PushedGuard<'b>) -> R,
) -> R {
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(first).unwrap();
    let stream = outer.stream().unwrap();
    let x = uploaded(&outer, &stream, &[1_u32, 2, 3, 4, 5, 6]);
    test(x, &outer.push(second).unwrap())
}

/// The two devices, or leaves the test.
macro_rules! two_devices {
    () => {{
        let devices = Device::all().unwrap();
        let [first, second, ..] = devices[..] else { skip!("needs two devices") };
        assert_eq!(first.can_access_peer(second), Ok(true));
        (first, second)
    }};
}

#[test]
fn copies_go_both_ways() {
    let both = contexts();
    let same = [both[0].clone(), both[0].clone()];
    for contexts in [both, [new_context(), new_context()], same] {
        with_both(&contexts, |mut x, gpu| {
            let stream = gpu.stream().unwrap();
            let on = gpu.on(&stream);
            let mut y = on.zeroed::<u32>(LEN).unwrap();
            on.copy_from_peer(&x, &mut y).unwrap();
            assert_eq!(on.to_vec(&y).unwrap(), [1, 2, 3, 4, 5, 6]);
            // Parts on either side.
            on.fill(&mut y, 9).unwrap();
            on.copy_to_peer(&y.slice(..2).unwrap(), &mut x.slice_mut(4..).unwrap()).unwrap();
            on.copy_from_peer(&x.slice(3..).unwrap(), &mut y.slice_mut(..3).unwrap()).unwrap();
            assert_eq!(on.to_vec(&y).unwrap(), [4, 9, 9, 9, 9, 9]);
            for (number, on) in (20..).zip([gpu.on_legacy_default(), gpu.on_per_thread_default()]) {
                on.fill(&mut y, number).unwrap();
                on.copy_to_peer(&y, &mut x).unwrap();
                on.zero(&mut y).unwrap();
                on.copy_from_peer(&x, &mut y).unwrap();
                assert_eq!(on.to_vec(&y).unwrap(), [number; LEN]);
            }
        });
    }
}

/// The values of memory in rows, all planes.
fn values<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    of: &PitchedBuffer<'ctx, u32>,
) -> Vec<u32> {
    gpu.on(stream).to_vec(of).unwrap()
}

#[test]
fn rows_go_both_ways() {
    let [first, second] = contexts();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&first).unwrap();
    let stream = outer.stream().unwrap();
    let counted: Vec<u32> = (0..24).collect();
    let mut x = outer.alloc_pitched::<u32>((4, 3, 2)).unwrap();
    outer.on(&stream).upload(&counted, &mut x).unwrap();
    let mut packed = uploaded(&outer, &stream, &counted);

    let gpu = outer.push(&second).unwrap();
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let mut y = gpu.alloc_pitched::<u32>((4, 3, 2)).unwrap();
    on.copy_from_peer(&x, &mut y).unwrap();
    assert_eq!(values(&gpu, &stream, &y), counted);
    // From and to memory without rows, which holds them packed.
    on.zero(&mut y).unwrap();
    on.copy_from_peer(&packed, &mut y).unwrap();
    assert_eq!(values(&gpu, &stream, &y), counted);
    let mut own = on.zeroed::<u32>(24).unwrap();
    on.copy_from_peer(&x, &mut own).unwrap();
    assert_eq!(on.to_vec(&own).unwrap(), counted);
    // A box of both planes, and a row of one.
    on.zero(&mut y).unwrap();
    let part = x.part(1..3, 1.., ..).unwrap();
    on.copy_from_peer(&part, &mut y.part_mut(..2, ..2, ..).unwrap()).unwrap();
    let row = x.part(.., 2..3, 1..).unwrap();
    on.copy_from_peer(&row, &mut y.part_mut(.., 2.., ..1).unwrap()).unwrap();
    let mut expected = vec![0; 24];
    for (place, value) in [(0, 5), (1, 6), (4, 9), (5, 10), (12, 17), (13, 18), (16, 21), (17, 22)]
    {
        expected[place] = value;
    }
    expected[8..12].copy_from_slice(&counted[20..24]);
    assert_eq!(values(&gpu, &stream, &y), expected);
    // And back.
    on.fill(&mut y, 7).unwrap();
    on.copy_to_peer(&y.part(.., .., 1..).unwrap(), &mut x.part_mut(.., .., ..1).unwrap()).unwrap();
    on.copy_to_peer(&y.part(..2, ..1, ..1).unwrap(), &mut packed.slice_mut(22..).unwrap()).unwrap();
    on.copy_from_peer(&x, &mut own).unwrap();
    assert_eq!(on.to_vec(&own).unwrap(), [&[7; 12], &counted[12..]].concat());
    on.copy_from_peer(&packed, &mut own).unwrap();
    assert_eq!(on.to_vec(&own).unwrap(), [&counted[..22], &[7, 7]].concat());
}

/// The driver gets the context of each end, of the source first.
#[test]
fn a_copy_names_the_context_of_each_end() {
    if !common::software() {
        skip!("only the software driver tells which contexts a call named");
    }
    let both = contexts();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&both[0]).unwrap();
    let (theirs, stream) = (outer.ordered_stream().unwrap(), outer.stream().unwrap());
    let (shared, owned) = (theirs.from_slice(&[1_u32; LEN]).unwrap().share(), theirs.alloc(LEN));
    let mut x = uploaded(&outer, &stream, &[1_u32, 2, 3, 4, 5, 6]);
    let mut rows = outer.alloc_pitched::<u32>((3, 2)).unwrap();
    let owned: OrderedBuffer<u32> = owned.unwrap();
    let gpu = outer.push(&both[1]).unwrap();
    let (ordered, stream) = (gpu.ordered_stream().unwrap(), gpu.stream().unwrap());
    let mut y = gpu.alloc::<u32>(LEN).unwrap();
    let mut own_rows = gpu.alloc_pitched::<u32>((3, 2)).unwrap();
    let [there, here] = both.each_ref().map(|context| context.raw().addr());
    let named = |what, copied: Result, expected: [usize; 2]| {
        assert_eq!((what, copied, control::peer_contexts()), (what, Ok(()), expected));
    };
    macro_rules! both_ways {
        ($on:expr) => {
            named("from", $on.copy_from_peer(&x, &mut y), [there, here]);
            named("to", $on.copy_to_peer(&y, &mut x), [here, there]);
            named("rows from", $on.copy_from_peer(&rows, &mut own_rows), [there, here]);
            named("rows to", $on.copy_to_peer(&own_rows, &mut rows), [here, there]);
            named("to rows", $on.copy_from_peer(&x, &mut own_rows), [there, here]);
            named("from rows", $on.copy_to_peer(&own_rows, &mut x), [here, there]);
        };
    }
    both_ways!(gpu.on(&stream));
    both_ways!(gpu.on_legacy_default());
    gpu.scope(|s| {
        let (on, mut y, mut own_rows) = (s.on(&stream), s.hold(&mut y), s.hold(&mut own_rows));
        named("a scope, from", on.copy_from_peer(&x, &mut y), [there, here]);
        named("a scope, rows from", on.copy_from_peer(&rows, &mut own_rows), [there, here]);
        named("a scope, from rows", on.copy_from_peer(&rows, &mut y), [there, here]);
        Ok(())
    })
    .unwrap();
    gpu.scope(|s| {
        let on = s.on(&stream);
        named("a scope, to", on.copy_to_peer(&y, &mut x), [here, there]);
        named("a scope, rows to", on.copy_to_peer(&own_rows, &mut rows), [here, there]);
        Ok(())
    })
    .unwrap();
    let (mut mine, mut plane) =
        (ordered.alloc(LEN).unwrap(), ordered.alloc_pitched((3, 2)).unwrap());
    named("ordered", ordered.copy_from_peer(&owned, &mut mine), [there, here]);
    named("ordered, shared", ordered.copy_from_peer(&shared, &mut mine), [there, here]);
    named("ordered, to rows", ordered.copy_from_peer(&shared, &mut plane), [there, here]);
}

#[test]
fn lengths_and_extents_must_agree() {
    with_both(&contexts(), |mut x, gpu| {
        let stream = gpu.stream().unwrap();
        let (on, legacy) = (gpu.on(&stream), gpu.on_legacy_default());
        let mut y = on.zeroed::<u32>(LEN + 1).unwrap();
        let lengths = |from, to| Err(Error::LengthMismatch { call: "cuMemcpyPeerAsync", from, to });
        assert_eq!(on.copy_from_peer(&x, &mut y), lengths(LEN, LEN + 1));
        assert_eq!(on.copy_to_peer(&y, &mut x), lengths(LEN + 1, LEN));
        assert_eq!(legacy.copy_from_peer(&x, &mut y), lengths(LEN, LEN + 1));
        assert_eq!(legacy.copy_to_peer(&y, &mut x), lengths(LEN + 1, LEN));
        let (rows, mut other) =
            (gpu.alloc_pitched::<u32>((3, 2)).unwrap(), gpu.alloc_pitched((2, 3)));
        let extents = Box::new([[3, 2, 1], [2, 3, 1]]);
        let call = "cuMemcpy3DPeerAsync";
        let differ = Err(Error::ExtentMismatch { call, extents });
        assert_eq!(on.copy_from_peer(&rows, other.as_mut().unwrap()), differ);
        assert_eq!(on.copy_to_peer(&rows, other.as_mut().unwrap()), differ);
        let short = on.copy_from_peer(&y, other.as_mut().unwrap());
        assert_eq!(short, Err(Error::LengthMismatch { call, from: LEN + 1, to: 6 }));
        let refused = gpu.scope(|s| s.on(&stream).copy_from_peer(&x, &mut s.hold(&mut y)));
        assert_eq!(refused, lengths(LEN, LEN + 1));
        // Arrays are copied within their context.
        let shape = ArrayShape::D1 { width: LEN };
        let mut array = gpu.alloc_array::<u32>(shape, ArrayFlags::empty()).unwrap();
        for refused in [on.copy_from_peer(&x, &mut array), on.copy_to_peer(&array, &mut x)] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            assert!(error.to_string().contains("array"), "{error}");
        }
    });
}

#[test]
fn a_default_stream_of_a_covered_context_is_refused() {
    with_both(&contexts(), |x, gpu| {
        let mut y = gpu.alloc::<u32>(LEN).unwrap();
        foreign::push(x.context().raw());
        let copied = gpu.on_legacy_default().copy_from_peer(&x, &mut y);
        foreign::pop();
        assert_eq!(copied, Err(Error::NotCurrent { call: "cuMemcpyPeerAsync" }));
    });
}

/// The copies of a scope between contexts, with what comes before and after on other streams.
fn scope_copies<'other>(
    gpu: &PushedGuard<'_>,
    x: &DeviceBuffer<'other, u32>,
    [z, last]: [&mut DeviceBuffer<'other, u32>; 2],
) -> Result<[Vec<u32>; 2]> {
    let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    let (mut y, fresh) = (gpu.alloc::<u32>(LEN)?, gpu.on(&streams[0]).from_slice(&[50; LEN])?);
    let mut rows = gpu.alloc_pitched::<u32>((3, 2))?;
    let mut host = [vec![0; LEN], vec![0; LEN]];
    let [first, second] = &mut host;
    gpu.scope(|s| {
        let [a, b, c] = [&streams[0], &streams[1], &streams[2]].map(|stream| s.on(stream));
        let (mut y, mut rows) = (s.hold(&mut y), s.hold(&mut rows));
        a.fill(&mut y, 8)?; // overwritten, as the copy comes after
        b.copy_from_peer(x, &mut y)?;
        c.copy_from_peer(x, &mut rows)?;
        a.download(&y, first)?;
        b.copy_to_peer(&rows, z)?; // after the copy of `c`
        a.fill(&mut rows, 4)?;
        c.copy_to_peer(&fresh, last)?;
        b.download(&rows, second)
    })?;
    Ok(host)
}

/// In many orders of the software driver, which is the process's.
#[test]
fn scopes_copy_behind_what_comes_before() {
    fresh!(scopes_copy_behind_what_comes_before, {
        for contexts in [contexts(), [new_context(), new_context()]] {
            let [first, second] = &contexts;
            let mut stack = ContextStack::current_thread().unwrap();
            let mut outer = stack.push(first).unwrap();
            let stream = outer.stream().unwrap();
            let x = uploaded(&outer, &stream, &[1_u32, 2, 3, 4, 5, 6]);
            let alloc = || outer.on(&stream).zeroed::<u32>(LEN).unwrap();
            let (mut z, mut last) = (alloc(), alloc());
            let seeds = if common::software() { fewer(60, 2) as u64 } else { 1 };
            for seed in 0..seeds {
                scheduled(seed);
                let gpu = outer.push(second).unwrap();
                let host = scope_copies(&gpu, &x, [&mut z, &mut last]).unwrap();
                gpu.pop().unwrap();
                assert_eq!(host, [vec![1, 2, 3, 4, 5, 6], vec![4; LEN]]);
                assert_eq!(downloaded(&outer, &stream, &z), [1, 2, 3, 4, 5, 6]);
                assert_eq!(downloaded(&outer, &stream, &last), [50; LEN]);
                outer.on(&stream).zero(&mut z).unwrap();
                outer.on(&stream).zero(&mut last).unwrap();
            }
            if common::software() {
                let races = control::take_races();
                schedule::stop();
                assert_eq!(races, []);
            }
        }
    });
}

/// Each thread copies from the memory of one context to a context of its own.
#[test]
fn threads_read_memory_of_one_context() {
    let [first, last] = contexts();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&first).unwrap();
    let stream = gpu.stream().unwrap();
    let x = uploaded(&gpu, &stream, &[1_u32, 2, 3, 4, 5, 6]);
    let parts: Vec<u32> = std::thread::scope(|threads| {
        let thread = |part: usize| {
            let (x, last) = (&x, &last);
            threads.spawn(move || -> Result<u32> {
                let mut stack = ContextStack::current_thread()?;
                let gpu = stack.push(last)?;
                let stream = gpu.stream()?;
                let mut y = gpu.alloc(1)?;
                gpu.on(&stream).copy_from_peer(&x.slice(part..=part)?, &mut y)?;
                Ok(gpu.on(&stream).to_vec(&y)?[0])
            })
        };
        let all: Vec<_> = (0..LEN).map(thread).collect();
        assert_eq!(downloaded(&gpu, &stream, &x), [1, 2, 3, 4, 5, 6]);
        all.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
    });
    assert_eq!(parts, [1, 2, 3, 4, 5, 6]);
}

/// Handles that were detached are there for each other once both are attached.
#[test]
fn detached_memory_is_copied_under_both_guards() {
    let [first, second] = contexts();
    let mut stack = ContextStack::current_thread().unwrap();
    let kept = [&first, &second].map(|context| {
        let gpu = stack.push(context).unwrap();
        let stream = gpu.stream().unwrap();
        (gpu.on(&stream).from_slice(&[gpu.device().ordinal() + 1; LEN]).unwrap(), stream).detach()
    });
    let [there, here] = kept;
    let mut outer = stack.push(&first).unwrap();
    let (x, their_stream) = outer.attach(there).unwrap();
    let gpu = outer.push(&second).unwrap();
    let (mut y, stream) = gpu.attach(here).unwrap();
    gpu.on(&stream).copy_from_peer(&x, &mut y).unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [1; LEN]);
    gpu.pop().unwrap();
    // The guard below goes on with its own.
    assert_eq!(downloaded(&outer, &their_stream, &x), [1; LEN]);
}

#[test]
fn devices_tell_of_each_other() {
    let first = Device::get(0).unwrap();
    assert_eq!(first.can_access_peer(first), Ok(false));
    let supported = ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    let itself = first.p2p_attribute(first, supported).unwrap_err();
    assert_eq!(itself.code(), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
    let (first, second) = two_devices!();
    assert_eq!(first.p2p_attribute(second, supported), Ok(1));
    for attribute in [
        ffi::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK,
        ffi::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
        ffi::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED,
        ffi::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED,
    ] {
        assert!(first.p2p_attribute(second, attribute).unwrap() >= 0);
    }
    if ffi::cuDeviceGetP2PAtomicCapabilities().is_ok() {
        let all = [ffi::CU_ATOMIC_OPERATION_INTEGER_ADD, ffi::CU_ATOMIC_OPERATION_FLOAT_ADD];
        assert_eq!(first.p2p_atomic_capabilities(second, &all).unwrap().len(), 2);
        let itself = first.p2p_atomic_capabilities(first, &all).unwrap_err();
        assert_eq!(itself.code(), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
        assert_eq!(first.host_atomic_capabilities(&all).unwrap().len(), 2);
        let none = first.host_atomic_capabilities(&[]).unwrap_err();
        assert_eq!(none.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        let unknown = [ffi::CUatomicOperation(99)];
        let unknown = first.host_atomic_capabilities(&unknown).unwrap_err();
        assert_eq!(unknown.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    }
    let unknown = first.p2p_attribute(second, ffi::CUdevice_P2PAttribute(99)).unwrap_err();
    assert_eq!(unknown.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
}

/// Lets a kernel of the guard's context store a number at an address.
fn store<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    address: u64,
    number: u32,
) -> Result {
    let store = kernel(gpu, STORE, "store");
    // SAFETY: the kernel is store(u32 *, u32) and writes one element, to memory of another device which the caller
    // has borrowed, and to which the context has access.
    unsafe { gpu.on(stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (address, number)) }
}

#[test]
fn kernels_reach_memory_of_a_context_with_access() {
    let (first, second) = two_devices!();
    let [first, second] = [first, second].map(new_context_on);
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&second).unwrap();
    let theirs = outer.stream().unwrap();
    let x = outer.on(&theirs).zeroed::<u32>(2).unwrap();
    let plain = uploaded(&outer, &theirs, &[0_u32, 0]);
    let gpu = outer.push(&first).unwrap();
    let stream = gpu.stream().unwrap();
    let refused = |result: Result, code| assert_eq!(result.unwrap_err().code(), Some(code));
    refused(gpu.disable_peer_access(&second), ffi::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    refused(gpu.enable_peer_access(&first), ffi::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    gpu.enable_peer_access(&second).unwrap();
    refused(gpu.enable_peer_access(&second), ffi::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    store(&gpu, &stream, plain.address() + 4, 5).unwrap();
    // Copies go both ways with access too, also for memory of a pool, to which it has none.
    let mut y = gpu.on(&stream).zeroed::<u32>(2).unwrap();
    gpu.on(&stream).copy_from_peer(&plain, &mut y).unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [0, 5]);
    gpu.on(&stream).copy_from_peer(&x, &mut y).unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [0, 0]);
    gpu.disable_peer_access(&second).unwrap();
    refused(gpu.disable_peer_access(&second), ffi::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    gpu.on(&stream).copy_from_peer(&plain, &mut y).unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [0, 5]);
    foreign::push(second.raw());
    let (on, off) = (gpu.enable_peer_access(&second), gpu.disable_peer_access(&second));
    foreign::pop();
    assert_eq!(on, Err(Error::NotCurrent { call: "cuCtxEnablePeerAccess" }));
    assert_eq!(off, Err(Error::NotCurrent { call: "cuCtxDisablePeerAccess" }));
    gpu.pop().unwrap();
    assert_eq!(downloaded(&outer, &theirs, &plain), [0, 5]);
}

#[test]
fn kernels_reach_memory_of_a_pool_with_access() {
    let (first, second) = two_devices!();
    let pool = MemoryPool::create(second).unwrap();
    assert_eq!(pool.access(second), Ok(PoolAccess::ReadWrite));
    assert_eq!(pool.access(first), Ok(PoolAccess::None));
    let kept = pool.set_access(second, PoolAccess::None).unwrap_err();
    assert_eq!(kept.code(), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
    pool.set_access(second, PoolAccess::ReadWrite).unwrap();

    let [first_context, second_context] = [first, second].map(new_context_on);
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&second_context).unwrap();
    let theirs = outer.stream().unwrap();
    let alloc = || outer.on(&theirs).alloc_from::<u32>(&pool, 1).unwrap();
    let earlier = alloc();
    pool.set_access(first, PoolAccess::ReadWrite).unwrap();
    assert_eq!(pool.clone().access(first), Ok(PoolAccess::ReadWrite));
    let later = alloc();
    let gpu = outer.push(&first_context).unwrap();
    let stream = gpu.stream().unwrap();
    let refused = gpu.on(&stream).alloc_from::<u32>(&pool, 1).unwrap_err().to_string();
    assert!(refused.contains("belong to different devices"), "{refused}");
    store(&gpu, &stream, earlier.address(), 5).unwrap();
    store(&gpu, &stream, later.address(), 6).unwrap();
    gpu.pop().unwrap();
    assert_eq!(downloaded(&outer, &theirs, &earlier), [5]);
    assert_eq!(downloaded(&outer, &theirs, &later), [6]);
    pool.set_access(first, PoolAccess::None).unwrap();
    assert_eq!(pool.access(first), Ok(PoolAccess::None));
}

/// A kernel that uses memory without access costs the process its GPUs, and copies tell.
#[test]
fn behind_a_fault_a_copy_returns_the_error() {
    fresh!(behind_a_fault_a_copy_returns_the_error, {
        let (first, second) = two_devices!();
        let [first, second] = [first, second].map(new_context_on);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&second).unwrap();
        let theirs = outer.stream().unwrap();
        let x = outer.on(&theirs).zeroed::<u32>(2).unwrap();
        let gpu = outer.push(&first).unwrap();
        let stream = gpu.stream().unwrap();
        let mut y = gpu.alloc::<u32>(2).unwrap();
        let lost = Some(ffi::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(store(&gpu, &stream, x.address(), 5).unwrap_err().code(), lost);
        assert_eq!(gpu.on(&stream).copy_from_peer(&x, &mut y).unwrap_err().code(), lost);
        let in_scope = gpu.scope(|s| s.on(&stream).copy_from_peer(&x, &mut s.hold(&mut y)));
        assert_eq!(in_scope.unwrap_err().code(), lost);
    });
}
