//! A scope makes the driver calls of hand-written C: counted by the software driver.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, skip};
use cuscope::{LaunchConfig, ScopedHostSlice};
use cuscope_softdriver::control::record;

const UPLOAD: &str = "cuMemcpyHtoDAsync_v2";
const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
const LAUNCH: &str = "cuLaunchKernel";
const FILL: &str = "cuMemsetD32Async";
const COPY: &str = "cuMemcpyDtoDAsync_v2";
const RECORD: &str = "cuEventRecord";
const WAIT: &str = "cuStreamWaitEvent";
const SYNCHRONIZE: &str = "cuStreamSynchronize";
/// An event is made.
const CREATE: [&str; 2] = ["cuCtxGetCurrent", "cuEventCreate"];

fn count(calls: &[&str], name: &str) -> usize {
    calls.iter().filter(|call| **call == name).count()
}

#[test]
fn a_scope_with_one_stream_makes_the_calls_of_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let store = kernel(gpu, STORE, "store");
        let stream = gpu.stream().unwrap();
        let (up, mut down) = ([1_u32; 8], [0; 8]);
        let mut buffer = gpu.alloc(8).unwrap();
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (run, mut held) = (s.on(&stream), s.hold(&mut buffer));
                run.upload(&up, &mut held)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    run.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut held, 7_u32))
                }?;
                s.on(&stream).download(&held, &mut down)
            })
            .unwrap();
        });
        assert_eq!(calls, [UPLOAD, LAUNCH, DOWNLOAD, SYNCHRONIZE]);
        assert_eq!(down, [7, 1, 1, 1, 1, 1, 1, 1]);

        let ((), calls) = record(|| gpu.scope(|_| Ok(())).unwrap());
        assert!(calls.is_empty(), "{calls:?}");
    });
}

#[test]
fn a_crossing_costs_one_record_and_one_wait() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (up, mut down) = ([1_u32; 8], [0; 8]);
        let mut buffer = gpu.alloc(8).unwrap();
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b, mut held) = (s.on(&a), s.on(&b), s.hold(&mut buffer));
                a.upload(&up, &mut held)?;
                b.fill(&mut held, 7)?;
                b.fill(&mut held, 8)?; // the same stream
                a.download(&held, &mut down)
            })
            .unwrap();
        });
        let crossing = |rest: &[&'static str]| [&CREATE, rest].concat();
        let expected = [
            vec![UPLOAD],
            crossing(&[RECORD, WAIT, FILL, FILL]),
            crossing(&[RECORD, WAIT, DOWNLOAD]),
            vec![SYNCHRONIZE, SYNCHRONIZE],
            vec!["cuEventDestroy_v2"; 2],
        ];
        assert_eq!(calls, expected.concat());
        assert_eq!(down, [8; 8]);
    });
}

/// A stream that waited for an operation of another one has waited for all before it; memory that is only
/// read, or used on one stream, is not ordered; events are used again.
#[test]
fn ordered_work_is_not_ordered_again() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let plain = gpu.alloc::<u32>(8).unwrap();
        let mut buffers = [(); 3].map(|()| gpu.alloc(8).unwrap());
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b) = (s.on(&a), s.on(&b));
                let [mut x, mut y, mut z] = buffers.each_mut().map(|buffer| s.hold(buffer));
                a.fill(&mut x, 1_u32)?;
                a.fill(&mut y, 2)?;
                b.copy(&y, &mut z)?; // waits for the second fill
                b.copy(&x, &mut z)?; // the first came before it
                a.copy(&plain, &mut x)?; // written after `b` read it: waits
                for _ in 0..100 {
                    a.copy(&plain, &mut y)?; // no other stream uses these any more
                    b.fill(&mut z, 3)?;
                }
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(count(&calls, WAIT), 2, "{calls:?}");

        // A long ping-pong lives on few events.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b, mut x) = (s.on(&a), s.on(&b), s.hold(&mut buffers[0]));
                for _ in 0..100 {
                    a.fill(&mut x, 1_u32)?;
                    b.fill(&mut x, 2)?;
                }
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(count(&calls, RECORD), 199);
        assert_eq!(count(&calls, WAIT), 199);
        assert!(count(&calls, "cuEventCreate") <= 3, "{}", count(&calls, "cuEventCreate"));
    });
}

/// The work of a stream while it was the only one counts as one operation, with one event, which is recorded before the
/// stream goes on. So others do not wait for what comes later.
/// The host waits for what uses staged memory, also if that came before there was a second stream, and once.
#[test]
fn the_host_waits_once_for_what_uses_its_memory() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) = (gpu.alloc::<u32>(8).unwrap(), gpu.alloc::<u32>(8).unwrap());
        let mut host = [[0; 8]; 3];
        let [alone, before, both] = &mut host;
        gpu.scope(|s| {
            let (a, mut x, mut y) = (s.on(&a), s.hold(&mut x), s.hold(&mut y));
            let [mut alone, mut before, mut both] =
                [s.stage(alone), s.stage(before), s.stage(both)];
            a.upload_staged(&alone, &mut x)?;
            a.upload_staged(&before, &mut x)?;
            let looks =
                |staged: &mut ScopedHostSlice<'_, u32>| record(|| staged.access().map(drop)).1;
            assert_eq!(looks(&mut alone), [SYNCHRONIZE]);
            assert_eq!(looks(&mut alone), [] as [&str; 0]);
            let b = s.on(&b);
            b.zero(&mut y)?;
            b.upload_staged(&both, &mut y)?;
            for staged in [&mut before, &mut both] {
                let calls = looks(staged);
                assert!(calls == [SYNCHRONIZE] || calls == ["cuEventSynchronize"], "{calls:?}");
                assert_eq!(looks(staged), [] as [&str; 0]);
                assert_eq!(looks(&mut alone), [] as [&str; 0]);
            }
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn work_before_there_was_a_second_stream_is_waited_for_alone() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut buffers = [(); 3].map(|()| gpu.alloc(8).unwrap());
        let end = [SYNCHRONIZE, SYNCHRONIZE, "cuEventDestroy_v2"];
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let [mut x, mut y, mut z] = buffers.each_mut().map(|buffer| s.hold(buffer));
                let a = s.on(&a);
                a.fill(&mut x, 1_u32)?;
                let b = s.on(&b);
                a.fill(&mut y, 2)?; // after the event
                b.copy(&x, &mut z)?;
                b.copy(&x, &mut z) // it has waited
            })
            .unwrap();
        });
        let expected = [&[FILL], &CREATE[..], &[RECORD, FILL, WAIT, COPY, COPY], &end].concat();
        assert_eq!(calls, expected);

        // Also if what comes next uses the same memory, and nothing else is left of the only stream's.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let [mut x, mut y, mut z] = buffers.each_mut().map(|buffer| s.hold(buffer));
                let a = s.on(&a);
                a.fill(&mut x, 1_u32)?;
                let b = s.on(&b);
                a.copy(&x, &mut y)?;
                b.copy(&x, &mut z)
            })
            .unwrap();
        });
        assert_eq!(calls, [&[FILL], &CREATE[..], &[RECORD, COPY, WAIT, COPY], &end].concat());

        // Also if a free comes next.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let [mut x, _, mut z] = buffers.each_mut().map(|buffer| s.hold(buffer));
                let a = s.on(&a);
                let scratch = a.scratch::<u32>(8)?;
                a.fill(&mut x, 1_u32)?;
                let b = s.on(&b);
                drop(scratch);
                b.copy(&x, &mut z)
            })
            .unwrap();
        });
        let calls: Vec<_> = calls.into_iter().filter(|call| !CREATE.contains(call)).collect();
        let work = ["cuMemAllocAsync", FILL, RECORD, "cuMemFreeAsync", WAIT, COPY];
        assert_eq!(calls, [&work[..], &end].concat());
    });
}

/// A stream does not wait again for work that it comes after through a third one; and who waits for the readers of
/// some memory need not wait for its writer.
#[test]
fn a_stream_does_not_wait_again_for_work_that_a_third_one_waited_for() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b, c) = (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut buffers = [(); 3].map(|()| gpu.alloc(8).unwrap());
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b, c) = (s.on(&a), s.on(&b), s.on(&c));
                let [mut x, mut y, mut z] = buffers.each_mut().map(|buffer| s.hold(buffer));
                a.fill(&mut x, 1_u32)?;
                b.copy(&x, &mut y)?; // waits for the fill
                c.copy(&y, &mut z)?; // waits for the copy, and so for the fill
                c.copy(&x, &mut z)?;
                c.fill(&mut x, 2)?;
                Ok(())
            })
            .unwrap();
        });
        assert_eq!(count(&calls, WAIT), 2, "{calls:?}");

        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, b, c) = (s.on(&a), s.on(&b), s.on(&c));
                let [mut x, mut y, _] = buffers.each_mut().map(|buffer| s.hold(buffer));
                a.fill(&mut x, 1_u32)?;
                b.copy(&x, &mut y)?; // waits for the fill
                c.fill(&mut x, 2)?; // waits for the copy alone
                a.fill(&mut y, 3)?; // waits for the copy
                a.copy(&x, &mut y) // waits for the fill of `c`
            })
            .unwrap();
        });
        assert_eq!(count(&calls, WAIT), 4, "{calls:?}");
        assert_eq!(count(&calls, RECORD), 3, "the event of the copy serves two: {calls:?}");
        assert_eq!(count(&calls, SYNCHRONIZE), 3, "the scope waits for each: {calls:?}");
    });
}

/// With one stream, `access` waits for the stream: no event either.
#[test]
fn access_on_one_stream_makes_no_event() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut host = [0_u32; 8];
        let mut buffer = gpu.alloc(8).unwrap();
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (run, mut held) = (s.on(&a), s.hold(&mut buffer));
                let mut staged = s.stage(&mut host);
                run.upload_staged(&staged, &mut held)?;
                staged.access()?[0] = 1;
                staged.access()?[0] = 2; // no transfer since
                run.upload_staged(&staged, &mut held)
            })
            .unwrap();
        });
        assert_eq!(calls, [UPLOAD, SYNCHRONIZE, UPLOAD, SYNCHRONIZE]);

        // With two, it waits for the event after the transfer, once the stream has gone on.
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (a, _b, mut held) = (s.on(&a), s.on(&b), s.hold(&mut buffer));
                let mut staged = s.stage(&mut host);
                a.upload_staged(&staged, &mut held)?;
                a.fill(&mut held, 1)?;
                staged.access().map(drop)
            })
            .unwrap();
        });
        let until_access = [&[UPLOAD][..], &CREATE, &[RECORD, FILL]].concat();
        assert_eq!(calls[..until_access.len()], until_access);
        assert_eq!(calls[until_access.len()], "cuEventSynchronize");
    });
}
