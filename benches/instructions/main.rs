//! What an operation costs in instructions, beside the same driver calls written by hand. `run.sh` counts
//! them, against a driver that does nothing: `instructions OPERATION raw|ours N` runs an operation `N`
//! times between two marks that callgrind sees, and says how often it allocated.
#![allow(unsafe_code, reason = "calls the driver")]

use cuscope::ffi::{self, CUdeviceptr, CUevent, CUfunction, CUgraphExec, CUresult, CUstream};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, Event, Function, Graph, Held,
    LaunchConfig, OnStream, PinnedBuffer, PushedGuard, Queue, Result, Stream,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts allocations.
struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: hands everything to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(at, layout) }
    }
}

#[cold]
#[inline(never)]
fn failed() -> ! {
    eprintln!("the driver that does nothing failed");
    std::process::abort()
}

/// What hand-written code has in its hands.
struct Raw {
    stream: CUstream,
    event: CUevent,
    functions: [CUfunction; 3],
    x: CUdeviceptr,
    y: CUdeviceptr,
    host: *mut c_void,
    bytes: usize,
    len: usize,
    exec: CUgraphExec,
}

/// What a user of cuscope has.
struct Ours<'s, 'ctx> {
    gpu: &'s PushedGuard<'ctx>,
    stream: &'s Stream<'ctx>,
    on: OnStream<'s, 'ctx>,
    event: &'s Event<'ctx>,
    functions: &'s [Function<'ctx>; 3],
    y: &'s mut DeviceBuffer<'ctx, f32>,
    graph: &'s Graph<'ctx>,
    queue: Queue<'s, 'ctx>,
    read: &'s DeviceBuffer<'ctx, f32>,
    held: Held<'s, f32>,
    host: &'s [f32],
}

const LEN: u32 = 64;

fn ok(code: CUresult) {
    if code != ffi::CUDA_SUCCESS {
        failed()
    }
}

fn done<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => failed(),
    }
}

/// One pair of loops for each operation: its name, the calls by hand, the operation.
macro_rules! operations {
    ($($name:ident, $raw:ident, $ours:ident, |$r:ident| $by_hand:expr, |$o:ident| $operation:expr;)*) => {
        $(
            // SAFETY: no other function has this name.
            #[unsafe(no_mangle)]
            #[inline(never)]
            fn $raw(n: u64, raw: &Raw) {
                black_box(stringify!($raw)); // or two equal loops become one
                for _ in 0..n {
                    let $r = black_box(raw);
                    $by_hand;
                }
            }
            // SAFETY: no other function has this name.
            #[unsafe(no_mangle)]
            #[inline(never)]
            fn $ours(n: u64, ours: &mut Ours<'_, '_>) {
                black_box(stringify!($ours));
                for _ in 0..n {
                    let $o = black_box(&mut *ours);
                    $operation;
                }
            }
        )*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        fn run(name: &str, by_hand: bool, n: u64, raw: &Raw, ours: &mut Ours<'_, '_>) {
            match (name, by_hand) {
                $(
                    (stringify!($name), true) => $raw(n, raw),
                    (stringify!($name), false) => $ours(n, ours),
                )*
                _ => panic!("no operation `{name}`"),
            }
        }
    };
}

/// Launches by hand with these arguments.
macro_rules! launch {
    ($raw:ident, $function:literal, [$($argument:ident: $value:expr),*]) => {{
        $(let mut $argument = $value;)*
        let mut arguments: [*mut c_void; _] = [$((&raw mut $argument).cast()),*];
        let arguments =
            if arguments.is_empty() { ptr::null_mut() } else { arguments.as_mut_ptr() };
        let function = $raw.functions[$function];
        // SAFETY: no device sees it.
        ok(unsafe {
            ffi::cuLaunchKernel(
                function, 1, 1, 1, 64, 1, 1, 0, $raw.stream, arguments, ptr::null_mut(),
            )
        })
    }};
}

operations! {
    launch_0, count_raw_launch_0, count_ours_launch_0,
        |r| launch!(r, 0, []),
        // SAFETY: no device sees it.
        |o| done(unsafe { o.on.launch_unscoped(&o.functions[0], LaunchConfig::new(1, 64), ()) });
    launch_4, count_raw_launch_4, count_ours_launch_4,
        |r| launch!(r, 1, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        // SAFETY: no device sees it.
        |o| done(unsafe {
            o.on.launch_unscoped(
                &o.functions[1], LaunchConfig::new(1, 64), (LEN, 2.0_f32, o.read, &mut *o.y),
            )
        });
    launch_12, count_raw_launch_12, count_ours_launch_12,
        |r| launch!(r, 2, [a: r.y, b: 1_u32, c: 2_u32, d: 3_u32, e: 4_u32, f: 5_u32, g: 6_u32, h: 7_u32, i: 8_u32, j: 9_u32, k: 10_u32, l: 11_u32]),
        // SAFETY: no device sees it.
        |o| done(unsafe {
            o.on.launch_unscoped(
                &o.functions[2],
                LaunchConfig::new(1, 64),
                (&mut *o.y, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32),
            )
        });
    scope_launch_4, count_raw_scope_launch_4, count_ours_scope_launch_4,
        |r| launch!(r, 1, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        // SAFETY: no device sees it.
        |o| done(unsafe {
            o.queue.launch(
                &o.functions[1], LaunchConfig::new(1, 64), (LEN, 2.0_f32, o.read, &mut o.held),
            )
        });
    scope_upload, count_raw_scope_upload, count_ours_scope_upload,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuMemcpyHtoDAsync_v2(r.y, r.host, r.bytes, r.stream) }),
        |o| done(o.queue.upload(o.host, &mut o.held));
    scope_copy, count_raw_scope_copy, count_ours_scope_copy,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuMemcpyDtoDAsync_v2(r.y, r.x, r.bytes, r.stream) }),
        |o| done(o.queue.copy(o.read, &mut o.held));
    scope_fill, count_raw_scope_fill, count_ours_scope_fill,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuMemsetD32Async(r.y, 1.0_f32.to_bits(), r.len, r.stream) }),
        |o| done(o.queue.fill(&mut o.held, 1.0));
    scope_replay, count_raw_scope_replay, count_ours_scope_replay,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuGraphLaunch(r.exec, r.stream) }),
        |o| done(o.queue.replay(o.graph, &mut o.held));
    fill, count_raw_fill, count_ours_fill,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuMemsetD32Async(r.y, 1.0_f32.to_bits(), r.len, r.stream) }),
        // SAFETY: no device sees it.
        |o| done(unsafe { o.on.fill_unscoped(o.y, 1.0) });
    event_record, count_raw_event_record, count_ours_event_record,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuEventRecord(r.event, r.stream) }),
        |o| done(o.on.record(o.event));
    event_wait, count_raw_event_wait, count_ours_event_wait,
        // SAFETY: no device sees it.
        |r| ok(unsafe { ffi::cuStreamWaitEvent(r.stream, r.event, 0) }),
        |o| done(o.on.wait(o.event));
    event_query, count_raw_event_query, count_ours_event_query,
        |r| {
            // SAFETY: no device sees it.
            let code = unsafe { ffi::cuEventQuery(r.event) };
            if code != ffi::CUDA_ERROR_NOT_READY { ok(code) }
        },
        |o| done(o.event.query());
    stream_query, count_raw_stream_query, count_ours_stream_query,
        |r| {
            // SAFETY: no device sees it.
            let code = unsafe { ffi::cuStreamQuery(r.stream) };
            if code != ffi::CUDA_ERROR_NOT_READY { ok(code) }
        },
        |o| done(o.stream.query());
    alloc_free, count_raw_alloc_free, count_ours_alloc_free,
        |r| {
            let mut address = 0;
            // SAFETY: writes one address.
            ok(unsafe { ffi::cuMemAlloc_v2(&raw mut address, r.bytes) });
            // SAFETY: allocated before.
            ok(unsafe { ffi::cuMemFree_v2(address) })
        },
        |o| drop(done(o.gpu.alloc::<f32>(LEN as usize)));
    stream_alloc_free, count_raw_stream_alloc_free, count_ours_stream_alloc_free,
        |r| {
            let mut address = 0;
            // SAFETY: writes one address.
            ok(unsafe { ffi::cuMemAllocAsync(&raw mut address, r.bytes, r.stream) });
            // SAFETY: allocated before.
            ok(unsafe { ffi::cuMemFreeAsync(address, r.stream) })
        },
        // SAFETY: no device sees it.
        |o| drop(done(unsafe { o.on.alloc_unscoped::<f32>(LEN as usize) }));
}

/// Two contexts at a time, each current in its turn: not an operation on `Ours`, as it takes the stack.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_raw_push_pop(n: u64, context: &Context) {
    for _ in 0..n {
        let raw = black_box(context).raw();
        let mut popped = ptr::null_mut();
        // SAFETY: a live context.
        ok(unsafe { ffi::cuCtxPushCurrent_v2(raw) });
        // SAFETY: pushed before.
        ok(unsafe { ffi::cuCtxPopCurrent_v2(&raw mut popped) });
    }
}
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_ours_push_pop(n: u64, stack: &mut ContextStack, context: &Context) {
    for _ in 0..n {
        let gpu = done(black_box(&mut *stack).push(black_box(context)));
        done(gpu.pop());
    }
}

fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, by_hand, n] = &*arguments else {
        println!("push_pop {}", NAMES.join(" "));
        return Ok(());
    };
    let (by_hand, n) = (by_hand == "raw", n.parse().expect("how many"));

    let device = Device::get(0)?;
    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    if name == "push_pop" {
        let before = ALLOCATIONS.load(Relaxed);
        if by_hand {
            count_raw_push_pop(n, &context);
        } else {
            count_ours_push_pop(n, &mut stack, &context);
        }
        println!("{}", ALLOCATIONS.load(Relaxed) - before);
        return Ok(());
    }

    let gpu = stack.push(&context)?;
    let (stream, event) = (gpu.stream()?, gpu.event()?);
    let module = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
    let functions =
        [module.function("saxpy")?, module.function("saxpy")?, module.function("saxpy")?];
    let len = LEN as usize;
    let read = gpu.alloc::<f32>(len)?;
    let (mut y, mut held) = (gpu.alloc::<f32>(len)?, gpu.alloc::<f32>(len)?);
    let host: PinnedBuffer<f32> = gpu.pinned(len)?;
    let mut captured = gpu.stream()?;
    let graph = gpu.capture(&mut captured, |c| {
        let mut held = c.hold(&mut held);
        c.queue().fill(&mut held, 1.0)
    })?;
    let raw = Raw {
        stream: stream.raw(),
        event: event.raw(),
        functions: [functions[0].raw(), functions[1].raw(), functions[2].raw()],
        x: read.address(),
        y: y.address(),
        host: host.as_ptr().cast_mut().cast(),
        bytes: len * size_of::<f32>(),
        len,
        exec: ptr::without_provenance_mut(0x100),
    };
    gpu.scope(|s| {
        let mut ours = Ours {
            gpu: &gpu,
            stream: &stream,
            on: gpu.on(&stream),
            event: &event,
            functions: &functions,
            y: &mut y,
            graph: &graph,
            queue: s.on(&stream),
            read: &read,
            held: s.hold(&mut held),
            host: &host,
        };
        // What a queue keeps for each buffer is made at its first use.
        run(name, by_hand, 1, &raw, &mut ours);
        let before = ALLOCATIONS.load(Relaxed);
        run(name, by_hand, n, &raw, &mut ours);
        println!("{}", ALLOCATIONS.load(Relaxed) - before);
        Ok(())
    })
}
