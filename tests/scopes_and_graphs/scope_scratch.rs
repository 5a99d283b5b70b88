//! Memory that a scope allocates and frees in the order of its streams.
#![allow(unsafe_code, reason = "launches kernels, and plays foreign code")]

use crate::common::foreign;
use crate::common::gpu::{gate, kernel, with_gpu};
use crate::common::kernels::{SPIN, STORE};
use crate::common::{fewer, panics};
use crate::{common, fresh, skip};
use cuscope::{
    Context, Error, Function, LaunchConfig, MemoryPool, PushedGuard, Result, ScopedStream, ffi,
};
use cuscope_softdriver::control::{live, record, take_races};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::sync::Mutex;
use std::time::Duration;

const ALLOC: &str = "cuMemAllocAsync";
const FREE: &str = "cuMemFreeAsync";
const LAUNCH: &str = "cuLaunchKernel";
const FILL: &str = "cuMemsetD32Async";
const RECORD: &str = "cuEventRecord";
const WAIT: &str = "cuStreamWaitEvent";
const SYNCHRONIZE: &str = "cuStreamSynchronize";
/// An event is made.
const CREATE: [&str; 2] = ["cuCtxGetCurrent", "cuEventCreate"];

fn spin<'ctx>(stream: ScopedStream<'_, 'ctx>, spinner: &Function<'ctx>, time: Duration) -> Result {
    let nanoseconds = time.as_nanos() as u64;
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { stream.launch_unchecked(spinner, LaunchConfig::new(1, 1), (nanoseconds,)) }
}

/// Leaves a test that counts, unless the software driver does.
macro_rules! counted {
    () => {
        if !common::software() {
            skip!("only the software driver counts");
        }
    };
}

/// On one stream, and on one of several, a step is three calls.
#[test]
fn a_step_on_one_stream_makes_the_calls_of_c() {
    counted!();
    with_gpu(|gpu| {
        let store = kernel(gpu, STORE, "store");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        for streams in [1, 2] {
            let ((), calls) = record(|| {
                gpu.scope(|s| {
                    let run = s.on(&a);
                    let _other = (streams == 2).then(|| s.on(&b));
                    for _ in 0..3 {
                        let mut x = run.scratch::<u32>(8)?;
                        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                        unsafe {
                            run.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 7_u32))
                        }?;
                    }
                    Ok(())
                })
                .unwrap();
            });
            let steps = [ALLOC, LAUNCH, FREE].repeat(3);
            assert_eq!(calls, [steps, vec![SYNCHRONIZE; streams]].concat());
        }
    });
}

/// A use on another stream waits for the allocation, and the free waits for that use.
#[test]
fn allocation_and_free_are_ordered_with_uses_elsewhere() {
    counted!();
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b) = (s.on(&a), s.on(&b));
                b.fill(&mut a.scratch(8)?, 1_u32)
            })
            .unwrap();
        });
        let crossing = |rest: &[&'static str]| [&CREATE, rest].concat();
        let expected = [
            vec![ALLOC],
            crossing(&[RECORD, WAIT, FILL]),
            crossing(&[RECORD, WAIT, FREE]),
            vec![SYNCHRONIZE; 2],
            vec!["cuEventDestroy_v2"; 2],
        ];
        assert_eq!(calls, expected.concat());

        // The work of one stream with it while it was alone is not waited for.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let a = s.on(&a);
                let mut x = a.scratch(8)?;
                a.fill(&mut x, 1_u32)?;
                let _b = s.on(&b);
                drop(x);
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(calls, [ALLOC, FILL, FREE, SYNCHRONIZE, SYNCHRONIZE]);

        // So if it was freed before there was another stream.
        let mut other = gpu.alloc::<u32>(8).unwrap();
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, mut other) = (s.on(&a), s.hold(&mut other));
                a.fill(&mut a.scratch(8)?, 1_u32)?;
                let _b = s.on(&b);
                a.fill(&mut other, 1)
            })
            .unwrap();
        });
        assert_eq!(calls, [ALLOC, FILL, FREE, FILL, SYNCHRONIZE, SYNCHRONIZE]);
    });
}

/// The last part frees the memory, after the uses of all of them.
#[test]
fn parts_are_freed_together() {
    counted!();
    with_gpu(|gpu| {
        let streams = [(); 3].map(|()| gpu.stream().unwrap());
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let [a, b, c] = streams.each_ref().map(|stream| s.on(stream));
                let (mut low, high) = a.scratch::<u32>(8)?.split_at(4)?;
                let mut high = high.chunks(2)?;
                b.fill(&mut low, 1)?;
                c.fill(&mut high[0], 2)?;
                drop(low);
                drop(high.remove(0));
                let ((), calls) = record(|| drop(high));
                let order = calls.iter().filter(|call| **call == WAIT).count();
                assert_eq!((order, calls.last()), (2, Some(&FREE)), "{calls:?}");
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(calls.iter().filter(|call| **call == FREE).count(), 1, "{calls:?}");

        // Without uses elsewhere nothing waits, however it is split.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, _b) = (s.on(&streams[0]), s.on(&streams[1]));
                let mut parts = a.scratch::<u32>(8)?.chunks(3)?;
                parts.iter_mut().try_for_each(|part| a.fill(part, 3))
            })
            .unwrap();
        });
        assert!(calls.contains(&FREE) && !calls.contains(&WAIT), "{calls:?}");
    });
}

/// Neither the allocation nor the free waits on the host for what the stream does.
#[test]
fn nothing_waits_on_the_host() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        // The first use of a pool, and of an event, may take longer.
        gpu.scope(|s| s.on(&b).zero(&mut s.on(&a).scratch::<u32>(8)?)).unwrap();
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (_gate, wait) = gate();
            a.host_function(wait)?;
            for _ in 0..fewer(3, 1) {
                b.zero(&mut a.scratch::<u32>(8)?)?;
            }
            assert!(!a.query()?, "it waited");
            Ok(())
        })
        .unwrap();
    });
}

/// Values go through memory of one stream after the other, which the pool hands out again.
#[test]
fn values_go_through_memory_that_is_used_again() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let streams = [(); 3].map(|()| gpu.stream().unwrap());
        let mut results = vec![[0_u32; 8]; fewer(60, 6)];
        gpu.scope(|s| {
            for (step, result) in results.iter_mut().enumerate() {
                let on = |n: usize| s.on(&streams[(step * 2 + n) % 3]);
                let mut x = on(0).scratch(8)?;
                spin(on(1), &spinner, Duration::from_micros(100))?;
                on(1).fill(&mut x, step as u32)?;
                on(2).download(&x, result)?;
            }
            Ok(())
        })
        .unwrap();
        assert!(results.iter().zip(0..).all(|(result, step)| *result == [step; 8]), "{results:?}");
        if common::software() {
            assert_eq!(take_races(), []);
        }
    });
}

/// A scope allocates as often as it likes, in the memory of one step.
#[test]
fn a_long_loop_needs_the_memory_of_one_step() {
    counted!();
    fresh!(a_long_loop_needs_the_memory_of_one_step, {
        with_gpu(|gpu| {
            let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let pool = MemoryPool::default_of(gpu.device()).unwrap();
            let before = live();
            for streams in [1, 2] {
                pool.reset_high_marks().unwrap();
                let ((), calls) = record(|| {
                    gpu.scope(|s| {
                        let (a, other) = (s.on(&a), if streams == 1 { &a } else { &b });
                        let other = s.on(other);
                        for step in 0..fewer(100_000, 20) {
                            let mut x = a.scratch::<u32>(1024)?;
                            other.fill(&mut x, 1)?;
                            let mut parts = x.chunks(512)?;
                            a.fill(&mut parts[0], 2)?;
                            if step % 100 == 0 {
                                a.synchronize()?;
                            }
                        }
                        Ok(())
                    })
                    .unwrap();
                });
                assert_eq!(pool.usage().unwrap().used_high, 4096, "on {streams}");
                let count = |name| calls.iter().filter(|call| **call == name).count();
                assert_eq!(count(ALLOC), count(FREE));
                assert!(count("cuEventCreate") <= 4, "{}", count("cuEventCreate"));
                assert_eq!(live(), before);
            }
        });
    });
}

/// Errors and panics of the closure free the memory. What is leaked is freed when the scope has waited.
#[test]
fn nothing_is_left_however_a_scope_ends() {
    counted!();
    fresh!(nothing_is_left_however_a_scope_ends, {
        with_gpu(|gpu| {
            let spinner = kernel(gpu, SPIN, "spin");
            let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let before = live();
            let run = |end: &dyn Fn() -> Result| {
                gpu.scope(|s| {
                    let (a, b) = (s.on(&a), s.on(&b));
                    let mut x = a.scratch::<u32>(8)?;
                    spin(b, &spinner, Duration::from_millis(5))?;
                    b.fill(&mut x, 1)?;
                    end()
                })
            };
            run(&|| Ok(())).unwrap();
            assert_eq!(live(), before);
            assert_eq!(run(&|| Err(Error::StackTaken)), Err(Error::StackTaken));
            assert_eq!(live(), before);
            let panic = || panic!("in the scope");
            assert!(panics(|| run(&panic)));
            assert_eq!(live(), before);

            let ((), calls) = record(|| {
                gpu.scope(|s| {
                    let (low, mut high) = s.on(&a).scratch::<u32>(8)?.split_at(4)?;
                    s.on(&b).fill(&mut high, 1)?;
                    std::mem::forget(low);
                    Ok(())
                })
                .unwrap();
            });
            let waits = calls.iter().rposition(|call| *call == SYNCHRONIZE);
            assert!(calls.iter().position(|call| *call == FREE) > waits, "{calls:?}");
            a.synchronize().unwrap();
            assert_eq!(live(), before);
            assert_eq!(take_races(), []);
        });
    });
}

/// The errors that the hook was told.
static REPORTED: Mutex<Vec<Error>> = Mutex::new(Vec::new());

fn report(error: &Error) {
    REPORTED.lock().unwrap().push(error.clone());
}

/// Runs `drop_it` on memory that another stream uses, and returns what is reported. The memory is freed after the
/// wait.
fn kept(gpu: &PushedGuard<'_>, drop_it: impl FnOnce(&mut dyn FnMut())) -> Vec<Error> {
    let spinner = kernel(gpu, SPIN, "spin");
    let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    REPORTED.lock().unwrap().clear();
    let ((), calls) = record(|| {
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let mut x = a.scratch::<u32>(8)?;
            spin(b, &spinner, Duration::from_millis(20))?;
            b.fill(&mut x, 1)?;
            let mut x = Some(x);
            drop_it(&mut || drop(x.take()));
            a.synchronize()
        })
        .unwrap();
    });
    if common::software() {
        let frees = calls.iter().position(|call| *call == FREE).unwrap();
        assert_eq!(calls[frees - 2..=frees], [SYNCHRONIZE, SYNCHRONIZE, FREE], "behind the waits");
        assert_eq!(take_races(), []);
    }
    a.synchronize().unwrap();
    REPORTED.lock().unwrap().clone()
}

/// If an event is refused, the memory is freed when the scope has waited.
#[test]
fn memory_whose_free_cannot_be_ordered_is_kept_until_the_scope_has_waited() {
    counted!();
    fresh!(memory_whose_free_cannot_be_ordered_is_kept_until_the_scope_has_waited, {
        with_gpu(|gpu| {
            cuscope::on_release_error(report);
            for call in [RECORD, WAIT, "cuEventCreate"] {
                let before = live();
                let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
                let fault = Fault { which: Which::Named(call), code, performed: false };
                let reported = kept(gpu, |drop_it| {
                    let ((), failed) = with_fault(fault, drop_it);
                    assert_eq!(failed, [call]);
                });
                assert_eq!(reported.len(), 1, "{reported:?}");
                assert_eq!((reported[0].call(), reported[0].code()), (Some(call), Some(code)));
                assert_eq!(live(), before);
            }
        });
    });
}

/// The event that orders the free is created in the scope's context, whatever is current.
#[test]
fn memory_that_is_dropped_while_another_context_is_current_is_freed_in_order() {
    counted!();
    fresh!(memory_that_is_dropped_while_another_context_is_current_is_freed_in_order, {
        with_gpu(|gpu| {
            let other = Context::primary(gpu.device()).unwrap();
            let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let before = live();
            let ((), calls) = record(|| {
                gpu.scope(|s| {
                    let mut x = s.on(&a).scratch::<u32>(8)?;
                    s.on(&b).fill(&mut x, 1)?;
                    foreign::push(other.raw());
                    drop(x);
                    foreign::pop();
                    Ok(())
                })
                .unwrap();
            });
            let wait = calls.iter().position(|call| *call == SYNCHRONIZE);
            assert!(calls.iter().position(|call| *call == FREE) < wait, "{calls:?}");
            a.synchronize().unwrap();
            assert_eq!(live(), before);
        });
    });
}

#[test]
fn sizes_that_no_memory_has_are_refused() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        gpu.scope(|s| {
            let stream = s.on(&stream);
            let refused = stream.scratch::<u32>(usize::MAX).unwrap_err();
            assert!(matches!(refused, Error::InvalidArgument { call: ALLOC, .. }), "{refused}");
            let refused = stream.scratch::<u8>(1 << 50).unwrap_err();
            assert_eq!(refused.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
            stream.zero(&mut stream.scratch::<u8>(3)?)
        })
        .unwrap();
        if common::software() {
            let ((), calls) = record(|| {
                gpu.scope(|s| {
                    let stream = s.on(&stream);
                    stream.zero(&mut stream.scratch::<u32>(0)?)
                })
                .unwrap();
            });
            assert_eq!(calls, [SYNCHRONIZE], "no elements have no memory");
        }
    });
}
