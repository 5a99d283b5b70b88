//! Random sequences of calls on several threads, with handles and sizes that are good, stale, null or
//! wild: whatever they are, each call answers with a code, and none hangs or panics.
//!
//! Left out is what a driver dies of, as this one does on purpose (F6), and what C has no check for:
//! pointers of the program that lead nowhere.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_sys::{
    CU_MEMORYTYPE_DEVICE, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_UNKNOWN,
    CUDA_MEMCPY3D, CUdevice_attribute, CUevent_st, CUmemAccess_flags, CUmemAccessDesc,
    CUmemLocationType, CUpointer_attribute, CUstreamCaptureMode,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestCaseError;
use std::ffi::{c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The size of the host memory that calls read, and of the host memory that they write.
const HOST: usize = 1 << 16;
/// The code that a panic in the driver becomes.
const PANICKED: u32 = CUDA_ERROR_UNKNOWN.0;
/// The faults of work on memory or code that is gone.
const FAULTS: [u32; 2] = [CUDA_ERROR_ILLEGAL_ADDRESS.0, CUDA_ERROR_LAUNCH_FAILED.0];
/// No sequence takes so long.
const TOO_LONG: Duration = Duration::from_secs(120);

const PTX: &std::ffi::CStr = c"
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry count(.param .u64 unused) {
    .reg .b64 %d;
    .reg .b32 %r;
    mov.u64 %d, counter;
    atom.global.add.u32 %r, [%d], 1;
    ret;
}
";

/// A call: which one, and numbers that its arguments are made of.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) thread: usize,
    pub(crate) which: u8,
    pub(crate) picks: [u8; 6],
}

/// Handles and addresses that the sequence got, stale ones too.
#[derive(Default)]
struct Known {
    contexts: Mutex<Vec<usize>>,
    streams: Mutex<Vec<usize>>,
    events: Mutex<Vec<usize>>,
    modules: Mutex<Vec<usize>>,
    functions: Mutex<Vec<usize>>,
    memory: Mutex<Vec<u64>>,
    pinned: Mutex<Vec<usize>>,
    graphs: Mutex<Vec<usize>>,
    execs: Mutex<Vec<usize>>,
    nodes: Mutex<Vec<usize>>,
    pools: Mutex<Vec<usize>>,
}

/// Memory of the host, which threads and the driver use at the same time.
struct Host(Box<[AtomicU64]>);

impl Host {
    fn new() -> Self {
        Host((0..HOST / 8).map(|_| AtomicU64::new(0)).collect())
    }

    fn at(&self, pick: u8) -> *mut c_void {
        if pick % 8 == 7 { null_mut() } else { self.0.as_ptr().cast_mut().cast() }
    }
}

fn noted<T: Copy>(list: &Mutex<Vec<T>>, one: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(one);
}

/// One of a list, mostly.
fn one_of(list: &Mutex<Vec<usize>>, pick: u8) -> usize {
    let list = list.lock().unwrap_or_else(PoisonError::into_inner);
    match pick % 16 {
        0 => 0,
        1 => 0x1230,
        2 => usize::MAX,
        3 => 0x5200_0000_0000_0010,
        _ if list.is_empty() => 0,
        _ => list[pick as usize % list.len()],
    }
}

fn handle<T>(list: &Mutex<Vec<usize>>, pick: u8) -> *mut T {
    std::ptr::with_exposed_provenance_mut(one_of(list, pick))
}

/// A stream: also the default ones.
fn stream_of(known: &Known, pick: u8) -> CUstream {
    match pick % 8 {
        5 => null_mut(),
        6 => std::ptr::without_provenance_mut(1),
        7 => std::ptr::without_provenance_mut(2),
        _ => handle(&known.streams, pick),
    }
}

fn address(known: &Known, pick: u8) -> u64 {
    let list = known.memory.lock().unwrap_or_else(PoisonError::into_inner);
    match pick % 16 {
        0 => 0,
        1 => 0x1234,
        2 => u64::MAX - 3,
        _ if list.is_empty() => 0,
        _ => list[pick as usize % list.len()] + u64::from(pick / 16) % 5,
    }
}

fn size(pick: u8) -> usize {
    [0, 1, 4, 63, 64, 4096, 4097, 1 << 50, usize::MAX, usize::MAX / 2][pick as usize % 10]
}

/// A size of host memory that is there.
fn host_size(pick: u8) -> usize {
    [0, 1, 4, 63, 64, 4096, HOST][pick as usize % 7]
}

extern "C" fn host_function(_: *mut c_void) {}

/// Makes a call; its code.
#[allow(clippy::too_many_lines, reason = "a line or so a call")]
fn make(call: &Call, known: &Known, [read, written]: &[Host; 2]) -> u32 {
    let [a, b, c, d, e, f] = call.picks;
    let flag = |pick: u8| [0, 1, 2, 0x7777][pick as usize % 4] as c_uint;
    let stream = || stream_of(known, a);
    let event = || handle::<CUevent_st>(&known.events, b);
    let (mut number, mut wide, mut other) = (0, 0_u64, 0_usize);
    macro_rules! make {
        ($list:ident, $out:expr => $name:ident($($argument:expr),*)) => {{
            let mut out = null_mut();
            let code = code!($name(if $out % 16 == 15 { null_mut() } else { &raw mut out }, $($argument),*));
            if code == 0 && !out.is_null() {
                noted(&known.$list, out.expose_provenance());
            }
            code
        }};
    }
    let device = i32::from(a % 4) - 1;
    match call.which % 62 {
        0 => make!(contexts, b => cuCtxCreate_v2(flag(c), device)),
        1 => code!(cuCtxDestroy_v2(handle(&known.contexts, a))),
        2 | 3 => {
            // A driver dies of what never was one.
            let context = one_of(&known.contexts, a.max(16) | 4);
            code!(cuCtxPushCurrent_v2(std::ptr::with_exposed_provenance_mut(context)))
        }
        4 => code!(cuCtxPopCurrent_v2(null_mut())),
        5 => make!(contexts, b => cuDevicePrimaryCtxRetain(device)),
        6 => code!(cuDevicePrimaryCtxRelease_v2(device)),
        7 => code!(cuCtxSynchronize()),
        8 => code!(cuCtxGetDevice(&raw mut number)),
        9..=11 => make!(streams, b => cuStreamCreate(flag(c))),
        12 => code!(cuStreamDestroy_v2(stream())),
        13 => code!(cuStreamSynchronize(stream())),
        14 => code!(cuStreamQuery(stream())),
        15 => code!(cuStreamWaitEvent(stream(), event(), flag(c))),
        16 | 17 => make!(events, b => cuEventCreate(flag(c))),
        18 => code!(cuEventRecord(event(), stream())),
        19 => code!(cuEventSynchronize(event())),
        20 => code!(cuEventQuery(event())),
        21 => code!(cuEventElapsedTime(&mut 0.0, event(), handle(&known.events, c))),
        22 => code!(cuEventDestroy_v2(event())),
        23..=26 => {
            let mut memory = 0;
            let code = code!(cuMemAlloc_v2(&raw mut memory, size(a)));
            if code == 0 {
                noted(&known.memory, memory);
            }
            code
        }
        27 => code!(cuMemFree_v2(address(known, a))),
        28 => {
            let mut memory = 0;
            let code = code!(cuMemAllocAsync(&raw mut memory, size(b), stream()));
            if code == 0 {
                noted(&known.memory, memory);
            }
            code
        }
        29 => code!(cuMemFreeAsync(address(known, b), stream())),
        30 => code!(cuMemcpyHtoD_v2(address(known, a), read.at(b), host_size(c))),
        31 => code!(cuMemcpyDtoH_v2(written.at(b), address(known, a), host_size(c))),
        32 => code!(cuMemcpyDtoD_v2(address(known, a), address(known, b), size(c))),
        33 => code!(cuMemcpyHtoDAsync_v2(address(known, b), read.at(c), host_size(d), stream())),
        34 => code!(cuMemcpyDtoHAsync_v2(written.at(c), address(known, b), host_size(d), stream())),
        35 => code!(cuMemcpyPeerAsync(
            address(known, b),
            handle(&known.contexts, d),
            address(known, c),
            handle(&known.contexts, e),
            size(f),
            stream()
        )),
        36 => code!(cuMemsetD8_v2(address(known, a), b, size(c))),
        37 => code!(cuMemsetD32Async(address(known, b), 7, size(c), stream())),
        38 => code!(cuMemsetD2D16Async(address(known, b), size(c), 7, size(d), size(e), stream())),
        39 => {
            // SAFETY: numbers and pointers, for which zero is a value.
            let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
            (copy.srcMemoryType, copy.dstMemoryType) = (CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
            (copy.srcDevice, copy.dstDevice) = (address(known, b), address(known, c));
            (copy.srcPitch, copy.dstPitch) = (size(d), size(e));
            (copy.srcXInBytes, copy.srcZ, copy.dstY) = (size(f) % 99, size(e), size(d) % 3);
            (copy.WidthInBytes, copy.Height, copy.Depth) = (size(f), size(d), size(c) % 3);
            code!(cuMemcpy3DAsync_v2(&raw const copy, stream()))
        }
        40 => {
            let mut memory = 0;
            let (out, pitch) = (&raw mut memory, &raw mut other);
            let code = code!(cuMemAllocPitch_v2(out, pitch, size(a), size(b), u32::from(c % 32)));
            if code == 0 {
                noted(&known.memory, memory);
            }
            code
        }
        41 => make!(pinned, b => cuMemAllocHost_v2(host_size(c))),
        42 => code!(cuMemFreeHost(handle(&known.pinned, a))),
        43 => code!(cuMemGetAddressRange_v2(&raw mut wide, &raw mut other, address(known, a))),
        44 => {
            let mut data = [0_u64; 2];
            let (attribute, of) = (CUpointer_attribute(u32::from(b % 30)), address(known, a));
            code!(cuPointerGetAttribute(data.as_mut_ptr().cast(), attribute, of))
        }
        45 | 46 => {
            let image = if c % 8 == 0 { c".version 99".as_ptr() } else { PTX.as_ptr() };
            make!(modules, b => cuModuleLoadData(image.cast()))
        }
        47 => code!(cuModuleUnload(handle(&known.modules, a))),
        48 | 49 => {
            let name = if c % 8 == 0 { c"none" } else { c"count" };
            make!(functions, b => cuModuleGetFunction(handle(&known.modules, a), name.as_ptr()))
        }
        50..=52 => {
            let mut parameter = (&raw mut wide).cast::<c_void>();
            code!(cuLaunchKernel(
                handle(&known.functions, b),
                u32::from(c % 4),
                1,
                1,
                u32::from(d) % 70,
                1,
                1,
                flag(e),
                stream(),
                if f % 16 == 0 { null_mut() } else { &raw mut parameter },
                null_mut()
            ))
        }
        53 => code!(cuLaunchHostFunc(stream(), Some(host_function), null_mut())),
        54 => code!(cuStreamBeginCapture_v2(stream(), CUstreamCaptureMode(u32::from(b % 4)))),
        55 => make!(graphs, b => capture_end(stream())),
        56 => make!(graphs, b => cuGraphCreate(flag(a) % 2)),
        57 => make!(nodes, b => cuGraphAddEmptyNode(handle(&known.graphs, a), null(), 0)),
        58 => make!(execs, b => cuGraphInstantiateWithFlags(handle(&known.graphs, a), 0)),
        59 => code!(cuGraphLaunch(handle(&known.execs, b), stream())),
        60 => code!(cuGraphDestroy(handle(&known.graphs, a))),
        _ => match b % 9 {
            0 => code!(cuStreamWriteValue32_v2(stream(), address(known, c), 1, flag(d))),
            1 => code!(cuCtxEnablePeerAccess(handle(&known.contexts, c), flag(d) % 2)),
            2 => code!(cuCtxDisablePeerAccess(handle(&known.contexts, c))),
            3 => code!(cuGraphExecDestroy(handle(&known.execs, c))),
            4 => code!(cuDevicePrimaryCtxReset_v2(device)),
            5 => code!(cuMemGetInfo_v2(&raw mut other, null_mut())),
            6 => code!(cuDeviceGetAttribute(
                &raw mut number,
                CUdevice_attribute(u32::from(c)),
                device
            )),
            7 => make!(pools, c => cuDeviceGetMemPool(device)),
            _ => {
                // SAFETY: numbers, for which zeros are a value.
                let mut one: CUmemAccessDesc = unsafe { std::mem::zeroed() };
                one.location.r#type = CUmemLocationType(u32::from(a % 3));
                one.location.anonymous.id = device;
                one.flags = CUmemAccess_flags(flag(d) % 4);
                code!(cuMemPoolSetAccess(handle(&known.pools, c), &raw const one, 1))
            }
        },
    }
}

/// `cuStreamEndCapture` with its result first.
///
/// # Safety
///
/// As for that.
unsafe fn capture_end(graph: *mut CUgraph, stream: CUstream) -> CUresult {
    // SAFETY: the same arguments.
    unsafe { cuStreamEndCapture(stream, graph) }
}

/// Makes the calls, those of each thread in order.
pub(crate) fn run(calls: &[Call], threads: usize) -> Result<(), TestCaseError> {
    ok!(cuInit(0));
    let known = Known::default();
    // Apart, as a program orders what reads memory behind what writes it.
    let host = [(); 2].map(|()| Host::new());
    let mut first = null_mut();
    let code = code!(cuCtxCreate_v2(&raw mut first, 0, 0));
    if code == 0 {
        noted(&known.contexts, first.expose_provenance());
        ok!(cuCtxPopCurrent_v2(null_mut()));
    } else {
        // A thread freed or unloaded what a kernel of another one used: a fault, and the process is lost
        // (F60). Its calls are answered all the same.
        prop_assert!(FAULTS.contains(&code), "the first context: {}", code);
    }
    let over = Arc::new(AtomicBool::new(false));
    let (watched, text) = (over.clone(), format!("{calls:?}"));
    std::thread::spawn(move || {
        let start = Instant::now();
        while !watched.load(Ordering::Relaxed) {
            if start.elapsed() > TOO_LONG {
                eprintln!("these calls hang: {text}");
                std::process::abort();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let panicked = std::thread::scope(|scope| {
        let of = |thread: usize| calls.iter().filter(move |call| call.thread % threads == thread);
        let (known, host) = (&known, &host);
        let work = |thread| {
            move || {
                let contexts = known.contexts.lock().unwrap_or_else(PoisonError::into_inner);
                let context = contexts.first().copied();
                drop(contexts);
                if let Some(context) = context {
                    ok!(cuCtxPushCurrent_v2(std::ptr::with_exposed_provenance_mut(context)));
                }
                of(thread).find(|call| {
                    let code = make(call, known, host);
                    ANSWERS[0].fetch_add(1, Ordering::Relaxed);
                    ANSWERS[1].fetch_add(u64::from(code == 0), Ordering::Relaxed);
                    code == PANICKED
                })
            }
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.filter_map(|end| end.expect("a call panicked")).next()
    });
    // Whatever is left goes with its context.
    for context in known.contexts.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let _over = code!(cuCtxDestroy_v2(std::ptr::with_exposed_provenance_mut(context)));
    }
    for graph in known.graphs.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let _over = code!(cuGraphDestroy(std::ptr::with_exposed_provenance_mut(graph)));
    }
    for device in 0..2 {
        ok!(cuDevicePrimaryCtxReset_v2(device));
        while code!(cuDevicePrimaryCtxRelease_v2(device)) == 0 {}
    }
    over.store(true, Ordering::Relaxed);
    prop_assert!(panicked.is_none(), "the driver panicked in {:?}", panicked);
    Ok(())
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = (0..4_usize, any::<u8>(), any::<[u8; 6]>());
    let call = call.prop_map(|(thread, which, picks)| Call { thread, which, picks });
    prop::collection::vec(call, 1..80)
}

/// How many calls of all sequences there were, and how many succeeded.
static ANSWERS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1500), ..ProptestConfig::default() })]

    #[test]
    fn any_calls_of_a_thread_are_answered(calls in calls()) {
        let _alone = alone();
        run(&calls, 1)?;
    }

    #[test]
    fn any_calls_of_threads_are_answered(calls in calls()) {
        let _alone = alone();
        run(&calls, 3)?;
    }
}

#[test]
fn the_sequences_do_something() {
    // Nothing else counts there, and no fault of other threads' work comes before.
    in_a_child("the_sequences_do_something", || {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..50 {
            let sequence = calls().new_tree(&mut runner).unwrap().current();
            run(&sequence, 1).unwrap();
        }
        let [all, good] = [0, 1].map(|i| ANSWERS[i].load(Ordering::Relaxed));
        assert!(all > 1000 && good * 4 > all, "{good} of {all} calls succeeded");
    });
}
