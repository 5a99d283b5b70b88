//! Launches with attributes, on every path that launches.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::try_with_gpu;
use crate::common::kernels::STORE;
use crate::common::software;
use crate::skip;
use cuscope::{
    Error, EventFlags, Function, LaunchConfig, Library, Ptx, PushedGuard, Result, ffi,
    function::Carveout,
    kernel::Launches,
    launch::{ClusterPortability, ClusterScheduling, ExtendedLaunch, SharedMemoryMode},
    memory::{AccessPolicyWindow, AccessProperty, MemSyncDomain},
};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};

const COOPERATIVE: &str = include_str!("../../examples/kernels/cooperative.ptx");

/// Everything that does not ask for something special of the driver or the kernel.
fn many<'e, 'ctx>() -> ExtendedLaunch<'e, 'ctx> {
    many_of_a_node().programmatic_serialization()
}

/// Those that a node of a graph has, too.
fn many_of_a_node<'e, 'ctx>() -> ExtendedLaunch<'e, 'ctx> {
    LaunchConfig::new(4, 1)
        .extended()
        .cooperative()
        .priority(-1)
        .mem_sync_domain(MemSyncDomain::Default)
        .mem_sync_domain_map(0, 1)
        .cluster_scheduling(ClusterScheduling::Spread)
}

#[test]
fn a_launch_with_attributes_runs_on_a_stream_in_a_scope_and_from_a_graph() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let stream = gpu.stream()?;
        let mut buffer = gpu.alloc::<u32>(4)?;
        let read = |buffer: &_, stream: &_| -> Result<u32> {
            let mut host = [0; 4];
            gpu.on(stream).download(buffer, &mut host)?;
            Ok(host[0])
        };
        // SAFETY: here and below, the kernel is store(u32 *, u32), and reads nothing.
        unsafe { gpu.on(&stream).launch_unchecked(&store, many(), (&mut buffer, 1_u32)) }?;
        assert_eq!(read(&buffer, &stream)?, 1);
        // SAFETY: as above; the stream is synchronized before anything else uses the buffer.
        unsafe { gpu.on(&stream).launch_unscoped(&store, many(), (&mut buffer, 2_u32)) }?;
        stream.synchronize()?;
        assert_eq!(read(&buffer, &stream)?, 2);
        gpu.scope(|s| {
            let mut held = s.hold(&mut buffer);
            let window = AccessPolicyWindow::persisting(&held, 0.5)?;
            // SAFETY: as above.
            unsafe {
                s.on(&stream).launch_unchecked(
                    &store,
                    many().access_policy_window(window),
                    (&mut held, 3_u32),
                )
            }
        })?;
        assert_eq!(read(&buffer, &stream)?, 3);
        Ok(())
    });
}

#[test]
fn a_grid_is_launched_in_clusters() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let (stream, mut buffer) = (gpu.stream()?, gpu.alloc::<u32>(4)?);
        let launch = LaunchConfig::new(8, 32).extended();
        if gpu.occupancy(&store).max_cluster_size(&launch)? < 8 {
            eprintln!("SKIPPED: this device has no clusters of 8 blocks");
            return Ok(());
        }
        for (value, launch) in [
            (1, launch.cluster(1)),
            (2, launch.cluster(2)),
            (3, launch.cluster([8, 1, 1])),
            (4, launch.cluster(2).cluster_scheduling(ClusterScheduling::LoadBalancing)),
            (5, launch.cluster(4).cooperative()),
        ] {
            // SAFETY: the kernel is store(u32 *, u32), and every thread stores the same.
            unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut buffer, value)) }?;
            assert_eq!(gpu.on(&stream).to_vec(&buffer)?[0], value);
        }
        Ok(())
    });
}

#[test]
fn every_block_of_a_cooperative_launch_waits_for_all_others() {
    try_with_gpu(|gpu| {
        let normalise = gpu.load_ptx(COOPERATIVE)?.function("normalise")?;
        let stream = gpu.stream()?;
        let (n, threads) = (fewer(5_000, 200) as u32, fewer(64, 8) as u32);
        let x = vec![1.0_f32; n as usize];
        let (mut x_dev, mut sum) = (gpu.alloc(x.len())?, gpu.alloc(1)?);
        let most = gpu.occupancy(&normalise).cooperative_blocks(threads, 0)?;
        // Several times, since the barrier is used again.
        for blocks in [1, 7, most.min(fewer(40, 9) as u32)] {
            gpu.on(&stream).upload(&x, &mut x_dev)?;
            gpu.on(&stream).fill(&mut sum, 0.0_f32)?;
            let launch = LaunchConfig::new(blocks, threads).extended().cooperative();
            // SAFETY: the kernel is normalise(unsigned n, float *x, float *sum).
            unsafe {
                gpu.on(&stream).launch_unchecked(&normalise, launch, (n, &mut x_dev, &mut sum))
            }?;
            let mut y = vec![0.0; x.len()];
            gpu.on(&stream).download(&x_dev, &mut y)?;
            assert!(y.iter().all(|y| (y * n as f32 - 1.0).abs() < 1e-6), "{blocks} blocks");
        }
        let launch = LaunchConfig::new(most + 1, threads).extended().cooperative();
        // SAFETY: as above; it is refused.
        let error = unsafe {
            gpu.on(&stream).launch_unchecked(&normalise, launch, (n, &mut x_dev, &mut sum))
        };
        let error = error.unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE));
        assert!(error.to_string().contains("cooperative_blocks"), "{error}");
        // A block of 2^64 threads.
        let launch = LaunchConfig::new(1, [1 << 22, 1 << 21, 1 << 21]).extended().cooperative();
        // SAFETY: as above.
        let error = unsafe {
            gpu.on(&stream).launch_unchecked(&normalise, launch, (n, &mut x_dev, &mut sum))
        };
        assert_eq!(error.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        Ok(())
    });
}

#[test]
fn a_node_that_is_built_has_attributes_but_no_events() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let (stream, mut buffer) = (gpu.stream()?, gpu.alloc::<u32>(4)?);
        let plain = LaunchConfig::new(1, 1);
        let mut build = |launch, value: u32| {
            gpu.build_graph(|g| {
                let to = &mut g.hold(&mut buffer);
                // SAFETY: the kernel is store(u32 *, u32).
                unsafe { Launches::launch_unchecked(&g, &store, launch, (to, value)) }
            })
        };
        let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        let call = "cuGraphAddKernelNode_v2";
        for (launch, why) in [
            (plain.extended().programmatic_event(&event, false), "event nodes"),
            (plain.extended().launch_completion_event(&event), "event nodes"),
            (plain.extended().programmatic_serialization(), "capture the launches"),
        ] {
            let error = build(launch, 4).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { call: is, .. } if is == call));
            assert!(error.to_string().contains(why), "{error}");
        }
        let error = build(plain.extended().mem_sync_domain_map(0, 255), 4).unwrap_err();
        assert_eq!(error.call(), Some("cuGraphKernelNodeSetAttribute"));
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        let error = build(plain.extended().preferred_cluster(1), 4).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        let odd = plain.extended().cluster(2);
        assert_eq!(build(odd, 4).unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_CLUSTER_SIZE));
        if software() {
            // A node that was not added has no attributes.
            let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
            let fault = Fault { which: Which::Named(call), code, performed: false };
            let (failed, calls) = record(|| with_fault(fault, || build(many_of_a_node(), 4)).0);
            let error = failed.unwrap_err();
            assert_eq!((error.call(), error.code()), (Some(call), Some(code)));
            assert!(!calls.contains(&"cuGraphKernelNodeSetAttribute"), "{calls:?}");
        }
        let mut graphs = Vec::new();
        for (launch, value) in [(plain.extended(), 5), (many_of_a_node(), 6)] {
            graphs.push((build(launch, value)?.0, value));
        }
        for (graph, value) in graphs {
            gpu.on(&stream).replay(&graph, &mut buffer)?;
            assert_eq!(gpu.on(&stream).to_vec(&buffer)?[0], value);
        }
        Ok(())
    });
}

#[test]
fn a_bad_attribute_is_an_error_that_says_what_to_do() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let stream = gpu.stream()?;
        let mut buffer = gpu.alloc::<u32>(4)?;
        let event = gpu.event()?;
        let one = LaunchConfig::new(3, 1).extended();
        let large = LaunchConfig::new(1, 1).with_shared_bytes(1 << 20);
        let (invalid, unsupported) = (ffi::CUDA_ERROR_INVALID_VALUE, ffi::CUDA_ERROR_NOT_SUPPORTED);
        let cluster = ffi::CUDA_ERROR_INVALID_CLUSTER_SIZE;
        for (launch, code, advice) in [
            (one.cluster(2), cluster, "whole clusters"),
            (one.preferred_cluster(3), cluster, "preferred cluster"),
            (one.mem_sync_domain_map(0, 255), invalid, "domains 0 and 255"),
            (one.shared_memory_carveout(Carveout::Percent(101)), invalid, "101 percent"),
            (one.programmatic_event(&event, false), unsupported, "DISABLE_TIMING"),
            (one.launch_completion_event(&event), unsupported, "DISABLE_TIMING"),
            (large.extended(), invalid, "dynamic shared memory"),
        ] {
            // SAFETY: the kernel is store(u32 *, u32).
            let error =
                unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut buffer, 1_u32)) };
            let error = error.expect_err(advice);
            assert_eq!((error.code(), error.call()), (Some(code), Some("cuLaunchKernelEx")));
            assert!(error.to_string().contains(advice), "{error}");
        }
        // A newer driver may take these.
        let newer = [
            one.cluster_portability(ClusterPortability::NonPortable),
            one.shared_memory_mode(SharedMemoryMode::Portable),
        ];
        let version = cuscope::driver_version()?;
        for launch in newer.into_iter().filter(|_| (version.major, version.minor) <= (13, 0)) {
            // SAFETY: as above.
            let error =
                unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut buffer, 1_u32)) };
            let error = error.unwrap_err();
            assert_eq!((error.code(), error.call()), (Some(invalid), Some("cuLaunchKernelEx")));
            assert!(error.to_string().contains("does not take"), "{error}");
        }
        // The plain launch says so too.
        // SAFETY: as above.
        let error =
            unsafe { gpu.on(&stream).launch_unchecked(&store, large, (&mut buffer, 1_u32)) };
        assert!(error.unwrap_err().to_string().contains("dynamic shared memory"));
        let window =
            |ratio, miss| AccessPolicyWindow::new(&buffer, ratio, AccessProperty::Normal, miss);
        for ratio in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
            let error = window(ratio, AccessProperty::Normal).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        }
        assert!(window(1.0, AccessProperty::Persisting).is_err());
        assert!(window(1.0, AccessProperty::Streaming).is_ok());
        Ok(())
    });
}

#[test]
fn events_of_a_launch_are_complete_behind_it() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let stream = gpu.stream()?;
        let mut buffer = gpu.alloc::<u32>(4)?;
        let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        let started = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        let launch = LaunchConfig::new(1, 1).extended();
        let launch = launch.programmatic_event(&event, true).launch_completion_event(&started);
        // SAFETY: the kernel is store(u32 *, u32).
        unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut buffer, 1_u32)) }?;
        assert!(event.query()? && started.query()?);
        gpu.scope(|s| {
            let mut held = s.hold(&mut buffer);
            // SAFETY: as above.
            unsafe { s.on(&stream).launch_unchecked(&store, launch, (&mut held, 2_u32)) }?;
            s.on(&stream).wait(&event)
        })?;
        Ok(())
    });
}

#[test]
fn a_captured_launch_has_attributes_but_no_events() {
    try_with_gpu(|gpu| {
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let mut stream = gpu.stream()?;
        let mut buffer = gpu.alloc::<u32>(4)?;
        let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        let with_event = LaunchConfig::new(1, 1).extended().programmatic_event(&event, false);
        let refused = gpu.capture(&mut stream, |c| {
            let mut held = c.hold(&mut buffer);
            // SAFETY: the kernel is store(u32 *, u32).
            unsafe { c.stream().launch_unchecked(&store, with_event, (&mut held, 4_u32)) }
        });
        let error = refused.expect_err("an event");
        assert!(
            matches!(error, Error::InvalidArgument { call: "cuLaunchKernelEx", .. }),
            "{error}"
        );
        let launch = many();
        let graph = gpu.capture(&mut stream, |c| {
            let mut held = c.hold(&mut buffer);
            // SAFETY: as above.
            unsafe { c.stream().launch_unchecked(&store, launch, (&mut held, 5_u32)) }
        })?;
        gpu.on(&stream).replay(&graph, (&mut buffer,))?;
        let mut host = [0; 4];
        gpu.on(&stream).download(&buffer, &mut host)?;
        assert_eq!(host[0], 5);
        Ok(())
    });
}

/// A handle asks how much shared memory its function may have, and for more, at most once.
#[test]
fn the_driver_is_asked_for_shared_memory_once() {
    const OWN: &str = ".version 7.0 .target sm_52 .address_size 64 .const .b8 table[16];
        .visible .entry own() { .shared .b8 of_block[1024]; ret; }";
    const LAUNCH: &str = "cuLaunchKernel";
    const ASK: &str = "cuFuncGetAttribute";
    const LIMIT: &str = "cuDeviceGetAttribute";
    const SET: &str = "cuFuncSetAttribute";
    /// Returns the calls of a launch with so much shared memory.
    fn launch<'ctx>(
        gpu: &PushedGuard<'ctx>,
        function: &Function<'ctx>,
        bytes: u32,
    ) -> Result<Vec<&'static str>> {
        let stream = gpu.stream()?;
        let config = LaunchConfig::new(1, 1).with_shared_bytes(bytes);
        // SAFETY: the kernel has no parameters and does nothing.
        let run = || unsafe { gpu.on(&stream).launch_unchecked(function, config, ()) };
        let (launched, mut calls) = record(run);
        calls.retain(|call| [LAUNCH, ASK, LIMIT, SET].contains(call));
        launched.map(|()| calls)
    }
    if !software() {
        skip!("needs the software driver, which counts calls");
    }
    try_with_gpu(|gpu| {
        let module = gpu.load_ptx(OWN)?;
        let launch = |function, bytes| launch(gpu, function, bytes);
        let (function, other) = (module.function("own")?, module.function("own")?);
        // What the driver allows at first.
        assert_eq!(launch(&function, 4096)?, [ASK, LAUNCH]);
        assert_eq!(launch(&function, 4096)?, [LAUNCH]);
        assert_eq!(launch(&function, (48 << 10) - 1024)?, [LAUNCH], "all that it allows");
        // All that a block has besides the kernel's own.
        let all = ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let most = gpu.device().attribute(all)?.unsigned_abs() - 1024;
        assert_eq!(launch(&function, most)?, [ASK, ASK, LIMIT, SET, LAUNCH]);
        assert_eq!(launch(&function, most)?, [LAUNCH]);
        // Another handle finds that it is allowed, and that there is no more.
        assert_eq!(launch(&other, most)?, [ASK, LAUNCH]);
        let (refused, calls) = record(|| launch(&other, most + 1));
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert!(!calls.contains(&SET), "{calls:?}");
        Ok(())
    });
}

/// F310: what the driver allows belongs to the function, which handles share.
#[test]
fn every_launch_has_the_shared_memory_that_it_requests() {
    const LARGE: u32 = 64 << 10;
    try_with_gpu(|gpu| {
        let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(4)?);
        let config = |bytes| LaunchConfig::new(1, 1).with_shared_bytes(bytes);
        let large = config(LARGE);
        // Each of a module of its own, of which nobody asked for more before.
        let store = || gpu.load_ptx(STORE)?.function("store");
        // SAFETY, of each launch: the kernel is store(u32 *, u32), with shared memory that it does not use.
        let function = store()?;
        let other = gpu.load_ptx(STORE)?;
        let (first, second) = (other.function("store")?, other.function("store")?);
        for (handle, bytes) in
            [(&first, 4096), (&second, LARGE), (&first, 50_000), (&second, LARGE)]
        {
            // SAFETY: as above.
            unsafe { gpu.on(&stream).launch_unchecked(handle, config(bytes), (&mut x, 1_u32)) }?;
        }
        // More than there is, where all that there is was asked for before.
        let all = ffi::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let more = config(gpu.device().attribute(all)?.unsigned_abs() + 1);
        for _ in 0..2 {
            // SAFETY: as above; the driver refuses the launch.
            let refused =
                unsafe { gpu.on(&stream).launch_unchecked(&first, more, (&mut x, 1_u32)) };
            assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        }
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(&function, large, (&mut x, 1_u32)) }?;
        let (function, extended) = (store()?, large.extended().cooperative());
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(&function, extended, (&mut x, 1_u32)) }?;
        let function = store()?;
        gpu.scope(|s| {
            let (run, mut x) = (s.on(&stream), s.hold(&mut x));
            // SAFETY: as above.
            unsafe { run.launch_unchecked(&function, large, (&mut x, 1_u32)) }
        })?;
        let function = store()?;
        let graph = gpu.capture(&mut stream, |c| {
            let (run, mut x) = (c.stream(), c.hold(&mut x));
            // SAFETY: as above.
            unsafe { run.launch_unchecked(&function, large, (&mut x, 1_u32)) }
        })?;
        gpu.on(&stream).replay(&graph, &mut x)?;
        let function = store()?;
        let (mut graph, node) = gpu.build_graph(|g| {
            let mut x = g.hold(&mut x);
            // SAFETY: as above.
            unsafe { g.kernel_unchecked(&[], &function, large, (&mut x, 1_u32)) }
        })?;
        gpu.on(&stream).replay(&graph, &mut x)?;
        let function = store()?;
        // SAFETY: as above.
        unsafe { gpu.set_kernel_unchecked(&mut graph, node, &function, large, (&mut x, 1_u32)) }?;
        gpu.on(&stream).replay(&graph, &mut x)?;
        let ordered = gpu.ordered_stream()?;
        let (function, mut y) = (store()?, ordered.alloc::<u32>(4)?);
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(&function, large, (&mut y, 1_u32)) }?;
        ordered.synchronize()?;
        let library = Library::load(&Ptx::new(STORE)?)?;
        let function = library.kernel("store")?.function(gpu)?;
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(&function, large, (&mut x, 1_u32)) }?;

        let (e, f) = (store()?, store()?);
        let in_clusters = LaunchConfig::new(8, 32).with_shared_bytes(LARGE).extended().cluster(2);
        if gpu.occupancy(&store()?).max_cluster_size(&LaunchConfig::new(8, 32).extended())? > 1 {
            assert!(gpu.occupancy(&e).max_cluster_size(&in_clusters)? > 1);
            assert!(gpu.occupancy(&f).active_clusters(&in_clusters)? > 0);
        }
        let (a, b, c, d) = (store()?, store()?, store()?, store()?);
        assert!(gpu.occupancy(&a).active_blocks(32, LARGE)? > 0);
        assert!(gpu.occupancy(&b).block_size(LARGE, None)?.threads > 0);
        assert!(gpu.occupancy(&c).block_size_with(|_| LARGE, None)?.threads > 0);
        assert!(gpu.occupancy(&d).available_shared_bytes(1, 32)? > LARGE as usize);
        Ok(())
    });
}
