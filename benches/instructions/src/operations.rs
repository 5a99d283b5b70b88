//! The operations: each as a loop of the driver's calls by hand, and as a loop of what this crate offers.

use cuscope::ffi::{
    self, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdeviceptr, CUevent,
    CUfunction, CUgraphExec, CUgraphNode, CUresult, CUstream,
};
use cuscope::graph::{KernelNode, MemsetNode};
use cuscope::{
    Context, ContextStack, Detached, DeviceBuffer, Event, Function, Graph, In, Kernel,
    LaunchConfig, OrderedBuffer, OrderedStream, Out, PushedGuard, Result, ScopedBuffer,
    ScopedHostSlice, ScopedStream, SharedBuffer, Stream, SyncStream,
};
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;

/// What hand-written code has in its hands.
pub(crate) struct Raw {
    pub(crate) stream: CUstream,
    pub(crate) event: CUevent,
    pub(crate) function: CUfunction,
    pub(crate) x: CUdeviceptr,
    pub(crate) y: CUdeviceptr,
    pub(crate) host: *mut c_void,
    pub(crate) exec: CUgraphExec,
    pub(crate) node: CUgraphNode,
    pub(crate) context: CUcontext,
}

pub(crate) type Saxpy<'k> = Kernel<(u32, f32, In<f32>, Out<f32>)>;

/// What a user of cuscope has.
pub(crate) struct Ours<'s, 'ctx> {
    pub(crate) gpu: &'s PushedGuard<'ctx>,
    pub(crate) stream: &'s Stream<'ctx>,
    pub(crate) on: SyncStream<'s, 'ctx>,
    pub(crate) event: &'s Event<'ctx>,
    pub(crate) function: &'s Function<'ctx>,
    pub(crate) kernel: &'s Saxpy<'ctx>,
    pub(crate) x: &'s DeviceBuffer<'ctx, f32>,
    pub(crate) y: &'s mut DeviceBuffer<'ctx, f32>,
    pub(crate) host: &'s [f32],
    pub(crate) into: &'s mut [f32],
    pub(crate) graph: &'s Graph<'ctx>,
    /// A graph that was built, and two of its nodes.
    pub(crate) built: &'s mut Graph<'ctx>,
    pub(crate) filled: MemsetNode,
    pub(crate) launched: KernelNode,
    // In a scope.
    pub(crate) scoped: ScopedStream<'s, 'ctx>,
    pub(crate) held: ScopedBuffer<'s, f32>,
    pub(crate) staged: ScopedHostSlice<'s, f32>,
    pub(crate) held_graph: &'s Graph<'ctx>,
    /// Streams that own the order of their memory: one that keeps blocks, and one that keeps none.
    pub(crate) ordered: &'s OrderedStream,
    pub(crate) bare: &'s OrderedStream,
    /// Memory of the first, that is handed over and back, and memory that the second shares.
    pub(crate) own: Option<OrderedBuffer<f32>>,
    pub(crate) shared: &'s SharedBuffer<f32>,
}

/// Elements of every buffer.
pub(crate) const LEN: u32 = 64;
const BYTES: usize = LEN as usize * size_of::<f32>();

#[cold]
#[inline(never)]
pub(crate) fn failed() -> ! {
    eprintln!("the driver that does nothing failed");
    std::process::abort()
}

pub(crate) fn ok(code: CUresult) {
    if code != ffi::CUDA_SUCCESS {
        failed()
    }
}

fn ready(code: CUresult) {
    if code != ffi::CUDA_ERROR_NOT_READY {
        ok(code)
    }
}

pub(crate) fn done<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => failed(),
    }
}

/// Calls of the driver by hand, each checked.
macro_rules! by_hand {
    ($($name:ident($($argument:expr),*)),*) => {{
        $(
            // SAFETY: a driver that does nothing is not given anything that it would use; what it writes
            // is a variable of that type.
            ok(unsafe { ffi::$name($($argument),*) });
        )*
    }};
}

/// A launch by hand with these arguments.
macro_rules! launch {
    ($raw:ident, [$($argument:ident: $value:expr),*]) => {{
        $(let mut $argument = $value;)*
        let mut arguments: [*mut c_void; _] = [$((&raw mut $argument).cast()),*];
        let arguments =
            if arguments.is_empty() { ptr::null_mut() } else { arguments.as_mut_ptr() };
        by_hand!(cuLaunchKernel(
            $raw.function, 1, 1, 1, 64, 1, 1, 0, $raw.stream, arguments, ptr::null_mut()
        ))
    }};
}

/// An operation that is unsafe where there is a device.
macro_rules! unwatched {
    ($operation:expr) => {
        // SAFETY: no device sees it.
        unsafe { $operation }
    };
}

/// A pair of loops for each operation: its name, its title on the page, the calls by hand, the operation.
macro_rules! operations {
    ($($name:ident $title:literal |$r:ident| $by_hand:expr, |$o:ident| $operation:expr;)*) => {
        $(mod $name {
            use super::*;
            // SAFETY: no other function has this name.
            #[unsafe(export_name = concat!("count_raw_", stringify!($name)))]
            #[inline(never)]
            pub(super) fn raw(n: u64, raw: &Raw) {
                black_box($title); // or two equal loops become one
                for _ in 0..n {
                    let $r = black_box(raw);
                    $by_hand;
                }
            }
            // SAFETY: no other function has this name.
            #[unsafe(export_name = concat!("count_ours_", stringify!($name)))]
            #[inline(never)]
            pub(super) fn ours(n: u64, ours: &mut Ours<'_, '_>) {
                black_box($title);
                for _ in 0..n {
                    let $o = black_box(&mut *ours);
                    $operation;
                }
            }
        })*
        /// Their names and titles, in the order of the page.
        pub(crate) const OPERATIONS: &[(&str, &str)] = &[$((stringify!($name), $title)),*];
        /// Does one so many times.
        pub(crate) fn run(name: &str, by_hand: bool, n: u64, raw: &Raw, ours: &mut Ours<'_, '_>) {
            match (name, by_hand) {
                $(
                    (stringify!($name), true) => $name::raw(n, raw),
                    (stringify!($name), false) => $name::ours(n, ours),
                )*
                _ => panic!("no operation `{name}`"),
            }
        }
    };
}

pub(crate) const CONFIG: fn() -> LaunchConfig = || LaunchConfig::new(1, 64);

operations! {
    launch_0 "`SyncStream::launch_unscoped`, no argument"
        |r| launch!(r, []),
        |o| done(unwatched!(o.on.launch_unscoped(o.function, CONFIG(), ())));
    launch_any "`SyncStream::launch_unscoped`, no argument, extents of the run"
        |r| {
            let LaunchConfig { grid, block, shared_bytes } = black_box(CONFIG());
            by_hand!(cuLaunchKernel(
                r.function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, r.stream,
                ptr::null_mut(), ptr::null_mut()
            ))
        },
        |o| done(unwatched!(o.on.launch_unscoped(o.function, black_box(CONFIG()), ())));
    launch_4 "`SyncStream::launch_unscoped`, 4 arguments"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| done(unwatched!(o.on.launch_unscoped(o.function, CONFIG(), (LEN, 2.0_f32, o.x, &mut *o.y))));
    launch_12 "`SyncStream::launch_unscoped`, 12 arguments"
        |r| launch!(r, [a: r.y, b: 1_u32, c: 2_u32, d: 3_u32, e: 4_u32, f: 5_u32, g: 6_u32, h: 7_u32, i: 8_u32, j: 9_u32, k: 10_u32, l: 11_u32]),
        |o| done(unwatched!(o.on.launch_unscoped(
            o.function,
            CONFIG(),
            (&mut *o.y, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32),
        )));
    launch_typed "`SyncStream::launch_unscoped`, a `Kernel` of 4 parameters"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| done(unwatched!(o.on.launch_unscoped(o.kernel, CONFIG(), (LEN, 2.0_f32, o.x, &mut *o.y))));
    launch_wait "`SyncStream::launch_unchecked`, 4 arguments"
        |r| {
            launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]);
            by_hand!(cuStreamSynchronize(r.stream))
        },
        |o| done(unwatched!(o.on.launch_unchecked(o.function, CONFIG(), (LEN, 2.0_f32, o.x, &mut *o.y))));
    fill_unscoped "`SyncStream::fill_unscoped`"
        |r| by_hand!(cuMemsetD32Async(r.y, 1.0_f32.to_bits(), LEN as usize, r.stream)),
        |o| done(unwatched!(o.on.fill_unscoped(o.y, 1.0)));
    fill "`SyncStream::fill`"
        |r| by_hand!(
            cuMemsetD32Async(r.y, 1.0_f32.to_bits(), LEN as usize, r.stream),
            cuStreamSynchronize(r.stream)
        ),
        |o| done(o.on.fill(o.y, 1.0));
    upload "`SyncStream::upload`"
        |r| by_hand!(cuMemcpyHtoDAsync_v2(r.y, r.host, BYTES, r.stream), cuStreamSynchronize(r.stream)),
        |o| done(o.on.upload(o.host, o.y));
    download "`SyncStream::download`"
        |r| by_hand!(cuMemcpyDtoHAsync_v2(r.host, r.x, BYTES, r.stream), cuStreamSynchronize(r.stream)),
        |o| done(o.on.download(o.x, o.into));
    copy "`SyncStream::copy`"
        |r| by_hand!(cuMemcpyDtoDAsync_v2(r.y, r.x, BYTES, r.stream), cuStreamSynchronize(r.stream)),
        |o| done(o.on.copy(o.x, o.y));
    replay "`SyncStream::replay`"
        |r| by_hand!(cuGraphLaunch(r.exec, r.stream), cuStreamSynchronize(r.stream)),
        |o| done(o.on.replay(o.graph, &mut *o.y));
    set_kernel "`PushedGuard::set_kernel_unchecked`, 4 arguments"
        |r| {
            let (mut a, mut b, mut c, mut d) = (LEN, 2.0_f32, r.x, r.y);
            let mut arguments: [*mut c_void; _] =
                [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast(), (&raw mut d).cast()];
            let parameters = CUDA_KERNEL_NODE_PARAMS {
                func: r.function,
                gridDimX: 1,
                gridDimY: 1,
                gridDimZ: 1,
                blockDimX: 64,
                blockDimY: 1,
                blockDimZ: 1,
                sharedMemBytes: 0,
                kernelParams: arguments.as_mut_ptr(),
                extra: ptr::null_mut(),
                kern: ptr::null_mut(),
                ctx: ptr::null_mut(),
            };
            by_hand!(cuGraphExecKernelNodeSetParams_v2(r.exec, r.node, &raw const parameters))
        },
        |o| done(unwatched!(o.gpu.set_kernel_unchecked(
            o.built,
            o.launched,
            o.function,
            CONFIG(),
            (LEN, 2.0_f32, o.x, &mut *o.y)
        )));
    set_fill "`Graph::set_fill`"
        |r| {
            let parameters = CUDA_MEMSET_NODE_PARAMS {
                dst: r.y,
                pitch: 0,
                value: 1.0_f32.to_bits(),
                elementSize: 4,
                width: LEN as usize,
                height: 1,
            };
            by_hand!(cuGraphExecMemsetNodeSetParams(
                r.exec,
                r.node,
                &raw const parameters,
                r.context
            ))
        },
        |o| done(o.built.set_fill(o.filled, 1.0_f32));
    set_enabled "`Graph::set_enabled`"
        |r| by_hand!(cuGraphNodeSetEnabled(r.exec, r.node, 1)),
        |o| done(o.built.set_enabled(o.launched, true));
    record "`SyncStream::record`"
        |r| by_hand!(cuEventRecord(r.event, r.stream)),
        |o| done(o.on.record(o.event));
    wait "`SyncStream::wait`"
        |r| by_hand!(cuStreamWaitEvent(r.stream, r.event, 0)),
        |o| done(o.on.wait(o.event));
    stream_query "`Stream::query`"
        // SAFETY: as in `by_hand`.
        |r| ready(unsafe { ffi::cuStreamQuery(r.stream) }),
        |o| done(o.stream.query());
    stream_synchronize "`Stream::synchronize`"
        |r| by_hand!(cuStreamSynchronize(r.stream)),
        |o| done(o.stream.synchronize());
    event_query "`Event::query`"
        // SAFETY: as in `by_hand`.
        |r| ready(unsafe { ffi::cuEventQuery(r.event) }),
        |o| done(o.event.query());
    event_synchronize "`Event::synchronize`"
        |r| by_hand!(cuEventSynchronize(r.event)),
        |o| done(o.event.synchronize());
    alloc "`PushedGuard::alloc`, dropped"
        |_r| {
            let mut address = 0;
            by_hand!(cuMemAlloc_v2(&raw mut address, BYTES), cuMemFree_v2(address))
        },
        |o| drop(done(o.gpu.alloc::<f32>(LEN as usize)));
    stream_alloc "`SyncStream::alloc_unscoped`, dropped"
        |r| {
            let mut address = 0;
            by_hand!(
                cuMemAllocAsync(&raw mut address, BYTES, r.stream),
                cuMemFreeAsync(address, r.stream)
            )
        },
        |o| drop(done(unwatched!(o.on.alloc_unscoped::<f32>(LEN as usize))));
    scope "`PushedGuard::scope`, with one fill"
        |r| by_hand!(
            cuMemsetD32Async(r.y, 1.0_f32.to_bits(), LEN as usize, r.stream),
            cuStreamSynchronize(r.stream)
        ),
        |o| done(o.gpu.scope(|s| s.on(o.stream).fill(&mut s.hold(&mut *o.y), 1.0)));
    scope_scratch "`ScopedStream::scratch`, dropped"
        |r| {
            let mut address = 0;
            by_hand!(
                cuMemAllocAsync(&raw mut address, BYTES, r.stream),
                cuMemFreeAsync(address, r.stream)
            )
        },
        |o| drop(done(o.scoped.scratch::<f32>(LEN as usize)));
    scope_launch_0 "`ScopedStream::launch_unchecked`, no argument"
        |r| launch!(r, []),
        |o| done(unwatched!(o.scoped.launch_unchecked(o.function, CONFIG(), ())));
    scope_launch_4 "`ScopedStream::launch_unchecked`, 4 arguments"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| done(unwatched!(o.scoped.launch_unchecked(o.function, CONFIG(), (LEN, 2.0_f32, o.x, &mut o.held))));
    scope_launch_12 "`ScopedStream::launch_unchecked`, 12 arguments"
        |r| launch!(r, [a: r.y, b: 1_u32, c: 2_u32, d: 3_u32, e: 4_u32, f: 5_u32, g: 6_u32, h: 7_u32, i: 8_u32, j: 9_u32, k: 10_u32, l: 11_u32]),
        |o| done(unwatched!(o.scoped.launch_unchecked(
            o.function,
            CONFIG(),
            (&mut o.held, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32),
        )));
    scope_launch_typed "`ScopedStream::launch_unchecked`, a `Kernel` of 4 parameters"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| done(unwatched!(o.scoped.launch_unchecked(o.kernel, CONFIG(), (LEN, 2.0_f32, o.x, &mut o.held))));
    scope_upload "`ScopedStream::upload`"
        |r| by_hand!(cuMemcpyHtoDAsync_v2(r.y, r.host, BYTES, r.stream)),
        |o| done(o.scoped.upload(o.host, &mut o.held));
    scope_download "`ScopedStream::download_staged`"
        |r| by_hand!(cuMemcpyDtoHAsync_v2(r.host, r.x, BYTES, r.stream)),
        |o| done(o.scoped.download_staged(o.x, &mut o.staged));
    scope_copy "`ScopedStream::copy`"
        |r| by_hand!(cuMemcpyDtoDAsync_v2(r.y, r.x, BYTES, r.stream)),
        |o| done(o.scoped.copy(o.x, &mut o.held));
    scope_fill "`ScopedStream::fill`"
        |r| by_hand!(cuMemsetD32Async(r.y, 1.0_f32.to_bits(), LEN as usize, r.stream)),
        |o| done(o.scoped.fill(&mut o.held, 1.0));
    scope_zero "`ScopedStream::zero`"
        |r| by_hand!(cuMemsetD8Async(r.y, 0, BYTES, r.stream)),
        |o| done(o.scoped.zero(&mut o.held));
    scope_replay "`ScopedStream::replay`"
        |r| by_hand!(cuGraphLaunch(r.exec, r.stream)),
        |o| done(o.scoped.replay(o.held_graph, &mut o.held));
    scope_record "`ScopedStream::record`"
        |r| by_hand!(cuEventRecord(r.event, r.stream)),
        |o| done(o.scoped.record(o.event));
    scope_wait "`ScopedStream::wait`"
        |r| by_hand!(cuStreamWaitEvent(r.stream, r.event, 0)),
        |o| done(o.scoped.wait(o.event));
    scope_query "`ScopedStream::query`"
        // SAFETY: as in `by_hand`.
        |r| ready(unsafe { ffi::cuStreamQuery(r.stream) }),
        |o| done(o.scoped.query());
    scope_synchronize "`ScopedStream::synchronize`"
        |r| by_hand!(cuStreamSynchronize(r.stream)),
        |o| done(o.scoped.synchronize());
    ordered_step "`OrderedStream`: `alloc`, `launch_unchecked`, dropped, without kept blocks"
        |r| {
            let mut address = 0;
            by_hand!(cuMemAllocAsync(&raw mut address, BYTES, r.stream));
            launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: address]);
            by_hand!(cuMemFreeAsync(address, r.stream))
        },
        |o| {
            let mut x = done(o.bare.alloc::<f32>(LEN as usize));
            done(unwatched!(o.bare.launch_unchecked(o.function, CONFIG(), (LEN, 2.0_f32, o.shared, &mut x))));
        };
    ordered_step_kept "`OrderedStream`: `alloc`, `launch_unchecked`, dropped, with kept blocks"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| {
            let mut x = done(o.ordered.alloc::<f32>(LEN as usize));
            done(unwatched!(o.ordered.launch_unchecked(o.function, CONFIG(), (LEN, 2.0_f32, o.shared, &mut x))));
        };
    ordered_upload "`OrderedStream::upload`"
        |r| {
            // SAFETY: both have as many bytes, and are apart.
            unsafe { ptr::copy_nonoverlapping([1.0_f32; LEN as usize].as_ptr().cast(), r.host, BYTES) };
            by_hand!(cuMemcpyHtoDAsync_v2(r.y, r.host, BYTES, r.stream))
        },
        |o| if let Some(own) = &mut o.own { done(o.ordered.upload(&[1.0; LEN as usize], own)) };
    ordered_fill "`OrderedStream::fill`"
        |r| by_hand!(cuMemsetD32Async(r.y, 1.0_f32.to_bits(), LEN as usize, r.stream)),
        |o| if let Some(own) = &mut o.own { done(o.ordered.fill(own, 1.0)) };
    shared_read "`OrderedStream::copy`, of shared memory of another stream"
        |r| by_hand!(cuMemcpyDtoDAsync_v2(r.y, r.x, BYTES, r.stream)),
        |o| if let Some(own) = &mut o.own { done(o.ordered.copy(o.shared, own)) };
    hand_over "`OrderedStream::hand_over`, there and back"
        |r| by_hand!(
            cuEventRecord(r.event, r.stream),
            cuStreamWaitEvent(r.stream, r.event, 0),
            cuEventRecord(r.event, r.stream),
            cuStreamWaitEvent(r.stream, r.event, 0)
        ),
        |o| if let Some(own) = o.own.take() {
            let there = o.bare.hand_over(own).unwrap_or_else(|_| failed());
            o.own = Some(o.ordered.hand_over(there).unwrap_or_else(|_| failed()));
        };
}

/// What is driven in a context of its own.
pub(crate) type Driven = (Context, Detached<(Stream<'static>, Event<'static>)>);

/// What hand-written code has of the same.
pub(crate) type RawDriven = (ffi::CUcontext, CUstream, CUevent);

/// Operations that need the whole stack, which [`Ours`] has not.
pub(crate) const ON_THE_STACK: &[(&str, &str)] = &[
    ("push_pop", "`ContextStack::push`, `PushedGuard::pop`"),
    ("nested", "two nested contexts, an event record in each"),
];

fn drive(gpu: &PushedGuard<'_>, handles: &Detached<(Stream<'static>, Event<'static>)>) {
    let (stream, event) = done(gpu.bind(handles));
    done(gpu.on(stream).record(event));
}

/// Does one of [`ON_THE_STACK`] so many times.
pub(crate) fn on_the_stack(
    name: &str,
    by_hand: bool,
    n: u64,
    raw: &[RawDriven; 2],
    (stack, driven): (&mut ContextStack, &[Driven; 2]),
) {
    match (name, by_hand) {
        ("push_pop", true) => count_raw_push_pop(n, raw),
        ("push_pop", false) => count_ours_push_pop(n, stack, driven),
        ("nested", true) => count_raw_nested(n, raw),
        ("nested", false) => count_ours_nested(n, stack, driven),
        _ => panic!("no operation `{name}`"),
    }
}

// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_raw_push_pop(n: u64, raw: &[RawDriven; 2]) {
    for _ in 0..n {
        let [(context, ..), _] = *black_box(raw);
        let mut popped = ptr::null_mut();
        by_hand!(cuCtxPushCurrent_v2(context), cuCtxPopCurrent_v2(&raw mut popped));
    }
}

// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_ours_push_pop(n: u64, stack: &mut ContextStack, driven: &[Driven; 2]) {
    let mut ours = (stack, &driven[0].0);
    for _ in 0..n {
        let (stack, context) = black_box(&mut ours);
        done(done(stack.push(context)).pop());
    }
}

// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_raw_nested(n: u64, raw: &[RawDriven; 2]) {
    for _ in 0..n {
        let [(outer, a_stream, a_event), (inner, b_stream, b_event)] = *black_box(raw);
        let mut popped = ptr::null_mut();
        by_hand!(
            cuCtxPushCurrent_v2(outer),
            cuEventRecord(a_event, a_stream),
            cuCtxPushCurrent_v2(inner),
            cuEventRecord(b_event, b_stream),
            cuCtxPopCurrent_v2(&raw mut popped),
            cuCtxPopCurrent_v2(&raw mut popped)
        );
    }
}

// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn count_ours_nested(n: u64, stack: &mut ContextStack, driven: &[Driven; 2]) {
    let mut ours = (stack, driven);
    for _ in 0..n {
        let (stack, [a, b]) = black_box(&mut ours);
        let mut outer = done(stack.push(&a.0));
        drive(&outer, &a.1);
        let inner = done(outer.push(&b.0));
        drive(&inner, &b.1);
        done(inner.pop());
        done(outer.pop());
    }
}
