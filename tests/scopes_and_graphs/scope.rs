//! Stream scopes: results on one stream and on several, in whatever order they are used; all work is
//! waited for, however the closure ends.
#![allow(unsafe_code, reason = "launches kernels, and plays foreign code")]

use crate::common::gpu::{gate, hold, kernel, new_context, with_gpu};
use crate::common::kernels::{SAXPY, SPIN, STORE};
use crate::common::{UNWINDS, fewer, longer};
use crate::fresh;
use cuscope::error::RangeUnit;
use cuscope::{
    Context, ContextStack, Error, Function, LaunchConfig, PushedGuard, Result, ScopedBuffer,
    ScopedStream, Stream, current_context, ffi, scope::Source,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const LEN: usize = fewer(1000, 40);
/// For a kernel that is to be running still after some calls.
const LONG: Duration = longer(Duration::from_millis(300));

/// `y = a * x + y`.
fn saxpy<'s, 'ctx>(
    run: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    a: f32,
    x: &ScopedBuffer<'s, f32>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let n = x.len() as u32;
    let config = LaunchConfig::new(n.div_ceil(32), 32);
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over `n` elements.
    unsafe { run.launch_unchecked(kernel, config, (n, a, x, y)) }
}

/// Keeps a stream busy.
fn spin<'ctx>(run: ScopedStream<'_, 'ctx>, kernel: &Function<'ctx>, time: Duration) -> Result {
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { run.launch_unchecked(kernel, LaunchConfig::new(1, 1), (time.as_nanos() as u64,)) }
}

#[test]
fn results_are_those_of_blocking_calls() {
    with_gpu(|gpu| {
        let kernel = kernel(gpu, SAXPY, "saxpy");
        let streams = [(); 3].map(|()| gpu.stream().unwrap());
        // Each operation on a stream of its own choice: every order of one, two and three streams.
        for choice in (0..3_usize.pow(5)).step_by(fewer(1, 80)) {
            let stream = |operation| &streams[choice / 3_usize.pow(operation) % 3];
            let x: Vec<f32> = (0..LEN).map(|i| i as f32).collect();
            let (mut y, mut z) = (vec![1.0; LEN], vec![0.0; LEN]);
            let (mut x_dev, mut y_dev) = (gpu.alloc(LEN).unwrap(), gpu.alloc(LEN).unwrap());
            gpu.on(&streams[0]).upload(&y, &mut y_dev).unwrap();
            let sum = gpu
                .scope(|s| {
                    let run = |operation| s.on(stream(operation));
                    let (mut x_dev, mut y_dev) = (s.hold(&mut x_dev), s.hold(&mut y_dev));
                    let mut z_dev = run(2).scratch(LEN)?;
                    run(0).upload(&x, &mut x_dev)?;
                    saxpy(run(1), &kernel, 2.0, &x_dev, &mut y_dev)?;
                    run(2).copy(&y_dev, &mut z_dev)?;
                    saxpy(run(3), &kernel, 1.0, &x_dev, &mut y_dev)?;
                    run(4).download(&y_dev, &mut y)?;
                    run(0).zero(&mut y_dev)?; // after the download
                    run(1).download(&z_dev, &mut z)?;
                    Ok(x.iter().sum::<f32>())
                })
                .unwrap();
            assert_eq!(sum, x.iter().sum());
            assert!(y.iter().zip(&x).all(|(y, x)| *y == 3.0 * x + 1.0), "choice {choice}: {y:?}");
            assert!(z.iter().zip(&x).all(|(z, x)| *z == 2.0 * x + 1.0), "choice {choice}: {z:?}");
        }
    });
}

/// A stream that is behind does not let another one overtake it: every kind of crossing, with the first
/// stream kept busy.
#[test]
fn a_use_on_another_stream_waits_for_the_one_before() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (slow, fast) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let time = Duration::from_millis(20);
        let mut buffer = gpu.alloc::<u32>(LEN).unwrap();
        let (mut read, mut again) = ([0; LEN], [0; LEN]);
        let written = [3; LEN];
        gpu.scope(|s| {
            // The second stream comes later: what the first did alone is ordered as well.
            let slow = s.on(&slow);
            let mut held = s.hold(&mut buffer);
            spin(slow, &spinner, time)?;
            slow.fill(&mut held, 1)?;
            let fast = s.on(&fast);
            fast.download(&held, &mut read)?; // a read after a write
            spin(slow, &spinner, time)?;
            slow.fill(&mut held, 2)?;
            fast.upload(&written, &mut held)?; // a write after a write
            spin(fast, &spinner, time)?;
            fast.download(&held, &mut again)?;
            slow.fill(&mut held, 4) // a write after a read
        })
        .unwrap();
        assert_eq!(read, [1; LEN]);
        assert_eq!(again, [3; LEN]);
        let mut last = [0; LEN];
        gpu.on(&fast).download(&buffer, &mut last).unwrap();
        assert_eq!(last, [4; LEN]);
    });
}

/// Exactly the necessary order is made: a stream does not wait for work that another one was given after
/// the operation that it needs.
#[test]
fn a_use_on_another_stream_waits_for_nothing_later() {
    // Alone: the driver may hold this thread up for what others do.
    fresh!(a_use_on_another_stream_waits_for_nothing_later, {
        with_gpu(|gpu| {
            let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let mut buffer = gpu.alloc::<u32>(LEN).unwrap();
            gpu.scope(|s| {
                let (first, second) = (s.on(&first), s.on(&second));
                let mut held = s.hold(&mut buffer);
                first.fill(&mut held, 1)?;
                let (_gate, wait) = gate();
                first.host_function(wait)?;
                second.fill(&mut held, 2)?;
                second.synchronize()?;
                assert!(!first.query()?, "the second stream waited for what came later");
                Ok(())
            })
            .unwrap();
        });
    });
}

#[test]
fn handles_of_one_stream_share_its_order() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut buffer = gpu.alloc::<u16>(LEN).unwrap();
        let mut host = [0; LEN];
        gpu.scope(|s| {
            let mut held = s.hold(&mut buffer);
            assert_eq!((held.len(), held.size_bytes()), (LEN, 2 * LEN));
            s.on(&stream).fill(&mut held, 0x1234)?;
            s.on(&stream).download(&held, &mut host)
        })
        .unwrap();
        assert_eq!(host, [0x1234; LEN]);
    });
}

#[test]
fn fills_have_one_two_and_four_bytes() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut a, mut b, mut c) = ([0_u8; 9], [0_i16; 9], [0_f32; 9]);
        gpu.scope(|s| {
            let run = s.on(&stream);
            let (mut a_dev, mut b_dev) = (run.scratch(9)?, run.scratch(9)?);
            let mut c_dev = run.scratch(9)?;
            run.fill(&mut a_dev, 7)?;
            run.fill(&mut b_dev, -2)?;
            run.fill(&mut c_dev, 0.5)?;
            run.download(&a_dev, &mut a)?;
            run.download(&b_dev, &mut b)?;
            run.download(&c_dev, &mut c)
        })
        .unwrap();
        assert_eq!((a, b, c), ([7; 9], [-2; 9], [0.5; 9]));
    });
}

/// Memory that is only read is a plain buffer, on any number of streams, and its owner's arguments too.
#[test]
fn plain_buffers_are_read_on_all_streams() {
    fn forward<'s, 'ctx>(
        run: ScopedStream<'s, 'ctx>,
        x: impl Source<'s, 'ctx, f32>,
        y: &mut ScopedBuffer<'s, f32>,
    ) -> Result {
        run.copy(x, y)
    }
    with_gpu(|gpu| {
        let kernel = kernel(gpu, STORE, "store");
        let streams = [(); 4].map(|()| gpu.stream().unwrap());
        let mut weights = gpu.alloc::<f32>(LEN).unwrap();
        let mut once = gpu.alloc::<u32>(1).unwrap();
        gpu.on(&streams[0]).fill(&mut weights, 2.5).unwrap();
        let mut results = vec![[0.0; LEN]; 4];
        gpu.scope(|s| {
            for (stream, result) in streams.iter().zip(&mut results) {
                let run = s.on(stream);
                let mut y = run.scratch(LEN)?;
                forward(run, &weights, &mut y)?;
                run.download(&y, result)?;
            }
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe {
                s.on(&streams[0]).launch_unchecked(
                    &kernel,
                    LaunchConfig::new(1, 1),
                    (&mut once, 5_u32),
                )
            }
        })
        .unwrap();
        assert_eq!(results, vec![[2.5; LEN]; 4]);
        let mut host = [0];
        gpu.on(&streams[0]).download(&once, &mut host).unwrap();
        assert_eq!(host, [5]);
    });
}

#[test]
fn a_held_buffer_is_empty_if_it_has_no_elements() {
    with_gpu(|gpu| {
        let (mut some, mut none) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(0).unwrap());
        let (mut host, mut no_host) = ([0_u32; LEN], [0_u32; 0]);
        let (mut pinned, mut no_pinned) =
            (gpu.pinned::<u32>(LEN).unwrap(), gpu.pinned::<u32>(0).unwrap());
        assert_eq!((some.is_empty(), none.is_empty()), (false, true));
        gpu.scope(|s| {
            let device = (s.hold(&mut some), s.hold(&mut none));
            assert_eq!((device.0.is_empty(), device.1.is_empty()), (false, true));
            let staged = (s.stage(&mut host), s.stage(&mut no_host));
            assert_eq!((staged.0.is_empty(), staged.1.is_empty()), (false, true));
            let mapped = (s.map(&mut pinned), s.map(&mut no_pinned));
            assert_eq!((mapped.0.is_empty(), mapped.1.is_empty()), (false, true));
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn staged_memory_comes_back_between_transfers() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        for streams in 1..=2 {
            let streams: Vec<_> = (0..streams).map(|_| gpu.stream().unwrap()).collect();
            let (mut host, mut back) = (vec![0_u32; LEN], vec![0_u32; LEN]);
            gpu.scope(|s| {
                let (up, down) = (s.on(&streams[0]), s.on(streams.last().unwrap()));
                let (mut host, mut back) = (s.stage(&mut host), s.stage(&mut back));
                assert_eq!((host.len(), host.is_empty()), (LEN, false));
                let mut buffer = up.scratch(LEN)?;
                for round in 1..5 {
                    host.access()?.fill(round); // not while the last upload reads it
                    up.upload_staged(&host, &mut buffer)?;
                    spin(up, &spinner, Duration::from_millis(5))?;
                    down.download_staged(&buffer, &mut back)?;
                    assert!(back.access()?.iter().all(|&v| v == round), "round {round}");
                }
                Ok(())
            })
            .unwrap();
            assert_eq!(back[0], 4);
        }
    });
}

/// `access` waits for the transfers of its memory, and not for what the streams were given later.
#[test]
fn access_waits_for_its_own_transfers() {
    fresh!(access_waits_for_its_own_transfers, {
        with_gpu(|gpu| {
            let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let mut host = [7_u32; LEN];
            gpu.scope(|s| {
                let (a, b) = (s.on(&a), s.on(&b));
                let (mut staged, mut buffer) = (s.stage(&mut host), b.scratch(LEN)?);
                b.zero(&mut buffer)?;
                a.upload_staged(&staged, &mut buffer)?;
                let (_gate, wait) = gate();
                a.host_function(wait)?;
                staged.access()?;
                assert!(!a.query()?, "it waited for what came later");
                Ok(())
            })
            .unwrap();
        });
    });
}

/// Runs a scope that keeps a stream busy and ends as `end` does; whether the stream is idle then.
fn idle_after(gpu: &PushedGuard<'_>, end: impl FnOnce() -> Result) -> bool {
    let spinner = kernel(gpu, SPIN, "spin");
    let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut host = [0_u32; LEN];
    let mut buffer = gpu.alloc::<u32>(LEN).unwrap();
    gpu.on(&stream).fill(&mut buffer, 9).unwrap();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        gpu.scope(|s| {
            let gate = hold(&stream);
            spin(s.on(&stream), &spinner, LONG)?;
            spin(s.on(&other), &spinner, Duration::from_millis(20))?;
            s.on(&other).download(&buffer, &mut host)?;
            assert!(!s.on(&stream).query()?, "the stream works");
            gate.open();
            end()
        })
    }));
    let idle = stream.query().unwrap() && other.query().unwrap();
    assert_eq!(host, [9; LEN], "ended with {ended:?}");
    idle
}

#[test]
fn a_scope_waits_however_it_ends() {
    with_gpu(|gpu| {
        assert!(idle_after(gpu, || Ok(())));
        assert!(idle_after(gpu, || Err(Error::StackTaken)));
        if UNWINDS {
            assert!(idle_after(gpu, || panic!("inside a scope")));
        }
        let error = gpu.scope(|_| Err::<(), _>(Error::StackTaken)).unwrap_err();
        assert_eq!(error, Error::StackTaken, "the closure's error comes out");
    });
}

/// A value that is leaked inside a scope changes nothing: the wait is the scope's.
#[test]
fn leaks_inside_do_not_keep_it_from_waiting() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut buffer, mut host) = (gpu.alloc::<u32>(LEN).unwrap(), [0; LEN]);
        gpu.scope(|s| {
            let (a, b, mut held) = (s.on(&a), s.on(&b), s.hold(&mut buffer));
            spin(a, &spinner, Duration::from_millis(20))?;
            a.fill(&mut held, 6)?;
            b.download(&held, &mut host)?;
            std::mem::forget((held, s.stage(&mut [0_u32; 0]), b.scratch::<u8>(64)?));
            Ok(())
        })
        .unwrap();
        assert_eq!(host, [6; LEN]);
    });
}

#[test]
fn scopes_nest() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(LEN).unwrap());
        let (mut inner_host, mut outer_host) = ([0; LEN], [0; LEN]);
        gpu.scope(|outer| {
            let mut x = outer.hold(&mut x);
            outer.on(&a).fill(&mut x, 1)?;
            gpu.scope(|inner| {
                let mut y = inner.hold(&mut y);
                inner.on(&b).fill(&mut y, 2)?;
                inner.on(&a).download(&y, &mut inner_host)
            })?;
            assert_eq!(inner_host, [2; LEN], "the inner scope has waited");
            outer.on(&b).download(&x, &mut outer_host)
        })
        .unwrap();
        assert_eq!(outer_host, [1; LEN]);
    });
}

#[test]
fn lengths_that_differ_are_refused() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (long, mut short, mut staged) = ([0_u8; 5], [0_u8; 3], [0_u8; 5]);
        gpu.scope(|s| {
            let (run, mut staged) = (s.on(&stream), s.stage(&mut staged));
            let (mut four, mut five) = (run.scratch(4)?, run.scratch(5)?);
            let mismatch = |call, from, to| Err(Error::LengthMismatch { call, from, to });
            assert_eq!(run.upload(&long, &mut four), mismatch("cuMemcpyHtoDAsync_v2", 5, 4));
            assert_eq!(run.download(&four, &mut short), mismatch("cuMemcpyDtoHAsync_v2", 4, 3));
            assert_eq!(run.copy(&four, &mut five), mismatch("cuMemcpyDtoDAsync_v2", 4, 5));
            let up = run.upload_staged(&staged, &mut four);
            assert_eq!(up, mismatch("cuMemcpyHtoDAsync_v2", 5, 4));
            let down = run.download_staged(&four, &mut staged);
            assert_eq!(down, mismatch("cuMemcpyDtoHAsync_v2", 4, 5));
            Ok(())
        })
        .unwrap();
    });
}

/// Parts of one buffer are worked on side by side, each on its own stream, after what was done to the whole.
#[test]
fn chunks_are_ordered_each_by_its_own_uses() {
    fresh!(chunks_are_ordered_each_by_its_own_uses, {
        with_gpu(|gpu| {
            let store = kernel(gpu, STORE, "store");
            let streams = [(); 3].map(|()| gpu.stream().unwrap());
            let mut buffer = gpu.alloc::<u32>(10).unwrap();
            let mut host = [0; 10];
            gpu.scope(|s| {
                let runs = [0, 1, 2].map(|i| s.on(&streams[i]));
                let mut held = s.hold(&mut buffer);
                runs[0].fill(&mut held, 9)?; // all of it
                let mut chunks = held.chunks(4)?;
                assert_eq!(chunks.iter().map(ScopedBuffer::len).collect::<Vec<_>>(), [4, 4, 2]);
                let (gate, wait) = gate();
                runs[0].host_function(wait)?;
                for (i, chunk) in chunks.iter_mut().enumerate() {
                    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                    unsafe {
                        runs[i].launch_unchecked(
                            &store,
                            LaunchConfig::new(1, 1),
                            (&mut *chunk, i as u32),
                        )
                    }?;
                }
                runs[1].synchronize()?;
                assert!(!runs[0].query()?, "the second chunk waited for the first");
                gate.open();
                for ((i, chunk), host) in chunks.iter().enumerate().zip(host.chunks_mut(4)) {
                    runs[i].download(chunk, host)?;
                }
                Ok(())
            })
            .unwrap();
            assert_eq!(host, [0, 9, 9, 9, 1, 9, 9, 9, 2, 9]);
        });
    });
}

#[test]
fn parts_are_copied_filled_and_passed_to_kernels() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let kernel = kernel(gpu, SAXPY, "saxpy");
        let input: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let mut plain = gpu.alloc::<f32>(8).unwrap();
        gpu.on(&a).upload(&input, &mut plain).unwrap();
        let (mut low, mut high, mut middle) = ([0.0; 3], [0.0; 5], [0.0; 2]);
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut x, mut y) = a.scratch::<f32>(8)?.split_at(3)?;
            a.fill(&mut x, 1.0)?;
            b.copy(plain.slice(3..)?, &mut y)?;
            let config = LaunchConfig::new(1, 32);
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over 3 elements.
            unsafe {
                a.launch_unchecked(&kernel, config, (3_u32, 2.0_f32, y.slice(..3)?, &mut x))
            }?;
            // SAFETY: as above.
            unsafe {
                b.launch_unchecked(&kernel, config, (3_u32, 1.0_f32, plain.slice(..=2)?, &mut x))
            }?;
            a.download(&x, &mut low)?;
            b.download(&y, &mut high)?;
            a.download(y.slice(1..3)?, &mut middle)
        })
        .unwrap();
        assert_eq!(low, [1.0 + 6.0, 1.0 + 8.0 + 1.0, 1.0 + 10.0 + 2.0]);
        assert_eq!((&high[..], &middle[..]), (&input[3..], &input[4..6]));

        // Outside of a scope too.
        let mut y = gpu.alloc::<f32>(2).unwrap();
        gpu.on(&a).zero(&mut y).unwrap();
        let args = (2_u32, 1.0_f32, plain.slice(6..).unwrap(), &mut y);
        // SAFETY: as above, over 2 elements.
        unsafe { gpu.on(&a).launch_unchecked(&kernel, LaunchConfig::new(1, 32), args) }.unwrap();
        let mut host = [0.0; 2];
        gpu.on(&a).download(&y, &mut host).unwrap();
        assert_eq!(host, [6.0, 7.0]);
    });
}

#[test]
fn parts_outside_of_the_buffer_are_refused() {
    with_gpu(|gpu| {
        let (stream, plain) = (gpu.stream().unwrap(), gpu.alloc::<u8>(4).unwrap());
        let of = |call, end, unit| Some(Error::InvalidRange { call, end, len: 4, unit });
        let refused = |call, end| of(call, end, RangeUnit::Elements);
        assert_eq!(plain.slice(2..5).err(), refused("DeviceBuffer::slice", 5));
        assert_eq!(plain.slice(5..5).err(), refused("DeviceBuffer::slice", 5));
        assert_eq!((plain.slice(1..).unwrap().len(), plain.slice(..).unwrap().len()), (3, 4));
        assert_eq!(plain.slice(1..).unwrap().address(), plain.address() + 1);
        gpu.scope(|s| {
            let held = || s.on(&stream).scratch::<u8>(4);
            assert_eq!(held()?.slice(5..).err(), refused("ScopedBuffer::slice", 4));
            assert_eq!(held()?.split_at(5).err(), refused("ScopedBuffer::split_at", 5));
            assert_eq!(
                held()?.split_at(usize::MAX).err(),
                refused("ScopedBuffer::split_at", usize::MAX)
            );
            assert_eq!(held()?.chunks(0).err(), of("ScopedBuffer::chunks", 0, RangeUnit::Chunk));
            assert_eq!(held()?.chunks(usize::MAX)?.len(), 1);
            Ok(())
        })
        .unwrap();
    });
}

/// A13: where a guard's place is leaked, brands coincide; the raw contexts are compared.
#[test]
fn handles_of_another_context_are_refused() {
    let [a, b]: [&'static Context; 2] =
        [new_context(), new_context()].map(|c| &*Box::leak(Box::new(c)));
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(a).unwrap()));
    let (mut of_a, mut of_a_too) = (outer.alloc::<u32>(4).unwrap(), outer.alloc::<u32>(4).unwrap());
    let (stream_of_a, event_of_a): (Stream<'static>, _) =
        (outer.stream().unwrap(), outer.event().unwrap());
    let store_of_a = kernel(outer, STORE, "store");
    let inner = outer.push(b).unwrap();
    let (stream, event) = (inner.stream().unwrap(), inner.event().unwrap());
    let store = kernel(&inner, STORE, "store");
    let other = |call| Err(Error::OtherContext { call });
    let one = LaunchConfig::new(1, 1);
    let (mut host, mut staged) = ([0; 4], [0; 4]);
    inner
        .scope(|s| {
            let run = s.on(&stream);
            let mut own = run.scratch::<u32>(4)?;
            let mut staged = s.stage(&mut staged);
            let mut held = s.hold(&mut of_a);
            let scratch = s.on(&stream_of_a).scratch::<u32>(4).map(drop);
            assert_eq!(scratch, other("cuMemAllocAsync"));
            assert_eq!(run.fill(&mut held, 1), other("cuMemsetD32Async"));
            assert_eq!(run.zero(&mut held), other("cuMemsetD8Async"));
            assert_eq!(run.upload(&[0; 4], &mut held), other("cuMemcpyHtoDAsync_v2"));
            assert_eq!(run.download(&held, &mut host), other("cuMemcpyDtoHAsync_v2"));
            assert_eq!(run.upload_staged(&staged, &mut held), other("cuMemcpyHtoDAsync_v2"));
            assert_eq!(run.download_staged(&held, &mut staged), other("cuMemcpyDtoHAsync_v2"));
            assert_eq!(run.copy(&held, &mut own), other("cuMemcpyDtoDAsync_v2"));
            assert_eq!(run.copy(&own, &mut held), other("cuMemcpyDtoDAsync_v2"));
            assert_eq!(run.record(&event_of_a), other("cuEventRecord"));
            run.wait(&event_of_a)?;
            // SAFETY: the kernels are store(u32 *, u32); none of them is launched.
            let launched = unsafe { run.launch_unchecked(&store, one, (&mut held, 1_u32)) };
            assert_eq!(launched, other("cuLaunchKernel"));
            // SAFETY: as above.
            let launched = unsafe { run.launch_unchecked(&store_of_a, one, (&mut own, 1_u32)) };
            assert_eq!(launched, other("cuLaunchKernel"));
            // SAFETY: as above.
            let launched = unsafe { run.launch_unchecked(&store, one, (&mut of_a_too, 1_u32)) };
            assert_eq!(launched, other("cuLaunchKernel"));
            // A stream of another context does nothing at all.
            let run = s.on(&stream_of_a);
            assert_eq!(run.fill(&mut own, 1), other("cuMemsetD32Async"));
            assert_eq!(run.record(&event), other("cuEventRecord"));
            assert_eq!(run.wait(&event), other("cuStreamWaitEvent"));
            s.on(&stream).fill(&mut own, 1)
        })
        .unwrap();
    inner.pop().unwrap();
}

/// Ordering may need an event, which belongs to the context of the scope: foreign code set another one.
#[test]
fn a_crossing_while_another_context_is_current_is_ordered() {
    let (a, foreign) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut buffer = gpu.alloc::<u32>(LEN).unwrap();
    let mut host = [0; LEN];
    gpu.scope(|s| {
        let mut held = s.hold(&mut buffer);
        // SAFETY: the context is alive; what was current is put back below.
        assert_eq!(unsafe { ffi::cuCtxSetCurrent(foreign.raw()) }, ffi::CUDA_SUCCESS);
        s.on(&first).fill(&mut held, 5)?; // acts on no current context
        let second = s.on(&second);
        second.fill(&mut held, 6)?;
        assert!(current_context()?.unwrap().is(&foreign), "the same is current");
        // SAFETY: as above.
        assert_eq!(unsafe { ffi::cuCtxSetCurrent(a.raw()) }, ffi::CUDA_SUCCESS);
        second.download(&held, &mut host)
    })
    .unwrap();
    assert_eq!(host, [6; LEN]);
}

/// Whatever events a program records itself.
#[test]
fn events_time_a_stream() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (start, end) = (gpu.event().unwrap(), gpu.event().unwrap());
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            assert!(std::ptr::eq(a.stream(), s.on(a.stream()).stream()));
            a.record(&start)?;
            spin(a, &spinner, Duration::from_millis(20))?;
            a.record(&end)?;
            b.wait(&end)?;
            b.synchronize()?;
            assert!(end.query()?, "the second stream waited for the event");
            Ok(())
        })
        .unwrap();
        assert!(end.elapsed_since(&start).unwrap() >= Duration::from_millis(19));
    });
}
