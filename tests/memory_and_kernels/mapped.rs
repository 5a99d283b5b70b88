//! Page-locked memory of the host that kernels use where it is.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SAXPY, SPIN, STORE};
use cuscope::{ContextStack, Error, LaunchConfig, PushedGuard};

#[test]
fn kernels_read_and_write_pinned_memory() {
    let other = new_context();
    with_gpu(|gpu| {
        let x = gpu.pinned_from(&[1.0_f32, 2.0, 3.0]).unwrap();
        let mut y = gpu.pinned_from(&[10.0_f32; 3]).unwrap();
        let run = |gpu: &PushedGuard<'_>, y: &mut _| {
            let stream = gpu.stream().unwrap();
            let saxpy = kernel(gpu, SAXPY, "saxpy");
            let config = LaunchConfig::new(1, 32);
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe {
                gpu.on(&stream).launch_unchecked(&saxpy, config, (3_u32, 2.0_f32, &x, &mut *y))
            }
            .unwrap();
        };
        run(gpu, &mut y);
        assert_eq!(*y, [12.0, 14.0, 16.0]);
        // Whatever context it was registered in.
        ContextStack::reentrant(|stack| {
            run(&stack.push(&other).unwrap(), &mut y);
            Ok(())
        })
        .unwrap();
        assert_eq!(*y, [14.0, 18.0, 22.0]);
    });
}

#[test]
fn a_scope_maps_memory_that_was_registered_in_another_context() {
    let other = new_context();
    let pinned = |stack: &mut ContextStack| stack.push(&other)?.pinned_from(&[1_u32, 2]);
    let mut pinned = pinned(&mut ContextStack::current_thread().unwrap()).unwrap();
    with_gpu(|gpu| {
        let (stream, store) = (gpu.stream().unwrap(), kernel(gpu, STORE, "store"));
        gpu.scope(|s| {
            let mut mapped = s.map(&mut pinned);
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe {
                s.on(&stream).launch_unchecked(
                    &store,
                    LaunchConfig::new(1, 1),
                    (&mut mapped, 9_u32),
                )
            }
        })
        .unwrap();
    });
    assert_eq!(AsRef::<[u32]>::as_ref(&pinned), [9, 2]);
}

#[test]
fn a_scope_lends_mapped_memory_to_kernels_copies_and_the_host() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let module = gpu.load_ptx(STORE).unwrap();
        let store = module.function("store").unwrap();
        let spin = kernel(gpu, SPIN, "spin");
        let mut host = gpu.pinned::<u32>(2).unwrap();
        let mut on_device = gpu.alloc::<u32>(2).unwrap();
        let one = LaunchConfig::new(1, 1);
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut host, mut held) = (s.map(&mut host), s.hold(&mut on_device));
            assert_eq!(host.len(), 2);
            for round in 1..=3_u32 {
                // SAFETY: the kernel is spin(u64), and has no memory.
                unsafe { a.launch_unchecked(&spin, one, (2_000_000_u64,)) }?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { a.launch_unchecked(&store, one, (&mut host, round)) }?;
                b.upload_staged(&host, &mut held)?; // on another stream: waits for the kernel
                assert_eq!(host.access()?, [round, 10 * (round - 1)]);
                host.access()?[1] = 10 * round;
                a.download_staged(&held, &mut host)?; // the older ones
                assert_eq!(host.access()?, [round, 10 * (round - 1)]);
                host.access()?[1] = 10 * round;
            }
            assert!(format!("{host:?}").starts_with("ScopedPinned<u32>(2 at 0x"), "{host:?}");
            Ok(())
        })
        .unwrap();
        assert_eq!(*host, [3, 30]);
    });
}

/// Borrowed for the scope, pinned memory needs no order: it is read, or written by one launch.
/// The kernel has the address alone, so Miri knows by the loan that it writes through the memory that is lent.
#[test]
fn a_kernel_may_be_the_first_to_use_memory_that_a_scope_lends() {
    with_gpu(|gpu| {
        let (stream, store) = (gpu.stream().unwrap(), kernel(gpu, STORE, "store"));
        let mut pinned = gpu.pinned::<u32>(1).unwrap();
        gpu.scope(|s| {
            let mut host = s.map(&mut pinned);
            let launch = (&mut host, 9_u32);
            // SAFETY: the kernel is store(unsigned *, unsigned), and writes one element.
            unsafe { s.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), launch) }?;
            assert_eq!(host.access()?, [9]);
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn a_scope_takes_pinned_memory_as_it_takes_buffers() {
    with_gpu(|gpu| {
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let x = gpu.pinned_from(&[1.0_f32; 4]).unwrap();
        let (mut y, mut z) = (gpu.pinned::<f32>(4).unwrap(), gpu.pinned::<f32>(4).unwrap());
        gpu.scope(|s| {
            let config = LaunchConfig::new(1, 32);
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe { s.on(&a).launch_unchecked(&saxpy, config, (4_u32, 2.0_f32, &x, &mut y)) }?;
            // SAFETY: as above.
            unsafe { s.on(&b).launch_unchecked(&saxpy, config, (4_u32, 3.0_f32, &x, &mut z)) }
        })
        .unwrap();
        assert_eq!((&*y, &*z), (&[2.0; 4][..], &[3.0; 4][..]));
    });
}

#[test]
fn a_graph_takes_no_memory_of_the_host() {
    with_gpu(|gpu| {
        let store = kernel(gpu, STORE, "store");
        let (mut stream, mut host) = (gpu.stream().unwrap(), gpu.pinned::<u32>(1).unwrap());
        let one = LaunchConfig::new(1, 1);
        let graph = gpu.capture(&mut stream, |c| {
            // SAFETY: not launched.
            let refused = unsafe { c.stream().launch_unchecked(&store, one, (&mut host, 1_u32)) };
            assert!(matches!(refused, Err(Error::InvalidArgument { call: "cuLaunchKernel", .. })));
            Ok(())
        });
        // And the capture fails, even if the closure goes on.
        assert!(matches!(graph, Err(Error::InvalidArgument { call: "cuLaunchKernel", .. })));
        let built = gpu.build_graph(|g| {
            // SAFETY: not launched.
            unsafe { g.kernel_unchecked(&[], &store, one, (&mut host, 1_u32)) }.map(|_| ())
        });
        let refused = built.map(|_| ()).unwrap_err();
        assert_eq!(refused.call(), Some("cuGraphAddKernelNode_v2"));
        assert!(matches!(refused, Error::InvalidArgument { .. }));

        let mut memory = gpu.alloc::<u32>(1).unwrap();
        let (mut graph, node) = gpu
            .build_graph(|g| {
                let mut memory = g.hold(&mut memory);
                // SAFETY: the kernel is store(u32 *, u32).
                unsafe { g.kernel_unchecked(&[], &store, one, (&mut memory, 1_u32)) }
            })
            .unwrap();
        // SAFETY: as above.
        let refused =
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &store, one, (&mut host, 1_u32)) };
        assert!(matches!(refused, Err(Error::InvalidArgument { .. })));
        gpu.on(&stream).host_function(|| ()).unwrap();
    });
}
