//! The cost of this crate beside the same calls of the driver, made in turn in one process. On a GPU, and
//! in a release build.
#![allow(unsafe_code, reason = "calls the driver itself, to compare with")]

#[path = "../../examples/pipeline.rs"]
mod pipeline;

use crate::common::gpu::{kernel, new_context, new_context_on, with_primary};
use crate::common::kernels::SPIN;
use crate::{common, skip};
use cuscope::{
    ContextStack, Device, Function, LaunchConfig, OrderedStream, PushedGuard, Stream, ffi,
};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// One at a time, as they measure.
fn pushed(f: impl FnOnce(&PushedGuard<'_>)) {
    let _one = common::one_at_a_time();
    with_primary(|gpu| f(gpu));
}

macro_rules! needs_a_gpu {
    () => {
        if common::software() {
            skip!("measures a GPU");
        }
        if cfg!(debug_assertions) {
            skip!("measures a release build");
        }
    };
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

/// Medians of what ours and the driver's calls take, in seconds, measured in turn.
fn compare(
    name: &str,
    rounds: usize,
    mut ours: impl FnMut() -> Duration,
    mut raw: impl FnMut() -> Duration,
) -> (f64, f64) {
    let (mut all_ours, mut all_raw) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Each goes first as often as the other.
        if round % 2 == 0 {
            all_ours.push(ours());
            all_raw.push(raw());
        } else {
            all_raw.push(raw());
            all_ours.push(ours());
        }
    }
    let (ours, raw) = (median(all_ours), median(all_raw));
    eprintln!("{name}: {:.4e} s, the driver's {raw:.4e} s, ratio {:.3}", ours, ours / raw);
    (ours, raw)
}

fn timed(f: impl FnOnce()) -> Duration {
    let start = Instant::now();
    f();
    start.elapsed()
}

fn ok(code: ffi::CUresult) {
    assert_eq!(code, ffi::CUDA_SUCCESS);
}

fn raw_synchronize(stream: &Stream<'_>) {
    // SAFETY: the stream is alive.
    ok(unsafe { ffi::cuStreamSynchronize(stream.raw()) });
}

/// At most 5 ns more than the two calls of the driver: the record of the thread's stack is plain safe code. On an H200
/// 1.1 to 1.3 ns of 35, and 3.5 of 56 where the processor was slower.
#[test]
fn a_push_and_a_pop_cost_their_calls() {
    needs_a_gpu!();
    const TIMES: u32 = 20_000;
    let _one = common::one_at_a_time();
    let (context, inner) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&context).unwrap();
    let raw = inner.raw();
    let ours = || timed(|| (0..TIMES).for_each(|_| gpu.push(&inner).unwrap().pop().unwrap()));
    let by_hand = || {
        timed(|| {
            for _ in 0..TIMES {
                let mut popped = null_mut();
                // SAFETY: the context is alive.
                ok(unsafe { ffi::cuCtxPushCurrent_v2(raw) });
                // SAFETY: writes one handle to `popped`, which is valid for it; the entry is the one of above.
                ok(unsafe { ffi::cuCtxPopCurrent_v2(&raw mut popped) });
                assert_eq!(popped, raw);
            }
        })
    };
    let (ours, by_hand) = compare("push and pop", 101, ours, by_hand);
    let more = 1e9 * (ours - by_hand) / f64::from(TIMES);
    assert!(more <= 5.0, "{more:.1} ns more");
}

/// At most 1.05 times the bare call and its wait.
#[test]
fn a_copy_of_rows_costs_its_call() {
    needs_a_gpu!();
    const TIMES: u32 = 500;
    pushed(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let from = gpu.alloc_pitched::<f32>((100, 64)).unwrap();
        let mut to = gpu.alloc_pitched::<f32>((100, 64)).unwrap();
        let rows = ffi::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: ffi::CU_MEMORYTYPE_DEVICE,
            srcHost: null_mut(),
            srcDevice: from.address(),
            srcArray: null_mut(),
            srcPitch: from.pitch(),
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: ffi::CU_MEMORYTYPE_DEVICE,
            dstHost: null_mut(),
            dstDevice: to.address(),
            dstArray: null_mut(),
            dstPitch: to.pitch(),
            WidthInBytes: 400,
            Height: 64,
        };
        let raw = || {
            timed(|| {
                for _ in 0..TIMES {
                    // SAFETY: both have the rows, and nothing else uses them.
                    ok(unsafe { ffi::cuMemcpy2DAsync_v2(&raw const rows, stream.raw()) });
                    raw_synchronize(&stream);
                }
            })
        };
        let ours = || timed(|| (0..TIMES).for_each(|_| on.copy(&from, &mut to).unwrap()));
        let (ours, raw) = compare("copies of rows", 41, ours, raw);
        assert!(ours / raw <= 1.05, "{:.0} ns and {:.0} ns", 2e6 * ours, 2e6 * raw);
    });
}

/// Each at least 95 % of what a C program reaches, which has memory of `cuMemAllocHost`.
#[test]
fn pinned_copies_run_at_the_speed_of_the_bus() {
    needs_a_gpu!();
    const BYTES: usize = 256 << 20;
    pushed(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (from, mut to) = (gpu.pinned::<u8>(BYTES).unwrap(), gpu.pinned::<u8>(BYTES).unwrap());
        let mut buffer = gpu.alloc::<u8>(BYTES).unwrap();
        let address = buffer.address();
        let mut host = null_mut::<c_void>();
        // SAFETY: writes one address to `host`, which is valid for it; freed below.
        ok(unsafe { ffi::cuMemAllocHost_v2(&raw mut host, BYTES) });
        let (ours, raw) = compare(
            "upload",
            15,
            || timed(|| on.upload(&from, &mut buffer).unwrap()),
            || {
                timed(|| {
                    // SAFETY: both have so many bytes, and nothing else uses them.
                    ok(unsafe { ffi::cuMemcpyHtoDAsync_v2(address, host, BYTES, stream.raw()) });
                    raw_synchronize(&stream);
                })
            },
        );
        assert!(raw / ours >= 0.95, "{:.1} GB/s", BYTES as f64 / ours / 1e9);
        let (ours, raw) = compare(
            "download",
            15,
            || timed(|| on.download(&buffer, &mut to).unwrap()),
            || {
                timed(|| {
                    // SAFETY: as above.
                    ok(unsafe { ffi::cuMemcpyDtoHAsync_v2(host, address, BYTES, stream.raw()) });
                    raw_synchronize(&stream);
                })
            },
        );
        assert!(raw / ours >= 0.95, "{:.1} GB/s", BYTES as f64 / ours / 1e9);
        // SAFETY: allocated above, and not used any more.
        ok(unsafe { ffi::cuMemFreeHost(host) });
    });
}

/// The driver's calls, and what makes them safe: a count for the buffer and one for its stream. On an H200 14 ns over
/// 676. Memory that every stream can use at once takes 0.9 of C, as this asks for the end where C waits.
#[test]
fn memory_in_the_order_of_a_stream_costs_its_calls() {
    needs_a_gpu!();
    const PAIRS: u32 = 1000;
    pushed(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let raw_pair = |wait: bool| {
            let mut address = 0;
            // SAFETY: writes one address to `address`, which is valid for it.
            ok(unsafe { ffi::cuMemAllocAsync(&raw mut address, 1024, stream.raw()) });
            if wait {
                raw_synchronize(&stream);
            }
            // SAFETY: allocated above, and not used.
            ok(unsafe { ffi::cuMemFreeAsync(address, stream.raw()) });
        };
        let many = |pair: &dyn Fn()| {
            let time = timed(|| (0..PAIRS).for_each(|_| pair()));
            raw_synchronize(&stream);
            time
        };
        let (ours, raw) = compare(
            "1000 allocations and frees",
            41,
            // SAFETY: not used, and freed in the order of its stream.
            || many(&|| drop(unsafe { on.alloc_unscoped::<u8>(1024) }.unwrap())),
            || many(&|| raw_pair(false)),
        );
        assert!(ours / raw <= 1.15, "{:.0} ns and {:.0} ns", 1e6 * ours, 1e6 * raw);
        let (ours, raw) = compare(
            "1000 allocations, waits and frees",
            41,
            || many(&|| drop(on.alloc::<u8>(1024).unwrap())),
            || many(&|| raw_pair(true)),
        );
        assert!(ours / raw <= 1.15, "{:.0} ns and {:.0} ns", 1e6 * ours, 1e6 * raw);
    });
}

/// At most a tenth of the work in the stream, which the allocation would wait for.
#[test]
fn an_allocation_on_a_busy_stream_takes_microseconds() {
    needs_a_gpu!();
    const WORK: Duration = Duration::from_millis(5);
    pushed(|gpu| {
        let (stream, spin) = (gpu.stream().unwrap(), kernel(gpu, SPIN, "spin"));
        drop(gpu.on(&stream).alloc::<u8>(1 << 20).unwrap());
        let one = || {
            // SAFETY: the kernel is spin(u64), and uses no memory.
            unsafe {
                gpu.on(&stream).launch_unscoped(
                    &spin,
                    LaunchConfig::new(1, 1),
                    (WORK.as_nanos() as u64,),
                )
            }
            .unwrap();
            let time = timed(|| drop(gpu.on(&stream).alloc::<u8>(1 << 20).unwrap()));
            stream.synchronize().unwrap();
            time
        };
        let time = median((0..41).map(|_| one()).collect());
        eprintln!("an allocation on a busy stream: {time:.2e} s");
        assert!(time < WORK.as_secs_f64() / 10.0);
    });
}

cuscope::handles! {
    struct Place<'ctx> {
        stream: OrderedStream,
        spin: Function<'ctx>,
    }
}

/// One thread gives two devices kernels of 1 ms: at least 1.95 times the work of one device.
#[test]
fn one_thread_keeps_two_devices_busy() {
    needs_a_gpu!();
    const STEPS: u32 = 200;
    const WORK: u64 = 1_000_000;
    let _one = common::one_at_a_time();
    let devices = Device::all().unwrap();
    if devices.len() < 2 {
        skip!("there is one device");
    }
    let contexts = [devices[0], devices[1]].map(new_context_on);
    let mut stack = ContextStack::current_thread().unwrap();
    let places = contexts.each_ref().map(|context| {
        let gpu = stack.push(context).unwrap();
        let spin = kernel(&gpu, SPIN, "spin");
        Place { stream: gpu.ordered_stream().unwrap(), spin }.detach()
    });
    let mut run = |count: usize| {
        let all = || contexts.iter().zip(&places).take(count);
        timed(|| {
            for _ in 0..STEPS {
                for (context, place) in all() {
                    let gpu = stack.push(context).unwrap();
                    let Place { stream, spin } = gpu.bind(place).unwrap();
                    // SAFETY: the kernel is spin(u64), and uses no memory.
                    unsafe { stream.launch_unchecked(spin, LaunchConfig::new(1, 1), (WORK,)) }
                        .unwrap();
                }
            }
            for (context, place) in all() {
                let gpu = stack.push(context).unwrap();
                gpu.bind(place).unwrap().stream.synchronize().unwrap();
            }
        })
    };
    run(2);
    let [one, two] = [1, 2].map(|count| median((0..11).map(|_| run(count)).collect()));
    let times = 2.0 * one / two;
    eprintln!("two devices from one thread: {times:.3} times the work of one");
    assert!(times >= 1.95, "{times:.3}");
}

/// At most 1.1 times the bare `cuGraphLaunch` of 20 kernels.
#[test]
fn a_replay_in_a_scope_costs_its_launch() {
    needs_a_gpu!();
    const REPLAYS: u32 = 200;
    pushed(|gpu| {
        let (mut captured, stream) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let store = kernel(gpu, common::kernels::STORE, "store");
        let mut x = gpu.alloc::<u32>(1).unwrap();
        let one = LaunchConfig::new(1, 1);

        // SAFETY: the stream is alive, and ended below.
        ok(unsafe {
            ffi::cuStreamBeginCapture_v2(captured.raw(), ffi::CU_STREAM_CAPTURE_MODE_RELAXED)
        });
        for value in 0..20_u32 {
            // SAFETY: the kernel is store(u32 *, u32) and writes one element; it is captured.
            unsafe { gpu.on(&captured).launch_unscoped(&store, one, (&mut x, value)) }.unwrap();
        }
        let (mut template, mut exec) = (null_mut(), null_mut());
        // SAFETY: writes one handle to `template`, which is valid for it.
        ok(unsafe { ffi::cuStreamEndCapture(captured.raw(), &raw mut template) });
        // SAFETY: the graph is alive; writes one handle to `exec`, which is valid for it.
        ok(unsafe { ffi::cuGraphInstantiateWithFlags(&raw mut exec, template, 0) });

        let graph = gpu
            .capture(&mut captured, |c| {
                let (stream, mut x) = (c.stream(), c.hold(&mut x));
                for value in 0..20_u32 {
                    // SAFETY: as above.
                    unsafe { stream.launch_unchecked(&store, one, (&mut x, value)) }?;
                }
                Ok(())
            })
            .unwrap();
        let mut ours = || {
            let mut time = Duration::ZERO;
            gpu.scope(|s| {
                let (stream, mut x) = (s.on(&stream), s.hold(&mut x));
                time = timed(|| {
                    (0..REPLAYS).for_each(|_| stream.replay(&graph, (&mut x,)).unwrap());
                });
                Ok(())
            })
            .unwrap();
            time
        };
        let raw = || {
            let time = timed(|| {
                // SAFETY: graph and stream are alive; `x` is used by nothing else.
                (0..REPLAYS).for_each(|_| ok(unsafe { ffi::cuGraphLaunch(exec, stream.raw()) }));
            });
            raw_synchronize(&stream);
            time
        };
        ours();
        raw();
        let (ours, raw) = compare("200 replays", 41, ours, raw);
        assert!(ours / raw <= 1.1, "{:.0} ns and {:.0} ns", 5e6 * ours, 5e6 * raw);
        // SAFETY: alive, and waited for.
        ok(unsafe { ffi::cuGraphExecDestroy(exec) });
        // SAFETY: alive.
        ok(unsafe { ffi::cuGraphDestroy(template) });
    });
}

/// At least 80 % of the shorter of copies and kernels is hidden.
#[test]
fn a_pipeline_hides_the_shorter_part() {
    needs_a_gpu!();
    pushed(|gpu| {
        for steps in [1_000, 3_000, 9_000] {
            let times = pipeline::measure(gpu, 30, 4 << 20, steps).unwrap();
            let pipeline::Times { serial, copies, kernels, overlapped } = times;
            eprintln!(
                "{steps} steps: serial {serial:.2?}, copies {copies:.2?}, kernels {kernels:.2?}, \
                 all {overlapped:.2?}: {:.3} hidden",
                times.hidden()
            );
            assert!(times.hidden() >= 0.8);
        }
    });
}
