//! Buffers, parts and launches of no elements: nothing is done, and nothing is refused but what others are refused for.
#![allow(unsafe_code, reason = "launches kernels, and takes memory of other code")]

use crate::common;
use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::SAXPY;
use cuscope::graph::NodeKind;
use cuscope::kernel::KernelReads;
use cuscope::memory::{Attachment, BufferKind};
use cuscope::{
    Context, ContextStack, DeviceBuffer, Error, Function, LaunchConfig, PushedGuard, Result, ffi,
};
use cuscope_softdriver::control::record;

/// The calls of the driver that a closure makes, but for questions about the current context.
fn calls<R>(f: impl FnOnce() -> Result<R>) -> (R, Vec<&'static str>) {
    let (result, mut calls) = record(f);
    calls.retain(|call| !call.starts_with("cuCtx"));
    (result.unwrap(), calls)
}

fn saxpy<'ctx>(gpu: &PushedGuard<'ctx>) -> (Function<'ctx>, LaunchConfig) {
    (kernel(gpu, SAXPY, "saxpy"), LaunchConfig::for_num_elems(0).unwrap())
}

#[test]
fn an_empty_buffer_has_no_memory_and_its_operations_make_no_call() {
    with_gpu(|gpu| {
        let (stream, (saxpy, none)) = (gpu.stream().unwrap(), saxpy(gpu));
        let on = gpu.on(&stream);
        let mut some = on.from_slice(&[1.0_f32, 2.0]).unwrap();
        let mut managed = gpu.managed::<f32>(0).unwrap();
        let ((), calls) = calls(|| {
            let mut x = gpu.alloc::<f32>(0)?;
            assert_eq!((x.len(), x.is_empty(), x.size_bytes(), x.address()), (0, true, 0, 0));
            assert_eq!((x.kind(), x.context()), (BufferKind::Plain, gpu.context()));
            let mut y = on.from_slice::<f32>(&[])?;
            let z = on.zeroed::<f32>(0)?;
            on.upload(&[], &mut x)?;
            on.copy(&x, &mut y)?;
            on.fill(&mut y, 1.0)?;
            on.zero(&mut y)?;
            on.download(&y, &mut [])?;
            assert_eq!((on.to_vec(&z)?, x.chunks(3)?.len()), (vec![], 0));
            // Parts of buffers with elements, also after the last one.
            on.fill(&mut some.slice_mut(1..1)?, 7.0)?;
            let (mut first, mut second) = some.split_at_mut(2)?;
            assert_eq!((first.is_empty(), second.is_empty()), (false, true));
            on.copy(&second, &mut first.slice_mut(..0)?)?;
            on.copy(&x, &mut second)?;
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and does not run.
            unsafe { on.launch_unchecked(&saxpy, none, (0_u32, 1.0_f32, &x, &mut y)) }?;
            // SAFETY: as above.
            unsafe {
                on.launch_unchecked(
                    &saxpy,
                    none.extended().priority(0),
                    (0_u32, 1.0_f32, &x, &mut y),
                )
            }?;
            // SAFETY: as above.
            unsafe { on.launch_unscoped(&saxpy, none, (0_u32, 1.0_f32, &x, &mut y)) }?;
            on.copy_from_peer(&x, &mut y)?;
            if common::software() {
                on.discard(&mut managed)?;
                // SAFETY: 1. There is no memory that the host could use.
                unsafe { on.attach(&mut managed, Attachment::Single) }?;
            }
            fn is_empty<'ctx, A: KernelReads<'ctx, f32>>(argument: A) -> bool {
                argument.is_empty()
            }
            assert!(is_empty(&x) && is_empty(&mut y) && is_empty(z.slice(..)?));
            assert!(!is_empty(first.slice(..)?));
            // A kernel that runs receives the address 0, and stays away from it.
            let grown = gpu.alloc::<[f32; 0]>(5)?;
            assert_eq!((grown.len(), grown.address()), (5, 0));
            Ok(())
        });
        if common::software() {
            assert_eq!(calls, [""; 0]);
        }
        assert_eq!(on.to_vec(&some).unwrap(), [1.0, 2.0]);
        let y = gpu.alloc::<f32>(0).unwrap();
        // SAFETY: saxpy over 0 elements, which uses neither memory.
        unsafe {
            on.launch_unchecked(&saxpy, LaunchConfig::new(1, 32), (0_u32, 1.0_f32, &y, &mut some))
        }
        .unwrap();
        // It leaves its guard, and comes back.
        let detached = y.detach();
        assert_eq!(gpu.attach(detached).unwrap().len(), 0);
    });
}

#[test]
fn mistakes_are_refused_with_empty_buffers_too() {
    let [a, b]: [Context; 2] = [new_context(), new_context()];
    let mut stack = ContextStack::current_thread().unwrap();
    let theirs = {
        let gpu = stack.push(&a).unwrap();
        gpu.alloc::<u32>(0).unwrap().detach()
    };
    let gpu = stack.push(&b).unwrap();
    assert!(gpu.attach(theirs).is_err());
    let stream = gpu.stream().unwrap();
    let (mut x, y) = (gpu.alloc::<u32>(0).unwrap(), gpu.alloc::<u32>(4).unwrap());
    let differs = gpu.on(&stream).copy(&y, &mut x).unwrap_err();
    assert!(matches!(differs, Error::LengthMismatch { from: 4, to: 0, .. }), "{differs}");
    assert!(matches!(y.slice(5..5).unwrap_err(), Error::InvalidRange { end: 5, len: 4, .. }));
    assert!(matches!(x.slice(..1).unwrap_err(), Error::InvalidRange { end: 1, len: 0, .. }));
    assert!(x.chunks(0).is_err());
    let store = kernel(&gpu, SAXPY, "saxpy");
    for config in [LaunchConfig::new(0, 256), LaunchConfig::new((1, 0), 256)] {
        // SAFETY: the driver refuses it.
        let refused = unsafe {
            gpu.on(&stream).launch_unchecked(
                &store,
                config,
                (0_u32, 1.0_f32, &x, &mut gpu.alloc::<f32>(0).unwrap()),
            )
        };
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    }
    let huge = LaunchConfig::for_num_elems(0).unwrap().with_shared_bytes(1 << 30);
    assert!(huge.is_empty() && !LaunchConfig::for_num_elems(1).unwrap().is_empty());
    assert!(LaunchConfig::by_occupancy(&gpu, &store, 0, 0).unwrap().is_empty());
}

#[test]
fn scopes_take_empty_memory() {
    with_gpu(|gpu| {
        let (a, b, (saxpy, none)) = (gpu.stream().unwrap(), gpu.stream().unwrap(), saxpy(gpu));
        let (mut x, mut y) = (gpu.alloc::<f32>(0).unwrap(), gpu.alloc::<f32>(4).unwrap());
        let mut host = [9.0; 4];
        let mut pinned = gpu.pinned::<f32>(0).unwrap();
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut x, mut y, mut pinned) = (s.hold(&mut x), s.hold(&mut y), s.map(&mut pinned));
            a.zero(&mut y)?;
            b.upload(&[], &mut x)?;
            a.copy(&x, &mut y.slice_mut(4..)?)?;
            a.upload_staged(&pinned, &mut x)?;
            b.download_staged(&x, &mut pinned)?;
            assert!(pinned.access()?.is_empty());
            let scratch = b.scratch::<f32>(0)?;
            assert_eq!((scratch.is_empty(), scratch.address()), (true, 0));
            // SAFETY: saxpy over no elements, which does not run.
            unsafe { b.launch_unchecked(&saxpy, none, (0_u32, 1.0_f32, &scratch, &mut y)) }?;
            let (none, all) = y.split_at(0)?;
            assert_eq!((none.len(), all.len(), scratch.chunks(2)?.len()), (0, 4, 0));
            b.download(&all, &mut host)
        })
        .unwrap();
        assert_eq!(host, [0.0; 4]);
    });
}

#[test]
fn ordered_streams_take_empty_memory() {
    with_gpu(|gpu| {
        let (ordered, other, (saxpy, none)) =
            (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap(), saxpy(gpu));
        let used = ordered.usage();
        let ((), calls) = calls(|| {
            let mut x = ordered.from_slice::<f32>(&[])?;
            let mut y = ordered.zeroed::<f32>(0)?;
            assert_eq!((x.len(), x.is_empty(), x.address()), (0, true, 0));
            ordered.copy(&x, &mut y)?;
            ordered.fill(&mut y, 1.0)?;
            ordered.upload(&[], &mut x)?;
            // SAFETY: saxpy over no elements, which does not run.
            unsafe { ordered.launch_unchecked(&saxpy, none, (0_u32, 1.0_f32, &x, &mut y)) }?;
            assert!(ordered.to_vec(&x)?.is_empty());
            // Memory of a stream, as any other.
            let refused = other.fill(&mut y, 1.0).unwrap_err();
            assert!(matches!(refused, Error::OtherStream { .. }), "{refused}");
            assert!(matches!(other.upload(&[], &mut y), Err(Error::OtherStream { .. })));
            Ok(())
        });
        if common::software() {
            assert_eq!(calls, [""; 0]);
        }
        let mut x = ordered.alloc::<f32>(0).unwrap();
        x = other.hand_over(x).unwrap();
        other.zero(&mut x).unwrap();
        let shared = x.share();
        assert!(shared.is_empty() && ordered.to_vec(&shared).unwrap().is_empty());
        let idle = shared.try_unwrap().unwrap().into_idle(gpu).unwrap();
        gpu.on(other.stream(gpu).unwrap()).upload(&[], &mut { idle }).unwrap();
        let adopted = ordered.adopt(gpu.alloc::<f32>(0).unwrap()).unwrap();
        let pending = ordered.download_owned(&adopted, gpu.pinned(0).unwrap()).unwrap();
        assert!(pending.wait().unwrap().is_empty());
        drop(adopted);
        assert_eq!(ordered.usage(), used);
        assert!(ordered.alloc_pitched::<f32>((0, 4)).unwrap().is_empty());
    });
}

#[test]
fn graphs_keep_no_empty_memory() {
    with_gpu(|gpu| {
        let (stream, mut captured) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (saxpy, none) = saxpy(gpu);
        let (mut x, mut y) = (gpu.alloc::<f32>(0).unwrap(), gpu.alloc::<f32>(4).unwrap());
        let empty = |len| gpu.alloc::<f32>(len).unwrap();
        let graph = gpu.capture(&mut captured, |c| {
            let (on, mut x, mut y) = (c.stream(), c.hold(&mut x), c.hold(&mut y));
            on.fill(&mut x, 1.0)?;
            on.copy(y.slice(2..2)?, &mut c.scratch(0)?)?;
            on.fill(&mut y, 3.0)?;
            // SAFETY: saxpy over no elements, which does not run.
            unsafe { on.launch_unchecked(&saxpy, none, (0_u32, 1.0_f32, &x, &mut y)) }
        });
        let graph = graph.unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.buffers()), (1, 1));
        let on = gpu.on(&stream);
        // An empty buffer may be passed, or not. It stands for no other.
        on.replay(&graph, (&mut x, &mut y)).unwrap();
        on.replay(&graph, (&mut y,)).unwrap();
        assert!(matches!(on.replay(&graph, (&mut x,)), Err(Error::GraphBuffers { .. })));
        assert!(matches!(on.replay(&graph, (&x,)), Err(Error::GraphBuffers { .. })));
        assert_eq!(on.to_vec(&y).unwrap(), [3.0; 4]);
        let mut z = empty(4);
        let two = gpu.build_graph(|g| {
            let (mut y, mut z) = (g.hold(&mut y), g.hold(&mut z));
            g.fill(&[], &mut y, 5.0)?;
            g.copy(&[], &y, &mut z)
        });
        let (two, _) = two.unwrap();
        assert!(matches!(on.replay(&two, (&mut x,)), Err(Error::GraphBuffers { .. })));
        on.replay(&two, (&mut x, &mut y, &mut z)).unwrap();
        assert_eq!(on.to_vec(&z).unwrap(), [5.0; 4]);

        // Node by node, each is an empty one.
        let built = gpu.build_graph(|g| {
            let mut x = g.hold(&mut x);
            let (mut memory, alloc) = g.alloc::<f32>(&[], 0)?;
            let fill = g.fill(&[alloc.id()], &mut x, 1.0)?;
            let copy = g.copy(&[], &x, &mut memory)?;
            let args = (0_u32, 1.0_f32, &x, &mut memory);
            // SAFETY: saxpy over no elements, which does not run.
            let launch = unsafe { g.kernel_unchecked(&[], &saxpy, none, args) }?;
            let free = g.free(&[], memory)?;
            for id in [alloc.id(), fill.id(), copy.id(), launch.id(), free.id()] {
                assert_eq!(id.kind(), NodeKind::Empty);
            }
            Ok((fill, launch))
        });
        let (mut graph, (fill, launch)) = built.unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.buffers()), (5, 0));
        assert!(matches!(graph.set_fill(fill, 2.0_f32), Err(Error::InvalidArgument { .. })));
        let args = (0_u32, 1.0_f32, &empty(0), &mut empty(0));
        // SAFETY: it is refused.
        let changed = unsafe {
            gpu.set_kernel_unchecked(&mut graph, launch, &saxpy, LaunchConfig::new(1, 1), args)
        };
        assert!(matches!(changed, Err(Error::InvalidArgument { .. })));
        on.replay(&graph, (&mut x,)).unwrap();
        on.replay(&graph, ()).unwrap();
    });
}

#[test]
fn rows_pinned_memory_and_foreign_memory_may_be_empty() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let mut some = gpu.alloc_pitched::<u32>((3, 2)).unwrap();
        on.zero(&mut some).unwrap();
        for extent in [(0, 2, 1), (3, 0, 1), (3, 2, 0)] {
            let mut rows = gpu.alloc_pitched::<u32>(extent).unwrap();
            assert_eq!((rows.is_empty(), rows.address()), (true, 0));
            on.fill(&mut rows, 1).unwrap();
            assert!(on.to_vec(&rows).unwrap().is_empty());
        }
        on.fill(&mut some.part_mut(1..1, .., ..).unwrap(), 7).unwrap();
        let part = some.part(.., 2.., ..).unwrap();
        on.copy(&part, &mut gpu.alloc_pitched((3, 0)).unwrap()).unwrap();
        assert_eq!(on.to_vec(&some).unwrap(), [0; 6]);

        let pinned = gpu.pinned_from::<u64>(&[]).unwrap();
        assert!(pinned.is_empty() && pinned.device_address(gpu).is_ok());
        on.upload(&pinned, &mut gpu.alloc(0).unwrap()).unwrap();
        let len = gpu.with_registered(&mut [0_u8; 0], |slice| Ok(slice.len()));
        assert_eq!(len, Ok(0));

        /// Tells that it was dropped.
        struct Kept<'a>(&'a std::sync::atomic::AtomicBool);
        impl Drop for Kept<'_> {
            fn drop(&mut self) {
                self.0.store(true, std::sync::atomic::Ordering::SeqCst);
            }
        }
        static DROPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        // SAFETY: 1. to 3. It is no memory.
        let theirs: DeviceBuffer<'_, f32> =
            unsafe { gpu.buffer_from_raw(0x1001, 0, Kept(&DROPPED)) }.unwrap();
        assert_eq!((theirs.kind(), theirs.address()), (BufferKind::Foreign, 0));
        // SAFETY: 1. to 4. The work only looks at its arguments.
        unsafe { on.foreign((&theirs,), |_, (address,)| assert_eq!(address, 0)) }.unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let theirs = ordered.adopt(theirs).unwrap();
        assert!(!DROPPED.load(std::sync::atomic::Ordering::SeqCst));
        drop(theirs);
        assert!(DROPPED.load(std::sync::atomic::Ordering::SeqCst));
    });
}
