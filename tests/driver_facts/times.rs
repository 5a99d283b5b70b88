//! The cost of calls beside something else: F95, F96, F107.
//!
//! Times are those of a real device; the software driver is asked the same, and only its results count.

use crate::common::software;
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// The median of so many rounds, each of which gives a time.
fn median(rounds: usize, mut round: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..rounds).map(|_| round()).collect();
    times.sort_unstable();
    times[rounds / 2]
}

/// How long it takes.
fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Adds 1 to a number.
const COUNT: &std::ffi::CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u64 number)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [number];
    atom.global.add.u32 %r1, [%rd1], 1;
    ret;
}
";

/// Returns the graph of 20 kernels that a stream captures.
fn captured(stream: CUstream, function: CUfunction, arguments: &[u64]) -> CUgraphExec {
    ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for _ in 0..20 {
        assert_eq!(launch(function, stream, arguments), SUCCESS);
    }
    let graph: CUgraph = {
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(stream, &raw mut graph));
        graph
    };
    let executable = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphDestroy(graph));
    executable
}

/// F95
#[test]
fn a_graph_of_20_kernels_costs_the_host_less_than_20_launches() {
    fresh!(a_graph_of_20_kernels_costs_the_host_less_than_20_launches, {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        // It does the same.
        let module: CUmodule = made!(cuModuleLoadData(COUNT.as_ptr().cast()));
        let counts = captured(a.stream, kernel(module, c"count"), &[a.memory]);
        for _ in 0..3 {
            ok!(cuGraphLaunch(counts, a.stream));
        }
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(a.value(), 60);

        let nothing = a.kernel(c"nothing");
        let graph = captured(a.stream, nothing, &[]);
        let rounds = if software() { 5 } else { 300 };
        let by_launches = median(rounds, || {
            let taken = time(|| {
                for _ in 0..20 {
                    assert_eq!(launch(nothing, a.stream, &[]), SUCCESS);
                }
            });
            ok!(cuStreamSynchronize(a.stream));
            taken
        });
        let by_graph = median(rounds, || {
            let taken = time(|| ok!(cuGraphLaunch(graph, a.stream)));
            ok!(cuStreamSynchronize(a.stream));
            taken
        });
        println!("20 launches {by_launches:?}, one of a graph {by_graph:?}");
        assert!(software() || by_graph * 3 < by_launches, "{by_graph:?}, {by_launches:?}");
        ok!(cuGraphExecDestroy(graph));
        ok!(cuGraphExecDestroy(counts));
        a.destroy();
    });
}

/// F96
#[test]
fn copies_with_page_locked_memory_are_faster_than_with_pageable() {
    fresh!(copies_with_page_locked_memory_are_faster_than_with_pageable, {
        let (bytes, rounds) = if software() { (4 << 20, 1) } else { (256 << 20, 7) };
        let context = create_context();
        let (from, to): (CUdeviceptr, CUdeviceptr) =
            (made!(cuMemAlloc_v2(bytes)), made!(cuMemAlloc_v2(bytes)));
        let locked: *mut c_void = made!(cuMemAllocHost_v2(bytes));
        let (mut pageable, mut registered) = (vec![1_u8; bytes], vec![2_u8; bytes]);
        ok!(cuMemHostRegister_v2(registered.as_mut_ptr().cast(), bytes, 0));
        // SAFETY: page-locked memory of so many bytes, all of which are written.
        unsafe { locked.cast::<u8>().write_bytes(3, bytes) };

        // Time up, and down, of memory that holds a value throughout.
        let both_ways = |host: *mut c_void, value: u8| {
            let up = median(rounds, || time(|| ok!(cuMemcpyHtoD_v2(from, host, bytes))));
            ok!(cuMemcpyDtoD_v2(to, from, bytes));
            ok!(cuCtxSynchronize());
            let down = median(rounds, || time(|| ok!(cuMemcpyDtoH_v2(host, to, bytes))));
            for i in [0, bytes / 2, bytes - 1] {
                // SAFETY: a byte of the caller's memory, which the copy has written.
                assert_eq!(unsafe { host.cast::<u8>().wrapping_add(i).read() }, value);
            }
            [up, down]
        };
        let by_locked = both_ways(locked, 3);
        let by_registered = both_ways(registered.as_mut_ptr().cast(), 2);
        let by_pageable = both_ways(pageable.as_mut_ptr().cast(), 1);
        let on_device = median(rounds, || {
            time(|| {
                ok!(cuMemcpyDtoD_v2(to, from, bytes));
                ok!(cuCtxSynchronize());
            })
        });
        println!(
            "page-locked {by_locked:?}, registered {by_registered:?}, pageable {by_pageable:?}, \
             on the device {on_device:?}"
        );
        if !software() {
            for way in [0, 1] {
                assert!(by_locked[way] * 3 < by_pageable[way] * 2, "page-locked");
                assert!(by_registered[way] * 3 < by_pageable[way] * 2, "registered");
                assert!(on_device * 5 < by_locked[way], "on the device");
            }
        }
        ok!(cuMemHostUnregister(registered.as_mut_ptr().cast()));
        ok!(cuCtxDestroy_v2(context));
    });
}

/// F107
#[test]
fn an_event_behind_a_launch_costs_little_beside_it() {
    fresh!(an_event_behind_a_launch_costs_little_beside_it, {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        let nothing = a.kernel(c"nothing");
        let other: CUstream = made!(cuStreamCreate(1));
        let event: CUevent = made!(cuEventCreate(CUevent_flags::CU_EVENT_DISABLE_TIMING.bits()));
        let a_launch = || assert_eq!(launch(nothing, a.stream, &[]), SUCCESS);
        let record = || ok!(cuEventRecord(event, a.stream));
        let wait = || ok!(cuStreamWaitEvent(other, event, 0));
        // One beside the other, so that what disturbs the one disturbs the others too.
        let works: [&dyn Fn(); 3] = [
            &a_launch,
            &|| {
                a_launch();
                record();
            },
            &|| {
                a_launch();
                record();
                wait();
            },
        ];
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..if software() { 3 } else { 40 } {
            for (work, times) in works.iter().zip(&mut times) {
                times.extend((0..50).map(|_| time(work)));
                ok!(cuCtxSynchronize());
                each_gives!(SUCCESS; {
                    cuEventQuery(event);
                    cuStreamQuery(other);
                });
            }
        }
        let [alone, recorded, awaited] = times.map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2]
        });
        println!("a launch {alone:?}, with an event {recorded:?}, with a wait {awaited:?}");
        if !software() {
            assert!(recorded * 4 < alone * 5, "{recorded:?} {alone:?}");
            assert!(awaited * 4 < alone * 5, "{awaited:?} {alone:?}");
        }
        ok!(cuEventDestroy_v2(event));
        a.destroy();
    });
}
