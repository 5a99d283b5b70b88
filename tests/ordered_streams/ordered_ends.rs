//! The ends of what belongs to an ordered stream: on threads of the driver, with graphs in flight, after failures.

use crate::common::gpu::{gate, kernel, new_context, with_gpu};
use crate::common::kernels::SPIN;
use crate::common::longer;
use crate::{common, fresh, skip};
use cuscope::detached::Branded;
use cuscope::ordered::OrderedOptions;
use cuscope::{ContextStack, Error, Function, LaunchConfig, OrderedStream, PushedGuard, ffi};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, clear, install, with_fault};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const LEN: usize = 64;
const LONG: Duration = longer(Duration::from_millis(200));

/// The errors of releases.
static REPORTED: Mutex<Vec<Option<&'static str>>> = Mutex::new(Vec::new());

fn report() {
    cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.call()));
}

fn reported() -> Vec<Option<&'static str>> {
    std::mem::take(&mut REPORTED.lock().unwrap())
}

/// Keeps a stream busy.
#[allow(unsafe_code, reason = "launches a kernel")]
fn spin<'ctx>(ordered: &OrderedStream, kernel: &Function<'ctx>) {
    let args = (LONG.as_nanos() as u64,);
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }.unwrap();
}

fn bare<'ctx>(gpu: &PushedGuard<'ctx>) -> OrderedStream {
    let options = OrderedOptions::new().keep(0).staging(0);
    gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap()
}

#[test]
fn a_graph_that_ends_while_its_run_cannot_be_waited_for_keeps_what_that_uses() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_graph_that_ends_while_its_run_cannot_be_waited_for_keeps_what_that_uses, {
        report();
        with_gpu(|gpu| {
            let spinner = kernel(gpu, SPIN, "spin");
            let ordered = gpu.ordered_stream().unwrap();
            for fails in [true, false] {
                let runs = Arc::new(AtomicUsize::new(0));
                let counted = runs.clone();
                let count = move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                };
                let (graph, _) = gpu.build_graph(|g| g.host_function(&[], count)).unwrap();
                spin(&ordered, &spinner);
                ordered.replay(&graph, ()).unwrap();
                let call = if fails { "cuStreamSynchronize" } else { "none" };
                let (which, code) = (Which::Named(call), ffi::CUDA_ERROR_UNKNOWN);
                with_fault(Fault { which, code, performed: false }, || drop(graph));
                let told: &[_] = if fails { &[Some("cuStreamSynchronize")] } else { &[] };
                assert_eq!(reported(), told);
                ordered.synchronize().unwrap();
                assert_eq!(
                    runs.load(Ordering::Relaxed),
                    1,
                    "the function was there when its turn came"
                );
            }
        });
    });
}

#[test]
fn each_failure_at_an_end_is_reported_until_the_device_is_lost() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(each_failure_at_an_end_is_reported_until_the_device_is_lost, {
        report();
        with_gpu(|gpu| {
            let failing = |call, code, end: &mut dyn FnMut()| {
                with_fault(Fault { which: Which::Named(call), code, performed: false }, end);
                reported()
            };
            let memory = |ordered: &OrderedStream| Some(ordered.zeroed::<u32>(LEN).unwrap());
            let ordered = bare(gpu);
            for code in [ffi::CUDA_ERROR_INVALID_VALUE, ffi::CUDA_ERROR_OUT_OF_MEMORY] {
                for _ in 0..2 {
                    let mut x = memory(&ordered);
                    let told = failing("cuMemFreeAsync", code, &mut || drop(x.take()));
                    assert_eq!(told, [Some("cuMemFreeAsync")], "{code:?}");
                }
            }
            // A wait tells, or a release: the first one.
            let graph = |ordered: &OrderedStream| {
                let (graph, _) = gpu.build_graph(|g| g.host_function(&[], || ())).unwrap();
                ordered.replay(&graph, ()).unwrap();
                Some(graph)
            };
            let other = bare(gpu);
            let mut memory = [memory(&ordered), memory(&ordered)];
            let mut graphs = [graph(&other), graph(&other)];
            let lost = ffi::CUDA_ERROR_LAUNCH_FAILED;
            let told = failing("cuMemFreeAsync", lost, &mut || {
                memory.iter_mut().for_each(|x| drop(x.take()))
            });
            assert_eq!(told, [Some("cuMemFreeAsync")]);
            let told = failing("cuStreamSynchronize", lost, &mut || {
                graphs.iter_mut().for_each(|x| drop(x.take()))
            });
            assert_eq!(told, [Some("cuStreamSynchronize")]);
        });
    });
}

/// The hook of the program asks the stream whose memory could not be freed.
#[test]
fn a_hook_asks_the_stream_whose_memory_is_being_freed() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_hook_asks_the_stream_whose_memory_is_being_freed, {
        with_gpu(|gpu| {
            let ordered = Arc::new(gpu.ordered_stream().unwrap());
            let (asked, told) = (ordered.clone(), Arc::new(Mutex::new(Vec::new())));
            let tells = told.clone();
            cuscope::on_release_error(move |_| tells.lock().unwrap().push(asked.usage().kept));
            let code = ffi::CUDA_ERROR_INVALID_VALUE;
            let fault = Fault { which: Which::Named("cuMemFreeAsync"), code, performed: false };
            drop(ordered.zeroed::<u32>(LEN).unwrap());
            ordered.synchronize().unwrap();
            assert_eq!(ordered.usage().kept, 512);
            with_fault(fault, || ordered.trim(0));
            ordered.keep(0);
            let x = ordered.zeroed::<u32>(LEN).unwrap();
            with_fault(fault, || drop(x));
            assert_eq!(*told.lock().unwrap(), [0, 0]);
        });
    });
}

/// What an ordered stream may still use is waited for, wherever that is.
#[test]
fn a_graph_that_ends_on_a_thread_of_the_driver_is_waited_for_later() {
    if !common::software() {
        skip!("only the software driver tells its calls");
    }
    fresh!(a_graph_that_ends_on_a_thread_of_the_driver_is_waited_for_later, {
        report();
        with_gpu(|gpu| {
            let (user, other) = (bare(gpu), bare(gpu));
            let (graph, _) = gpu.build_graph(|g| g.host_function(&[], || ())).unwrap();
            user.replay(&graph, ()).unwrap();
            let graph = graph.detach();
            other.host_function(move || drop(graph)).unwrap();
            other.synchronize().unwrap();
            let (_, calls) = record(|| ContextStack::reentrant(|_| Ok(())).unwrap());
            let at = |name| calls.iter().position(|call| *call == name).expect(name);
            assert!(at("cuStreamSynchronize") < at("cuGraphExecDestroy"), "{calls:?}");
            assert_eq!(reported(), []);
        });
    });
}

/// The driver that was measured does not destroy a graph there (F23). One that does is played.
#[test]
fn a_graph_keeps_what_it_uses_until_its_end_on_a_thread_of_the_driver_is_over() {
    if !common::software() {
        skip!("only the software driver answers on demand");
    }
    fresh!(a_graph_keeps_what_it_uses_until_its_end_on_a_thread_of_the_driver_is_over, {
        report();
        with_gpu(|gpu| {
            let (user, other, shared) = (bare(gpu), bare(gpu), Arc::new(()));
            let build = || {
                let holds = shared.clone();
                gpu.build_graph(|g| g.host_function(&[], move || _ = &holds)).unwrap().0
            };
            let look = || ContextStack::reentrant(|_| Ok(())).unwrap();
            // Nothing runs it, and the driver has it until it is destroyed.
            let graph = build().detach();
            other.host_function(move || drop(graph)).unwrap();
            other.synchronize().unwrap();
            assert_eq!(Arc::strong_count(&shared), 2);
            look();
            assert_eq!(Arc::strong_count(&shared), 1);
            // The stream still runs it.
            let (gate, opened) = gate();
            let graph = build();
            user.host_function(opened).unwrap();
            user.replay(&graph, ()).unwrap();
            let graph = graph.detach();
            let (which, code) = (Which::Named("cuGraphExecDestroy"), ffi::CUDA_SUCCESS);
            let destroyed = Fault { which, code, performed: false };
            other.host_function(move || drop(with_fault(destroyed, || drop(graph)))).unwrap();
            other.synchronize().unwrap();
            assert_eq!(Arc::strong_count(&shared), 2, "the function will be called");
            gate.open();
            look();
            assert_eq!((Arc::strong_count(&shared), reported()), (1, vec![]));
        });
    });
}

#[test]
fn memory_that_ends_on_a_thread_of_the_driver_is_kept_or_freed_later() {
    fresh!(memory_that_ends_on_a_thread_of_the_driver_is_kept_or_freed_later, {
        report();
        with_gpu(|gpu| {
            let ordered = gpu.ordered_stream().unwrap();
            let x = ordered.zeroed::<u32>(LEN).unwrap().detach();
            ordered.host_function(move || drop(x)).unwrap();
            ordered.synchronize().unwrap();
            assert_eq!((ordered.usage().used, ordered.usage().kept), (0, 512));
            assert_eq!(reported(), []);
            let bare = bare(gpu);
            let x = bare.zeroed::<u32>(LEN).unwrap().detach();
            bare.host_function(move || drop(x)).unwrap();
            bare.synchronize().unwrap();
            assert_eq!(reported(), []);
            drop(bare);
            if common::software() {
                assert_eq!(live().allocations, 1, "the block that the other stream keeps");
            }
            assert_eq!(reported(), []);
        });
    });
}

#[test]
fn shared_memory_that_cannot_be_ordered_at_its_end_is_waited_for() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(shared_memory_that_cannot_be_ordered_at_its_end_is_waited_for, {
        report();
        with_gpu(|gpu| {
            let spinner = kernel(gpu, SPIN, "spin");
            let (home, reader) = (bare(gpu), bare(gpu));
            let shared = home.from_slice(&[3_u32; LEN]).unwrap().share();
            let mut copy = reader.alloc::<u32>(LEN).unwrap();
            spin(&reader, &spinner);
            reader.copy(&shared, &mut copy).unwrap();
            let fault = Fault {
                which: Which::Named("cuStreamWaitEvent"),
                code: ffi::CUDA_ERROR_OUT_OF_MEMORY,
                performed: false,
            };
            let (_, calls) = record(|| with_fault(fault, || drop(shared)));
            let expected =
                ["cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize", "cuMemFreeAsync"];
            assert_eq!(calls, expected);
            assert_eq!(reported(), [Some("cuStreamWaitEvent")]);
            assert_eq!(reader.to_vec(&copy).unwrap(), [3; LEN]);
        });
    });
}

#[test]
fn a_hand_over_and_an_upload_that_fail_give_everything_back() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    with_gpu(|gpu| {
        let (one, two) = (bare(gpu), bare(gpu));
        let failing = |call| Fault {
            which: Which::Named(call),
            code: ffi::CUDA_ERROR_OUT_OF_MEMORY,
            performed: false,
        };
        let x = one.from_slice(&[5_u32; LEN]).unwrap();
        let (refused, _) = with_fault(failing("cuStreamWaitEvent"), || two.hand_over(x));
        let mut x = refused.unwrap_err().value.expect("it comes back");
        assert_eq!((one.usage().used, two.usage().used), (4 * LEN, 0));
        assert_eq!(one.to_vec(&x).unwrap(), [5; LEN], "it stayed where it was");
        let pinned = gpu.pinned_from(&[6_u32; LEN]).unwrap();
        let upload = || one.upload_owned(pinned, &mut x);
        let (refused, _) = with_fault(failing("cuMemcpyHtoDAsync_v2"), upload);
        assert_eq!(refused.unwrap_err().value.expect("it comes back")[..], [6; LEN]);
        let (refused, _) = with_fault(failing("cuStreamSynchronize"), || x.into_idle(gpu));
        assert_eq!(one.to_vec(&refused.unwrap_err().value.unwrap()).unwrap(), [5; LEN]);
    });
}

/// The code does not say whether the copy was taken.
#[test]
fn memory_of_an_operation_that_may_have_been_taken_is_waited_for() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    with_gpu(|gpu| {
        let ordered = bare(gpu);
        let x = ordered.from_slice(&[5_u32; LEN]).unwrap();
        let to = gpu.pinned::<u32>(LEN).unwrap();
        let (which, code) = (Which::Named("cuMemcpyDtoHAsync_v2"), ffi::CUresult(54_321));
        let fault = Fault { which, code, performed: true };
        let download = || ordered.download_owned(&x, to);
        let ((refused, _), calls) = record(|| with_fault(fault, download));
        assert_eq!(calls.last(), Some(&"cuStreamSynchronize"));
        assert_eq!(refused.unwrap_err().value.expect("it is over")[..], [5; LEN]);
    });
}

/// Nothing proves that the copy was not taken, or is over.
#[test]
fn memory_of_an_operation_that_cannot_be_waited_for_is_leaked() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(memory_of_an_operation_that_cannot_be_waited_for_is_leaked, {
        with_gpu(|gpu| {
            let ordered = bare(gpu);
            let x = ordered.from_slice(&[5_u32; LEN]).unwrap();
            let to = gpu.pinned::<u32>(LEN).unwrap();
            let before = live().registrations;
            install("cuMemcpyDtoHAsync=54321,cuStreamSynchronize=UNKNOWN".parse().unwrap());
            let refused = ordered.download_owned(&x, to).unwrap_err();
            clear();
            assert_eq!(refused.error.code(), Some(ffi::CUresult(54_321)));
            assert_eq!((refused.value.is_none(), live().registrations), (true, before));
        });
    });
}

/// A wait for the stream may prove what an event does not. If it does not either, the memory stays, whoever waited.
#[test]
fn memory_whose_waits_fail_is_leaked_and_not_given_back() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(memory_whose_waits_fail_is_leaked_and_not_given_back, {
        report();
        with_gpu(|gpu| {
            let ordered = bare(gpu);
            let x = ordered.from_slice(&[3_u32; LEN]).unwrap();
            let failing = |call| {
                let code = ffi::CUDA_ERROR_UNKNOWN;
                Fault { which: Which::Named(call), code, performed: false }
            };
            let (event, stream) = ("cuEventSynchronize", "cuStreamSynchronize");
            let pending = || ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
            let before = live().registrations;

            let one = pending();
            let (_, calls) = record(|| with_fault(failing(event), || drop(one)));
            assert_eq!(calls, [event, event, stream, "cuMemHostUnregister"]);
            assert_eq!((reported(), live().registrations), (vec![Some(event)], before));

            // Without an event there is only the stream.
            let (one, _) = with_fault(failing("cuEventRecord"), pending);
            let (_, calls) = record(|| with_fault(failing(stream), || drop(one)));
            assert_eq!(calls, [stream, stream]);
            assert_eq!((reported(), live().registrations), (vec![Some(stream)], before + 1));

            let (one, _) = with_fault(failing("cuEventRecord"), pending);
            let (waited, _) = with_fault(failing(stream), || one.wait());
            assert_eq!(waited.unwrap_err().call(), Some(stream));
            assert_eq!((reported(), live().registrations), (vec![], before + 2));

            let (mut one, _) = with_fault(failing("cuEventRecord"), pending);
            let (asked, _) = with_fault(failing(stream), || one.try_get());
            assert_eq!(asked.unwrap_err().call(), Some(stream));
            drop(one);
            assert_eq!((reported(), live().registrations), (vec![], before + 3));
        });
    });
}

#[test]
fn a_graph_in_flight_is_waited_for_before_it_changes_or_ends() {
    with_gpu(|gpu| {
        let (spinner, mut stream) = (kernel(gpu, SPIN, "spin"), gpu.stream().unwrap());
        let ordered = gpu.ordered_stream().unwrap();
        let mut x = ordered.zeroed::<u32>(LEN).unwrap();
        let graph = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 1));
        let mut graph = graph.unwrap();
        let node = graph.list_nodes().unwrap()[0];
        spin(&ordered, &spinner);
        ordered.replay(&graph, &mut x).unwrap();
        graph.set_enabled(node, false).unwrap();
        assert!(ordered.query().unwrap(), "it waited");
        assert_eq!(ordered.to_vec(&x).unwrap(), [1; LEN], "the run was not changed");
        graph.set_enabled(node, true).unwrap();
        gpu.recapture(&mut graph, &mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 2))
            .unwrap();
        spin(&ordered, &spinner);
        ordered.replay(&graph, &mut x).unwrap();
        drop(graph);
        assert!(ordered.query().unwrap(), "it waited");
        assert_eq!(ordered.to_vec(&x).unwrap(), [2; LEN]);
    });
}

/// Its memory would be used by two runs, or change under one.
#[test]
fn a_graph_in_flight_is_waited_for_before_it_is_timed_or_built_again() {
    if !common::software() {
        skip!("only the software driver tells its calls");
    }
    with_gpu(|gpu| {
        let (ordered, stream) = (bare(gpu), gpu.stream().unwrap());
        let (mut graph, _) = gpu.build_graph(|g| g.host_function(&[], || ())).unwrap();
        let waited = |calls: &[&str], call: &str| {
            let at = calls.iter().position(|one| *one == call).expect(call);
            calls[..at].contains(&"cuStreamSynchronize")
        };
        ordered.replay(&graph, ()).unwrap();
        let (times, calls) = record(|| gpu.time_nodes(&stream, &mut graph, ()));
        assert!(times.unwrap().len() == 1 && waited(&calls, "cuGraphClone"), "{calls:?}");
        ordered.replay(&graph, ()).unwrap();
        let build =
            || gpu.rebuild_graph(&mut graph, |g| g.host_function(&[], || ()).map(drop)).unwrap();
        let ((in_place, ()), calls) = record(build);
        assert!(in_place && waited(&calls, "cuGraphExecUpdate_v2"), "{calls:?}");
    });
}

#[test]
fn streams_and_memory_end_on_other_threads_and_behind_their_context() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let spinner = kernel(&gpu, SPIN, "spin");
    let (one, two) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
    spin(&one, &spinner);
    let shared = one.from_slice(&[1_u32; LEN]).unwrap().share();
    let mut x = two.alloc(LEN).unwrap();
    two.copy(&shared, &mut x).unwrap();
    let pending = two.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
    let all = (one, two, shared, x).detach();
    drop(spinner);
    drop(gpu);
    drop(stack);
    drop(context);
    std::thread::spawn(move || drop(all)).join().unwrap();
    assert_eq!(pending.wait().unwrap()[..], [1; LEN]);
}

#[test]
fn sizes_that_a_stream_cannot_give_are_refused() {
    // It takes what the streams of other tests keep.
    fresh!(sizes_that_a_stream_cannot_give_are_refused, {
        with_gpu(|gpu| {
            for staging in [usize::MAX, usize::MAX - 3] {
                let options = OrderedOptions::new().staging(staging);
                assert!(gpu.ordered_stream_with(gpu.stream().unwrap(), &options).is_err());
            }
            let ordered = gpu.ordered_stream().unwrap();
            for len in [usize::MAX, usize::MAX / 4, 1 << 60, 1 << 50] {
                let refused = ordered.alloc::<u32>(len).unwrap_err();
                let is_known = matches!(refused, Error::InvalidArgument { .. })
                    || refused.code() == Some(ffi::CUDA_ERROR_OUT_OF_MEMORY);
                assert!(is_known, "{len}: {refused}");
            }
            assert_eq!(ordered.usage(), Default::default());
        });
    });
}
