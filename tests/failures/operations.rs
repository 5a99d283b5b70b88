//! The public operations, each with what it needs around it.

use crate::common::gpu::try_new_context;
use crate::common::kernels::STORE;
use cuscope::{
    Branded, CacheConfig, Context, ContextFlags, ContextStack, CoreDumps, Detached, Device,
    DotFlags, DriverLog, Error, EventFlags, JitOptions, LaunchConfig, Library, Limit, LoadingMode,
    MemoryPool, Ownership, Ptx, PushedGuard, ReleaseWith, Result, SharedMemoryConfig, SmSplitFlags,
    Stream, StreamFlags, SyncPolicy, current_context, ffi, on_driver_log,
};
use std::sync::atomic::{AtomicPtr, Ordering};

/// An operation, alone in the process.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> Result,
}

fn device() -> Result<Device> {
    Device::get(0)
}

/// Runs `f` under a guard, and pops that.
fn pushed(f: impl FnOnce(&mut PushedGuard<'_>) -> Result) -> Result {
    let context = try_new_context()?;
    let mut stack = ContextStack::current_thread()?;
    let mut gpu = stack.push(&context)?;
    f(&mut gpu)?;
    gpu.pop()
}

/// What `try_destroy` and `into_raw` answer if something else holds the context.
fn shared<R>(_: Context) -> Result<R> {
    panic!("nothing else holds the context")
}

/// The green context that was made last.
pub(crate) static GREEN: AtomicPtr<ffi::CUgreenCtx_st> = AtomicPtr::new(std::ptr::null_mut());

fn create_green() -> Result<Context> {
    let split = device()?.sm_resource()?.split_by_count(1, 8, SmSplitFlags::empty())?;
    let context = Context::create_green(&split.groups)?;
    GREEN.store(context.raw_green().expect("it is one"), Ordering::Relaxed);
    Ok(context)
}

fn store<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<cuscope::Function<'ctx>> {
    gpu.load_ptx(STORE)?.function("store")
}

fn core_dumps(dumps: CoreDumps<'_, '_>) -> Result {
    dumps.set_enabled(dumps.enabled()?)?;
    dumps.set_host(dumps.host()?)?;
    dumps.set_lightweight(dumps.lightweight()?)?;
    dumps.set_file(dumps.file()?)?;
    dumps.set_flags(dumps.flags()?)
}

macro_rules! operations {
    ($($name:literal => $run:expr;)*) => {
        pub(crate) const OPERATIONS: &[Operation] =
            &[$(Operation { name: $name, run: || $run }),*];
    };
}

operations! {
    "count devices" => Device::all().map(drop);
    "name of a device" => device()?.name().map(drop);
    "address of a device" => device()?.pci_bus_id().map(drop);
    "identity of a device" => device()?.uuid().map(drop);
    "memory of a device" => device()?.total_memory().map(drop);
    "attribute of a device" => device()?.compute_capability().map(drop);
    "affinity of a device" => device()?.supports_exec_affinity().map(drop);

    "create a context" => try_new_context().map(drop);
    "create a context with parameters" => {
        let params = ffi::CUctxCreateParams {
            execAffinityParams: std::ptr::null_mut(),
            numExecAffinityParams: 0,
            cigParams: std::ptr::null_mut(),
        };
        // SAFETY: the pointers are null.
        unsafe { Context::create_with_params(device()?, ContextFlags::default(), params) }.map(drop)
    };
    "create a context with affinity" => {
        match Context::create_with_affinity(device()?, ContextFlags::default(), 1) {
            // No device has it but under the multi-process service.
            Err(e) if e.code() == Some(ffi::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY) => Ok(()),
            other => other.map(drop),
        }
    };
    "destroy a context" => try_new_context()?.try_destroy().or_else(shared)?;
    "retain a primary context" => Context::primary(device()?).map(drop);
    "release a primary context" => Context::primary(device()?)?.try_destroy().or_else(shared)?;
    "state of a primary context" => device()?.primary_context_state().map(drop);
    "flags of a primary context" => {
        device()?.set_primary_context_flags(ContextFlags::default())
    };
    "reset a primary context" => {
        // SAFETY: nothing of it is in use.
        unsafe { device()?.reset_primary_context() }
    };
    "create a green context" => {
        let context = create_green()?;
        context.sm_resource()?;
        let mut stack = ContextStack::current_thread()?;
        stack.push(&context)?.pop()
    };
    "take a context over" => {
        let raw = try_new_context()?.into_raw().or_else(shared)?;
        // SAFETY: alive, and this code's to destroy.
        unsafe { Context::from_raw(raw.raw, Ownership::TakeOver) }
            .inspect_err(|_| {
                assert_eq!(raw.release, ReleaseWith::Destroy);
                // SAFETY: still this code's to destroy.
                let _ = unsafe { ffi::cuCtxDestroy_v2(raw.raw) };
            })
            .map(drop)
    };
    "take a context over while the primary one is active" => {
        let _primary = Context::primary(device()?)?;
        let raw = try_new_context()?.into_raw().or_else(shared)?;
        // SAFETY: alive, and this code's to destroy.
        unsafe { Context::from_raw(raw.raw, Ownership::TakeOver) }
            .inspect_err(|_| {
                // SAFETY: still this code's to destroy.
                let _ = unsafe { ffi::cuCtxDestroy_v2(raw.raw) };
            })
            .map(drop)
    };
    "borrow a context" => {
        let owner = try_new_context()?;
        // SAFETY: alive until `owner` is dropped, below.
        let borrowed = unsafe { Context::from_raw(owner.raw(), Ownership::Borrow) }?;
        ContextStack::current_thread()?.push(&borrowed)?.pop()
    };
    "retain a foreign primary context" => {
        let owner = Context::primary(device()?)?;
        // SAFETY: alive.
        unsafe { Context::from_raw(owner.raw(), Ownership::RetainPrimary) }.map(drop)
    };
    "take a green context over" => {
        let raw = create_green()?.into_raw().or_else(shared)?;
        let ReleaseWith::DestroyGreen(green) = raw.release else { panic!("{raw:?}") };
        // SAFETY: alive, and this code's to destroy.
        unsafe { Context::from_raw_green(green) }
            .inspect_err(|_| {
                // SAFETY: still this code's to destroy.
                let _ = ffi::cuGreenCtxDestroy().map(|destroy| unsafe { destroy(green) });
            })
            .map(drop)
    };
    "tell of a context" => {
        let context = try_new_context()?;
        context.id()?;
        context.api_version()?;
        context.is_current()?;
        context.synchronize()
    };
    "format a context" => {
        let context = try_new_context()?;
        assert!(context.to_string().starts_with("created context "), "{context}");
        assert!(format!("{context:?}").starts_with("Context "), "{context:?}");
        Ok(())
    };
    "look at the current context" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        let _gpu = stack.push(&context)?;
        let current = current_context()?.ok_or(Error::StackTaken)?;
        current.device()?;
        current.flags()?;
        current.id().map(drop)
    };

    "take the stack" => ContextStack::current_thread().map(drop);
    "push and pop" => pushed(|_| Ok(()));
    "push and drop" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        stack.push(&context).map(drop)
    };
    "a scope on one stream" => pushed(|gpu| {
        let (stream, mut buffer) = (gpu.stream()?, gpu.alloc::<u32>(8)?);
        let mut host = [0; 8];
        gpu.scope(|s| {
            let (q, mut held) = (s.on(&stream), s.hold(&mut buffer));
            q.fill(&mut held, 1)?;
            q.download(&held, &mut host)
        })
    });
    "a scope on two streams" => pushed(|gpu| {
        let (a, b, store) = (gpu.stream()?, gpu.stream()?, store(gpu)?);
        let (mut host, mut staged) = ([0; 8], [0; 8]);
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut held, mut staged) = (s.scratch::<u32>(8)?, s.stage(&mut staged));
            a.upload_staged(&staged, &mut held)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { b.launch(&store, LaunchConfig::new(1, 1), (&mut held, 1_u32)) }?;
            staged.access()?[0] = 1;
            a.download(&held, &mut host)
        })
    });
    "a scope that panics" => pushed(|gpu| {
        let (a, b) = (gpu.stream()?, gpu.stream()?);
        let scope = std::panic::AssertUnwindSafe(|| {
            gpu.scope(|s| {
                let mut held = s.scratch::<u32>(8)?;
                s.on(&a).zero(&mut held)?;
                s.on(&b).zero(&mut held)?;
                std::panic::resume_unwind(Box::new("not an error"));
                #[expect(unreachable_code, reason = "names the closure's type")]
                Ok(())
            })
        });
        std::panic::catch_unwind(scope).unwrap_or(Ok(()))
    });
    "push five deep" => pushed(|gpu| {
        let contexts = [try_new_context()?, Context::primary(device()?)?];
        let mut second = gpu.push(&contexts[0])?;
        let mut third = second.push(&contexts[1])?;
        let mut fourth = third.push(&contexts[0])?;
        fourth.push(&contexts[0])?.pop()?;
        fourth.pop()?;
        drop(third);
        second.synchronize()?;
        second.pop()
    });
    "leave a function in the middle" => {
        let left = pushed(|gpu| {
            let other = try_new_context()?;
            let inner = gpu.push(&other)?;
            let _stream = inner.stream()?;
            Err(Error::StackTaken)
        });
        if left == Err(Error::StackTaken) { Ok(()) } else { left }
    };
    "work in a reentrant call" => {
        let context = try_new_context()?;
        ContextStack::reentrant(|stack| {
            let mut gpu = stack.push(&context)?;
            gpu.push(&context)?.synchronize()?;
            ContextStack::reentrant(|stack| stack.push(&context)?.pop())
        })
    };
    "drop an outer guard in a reentrant call" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        let outer = stack.push(&context)?;
        let context = &context;
        ContextStack::reentrant(move |stack| {
            let inner = stack.push(context)?;
            drop(outer);
            inner.pop()
        })
    };
    "drop the stack in a reentrant call" => {
        let context = try_new_context()?;
        let stack = ContextStack::current_thread()?;
        ContextStack::reentrant(move |nested| {
            nested.push(&context)?.pop()?;
            drop(stack);
            Ok(())
        })
    };

    "limits" => pushed(|gpu| gpu.set_limit(Limit::StackSize, gpu.limit(Limit::StackSize)?));
    "cache configuration" => pushed(|gpu| {
        gpu.cache_config()?;
        gpu.set_cache_config(CacheConfig::PreferL1)
    });
    "banks of shared memory" => pushed(|gpu| {
        gpu.shared_memory_config()?;
        gpu.set_shared_memory_config(SharedMemoryConfig::DefaultBankSize)
    });
    "persisting cache" => pushed(|gpu| gpu.reset_persisting_l2_cache());
    "flags of a context" => pushed(|gpu| {
        gpu.flags()?;
        gpu.set_flags(ContextFlags::SCHED_SPIN)
    });
    "priorities" => pushed(|gpu| gpu.stream_priority_range().map(drop));
    "affinity of a context" => pushed(|gpu| gpu.exec_affinity().map(drop));
    "memory of a context" => pushed(|gpu| gpu.memory_info().map(drop));
    "synchronize a context" => pushed(|gpu| gpu.synchronize());

    "streams" => pushed(|gpu| {
        let stream = gpu.stream_with(StreamFlags::empty())?;
        stream.flags()?;
        stream.query()?;
        stream.synchronize()?;
        gpu.stream_with_priority(StreamFlags::NON_BLOCKING, -1)?.priority().map(drop)
    });
    "attributes of streams" => pushed(|gpu| {
        let (a, b) = (gpu.stream()?, gpu.stream()?);
        a.id()?;
        assert_eq!(a.sync_policy()?, None);
        a.set_sync_policy(SyncPolicy::Yield)?;
        a.set_access_policy_window(None)?;
        a.access_policy_window()?;
        a.set_priority(-1)?;
        a.set_mem_sync_domain(a.mem_sync_domain()?)?;
        a.set_mem_sync_domain_map(a.mem_sync_domain_map()?)?;
        b.copy_attributes(&a)
    });
    "default streams" => pushed(|gpu| {
        let (mut x, event, store) = (gpu.alloc::<u32>(8)?, gpu.event()?, store(gpu)?);
        for on in [gpu.on_legacy_default(), gpu.on_per_thread_default()] {
            on.upload(&[1; 8], &mut x)?;
            let (from, mut to) = x.split_at_mut(4)?;
            on.copy(&from, &mut to)?;
            on.fill(&mut to, 2)?;
            on.zero(&mut to)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { on.launch(&store, LaunchConfig::new(1, 1), (&mut x, 9_u32)) }?;
            on.host_function(|| ())?;
            on.record(&event)?;
            on.wait(&event)?;
            on.query()?;
            on.synchronize()?;
            on.to_vec(&x)?;
        }
        Ok(())
    });
    "parts of a buffer" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let mut x = on.zeroed::<u32>(8)?;
        on.fill(&mut x.slice_mut(2..4)?, 1)?;
        for mut chunk in x.chunks_mut(3)? {
            on.upload(&vec![5; chunk.len()], &mut chunk)?;
        }
        on.to_vec(&x.slice(1..)?).map(drop)
    });
    "mapped memory in a scope" => pushed(|gpu| {
        let (a, b, store) = (gpu.stream()?, gpu.stream()?, store(gpu)?);
        let (mut host, mut x) = (gpu.pinned::<u32>(4)?, gpu.alloc::<u32>(4)?);
        gpu.scope(|s| {
            let (mut host, mut x) = (s.map(&mut host), s.hold(&mut x));
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { s.on(&a).launch(&store, LaunchConfig::new(1, 1), (&mut host, 9_u32)) }?;
            s.on(&b).upload_staged(&host, &mut x)?;
            host.access().map(drop)
        })
    });
    "events" => pushed(|gpu| {
        let (stream, first, last) = (gpu.stream()?, gpu.event()?, gpu.event()?);
        let _blocking = gpu.event_with(EventFlags::BLOCKING_SYNC)?;
        let on = gpu.on(&stream);
        on.record(&first)?;
        on.wait(&first)?;
        on.record(&last)?;
        gpu.wait_event(&last)?;
        gpu.record_event(&last)?;
        last.synchronize()?;
        last.query()?;
        last.elapsed_since(&first).map(drop)
    });
    "copies" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let (mut from, mut to) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let (data, mut back) = ([7; 8], [0; 8]);
        let on = gpu.on(&stream);
        on.upload(&data, &mut from)?;
        on.copy(&from, &mut to)?;
        on.download(&to, &mut back)?;
        assert_eq!(back, data);
        Ok(())
    });
    "fills" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        on.fill(&mut gpu.alloc::<u8>(8)?, 1)?;
        on.fill(&mut gpu.alloc::<u16>(8)?, 1)?;
        on.fill(&mut gpu.alloc::<u32>(8)?, 1)?;
        on.zero(&mut gpu.alloc::<u64>(8)?)
    });
    "memory of a pool" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let pool = MemoryPool::create_with_limit(gpu.device(), 64 << 20)?;
        let first = MemoryPool::default_of(gpu.device())?;
        pool.make_current()?;
        assert!(pool.is_current()?);
        first.make_current()?;
        pool.set_release_threshold(pool.release_threshold()?)?;
        pool.set_reuse(pool.reuse()?)?;
        let buffer = on.alloc_from::<u32>(&pool, 4)?;
        pool.usage()?;
        pool.reset_high_marks()?;
        pool.trim_to(0)?;
        drop(pool);
        on.to_vec(&buffer).map(drop)
    });
    "memory in the order of a stream" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let _buffer = on.alloc::<u32>(4)?;
        let (from, zeros) = (on.from_slice(&[1_u32; 4])?, on.zeroed::<u32>(4)?);
        drop(zeros);
        on.to_vec(&from).map(|all| assert_eq!(all, [1; 4]))
    });
    "pinned memory" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let (from, mut to) = (gpu.pinned_from(&[3_u8; 64])?, gpu.pinned::<u8>(64)?);
        from.device_address(gpu)?;
        let buffer = gpu.on(&stream).from_slice(&from)?;
        gpu.on(&stream).download(&buffer, &mut to)
    });
    "registered memory" => pushed(|gpu| {
        let mut data = vec![0_u8; 8192];
        gpu.with_registered(&mut data, |_| Ok(()))?;
        gpu.with_registered_read_only(&data, |_| Ok(()))?;
        // SAFETY: dropped at the end of the statement.
        unsafe { gpu.register(&mut data) }?.device_address(gpu).map(drop)
    });
    "a launch" => pushed(|gpu| {
        let (stream, store) = (gpu.stream()?, store(gpu)?);
        store.attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let mut out = gpu.alloc::<u32>(1)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { gpu.on(&stream).launch(&store, LaunchConfig::new(1, 1), (&mut out, 9_u32)) }
    });
    "a launch with attributes" => pushed(|gpu| {
        let (stream, store) = (gpu.stream()?, store(gpu)?);
        let mut out = gpu.alloc::<u32>(1)?;
        let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        store.set_max_dynamic_shared_bytes(50_000)?;
        let launch = LaunchConfig::new(1, 1).with_shared_bytes(50_000).extended().cooperative();
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { gpu.on(&stream).launch(&store, launch, (&mut out, 9_u32)) }?;
        gpu.scope(|s| {
            let launch = launch.programmatic_event(&event, false);
            // SAFETY: as above.
            unsafe { s.on(&stream).launch(&store, launch, (&mut s.hold(&mut out), 9_u32)) }
        })
    });
    "occupancy" => pushed(|gpu| {
        let store = store(gpu)?;
        let occupancy = gpu.occupancy(&store);
        occupancy.cooperative_blocks(32, 0)?;
        occupancy.block_size_with(|threads| threads, None)?;
        occupancy.available_shared_bytes(2, 64)?;
        let launch = LaunchConfig::by_occupancy(gpu, &store, 2048, 0)?.extended();
        occupancy.max_cluster_size(&launch)?;
        occupancy.active_clusters(&launch.cluster(2)).map(drop)
    });
    "profiling" => pushed(|gpu| {
        drop(gpu.profiling()?);
        gpu.profiling()?.stop()
    });
    "the driver's log" => {
        drop(on_driver_log(|_, _| ())?);
        DriverLog::now()?.read()?;
        DriverLog::all().write_to("/dev/null")
    };
    "core dumps" => pushed(|gpu| {
        core_dumps(CoreDumps::process())?;
        core_dumps(gpu.core_dumps())
    });
    "a graph" => pushed(|gpu| {
        let (mut stream, store) = (gpu.stream()?, store(gpu)?);
        let (mut x, mut y) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let one = LaunchConfig::new(1, 1);
        let graph = gpu.capture(&mut stream, |c| {
            let (q, mut x, mut y) = (c.queue(), c.hold(&mut x), c.hold(&mut y));
            q.fill(&mut x, 1)?;
            q.copy(&x, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { q.launch(&store, one, (&mut y, 9_u32)) }
        })?;
        graph.nodes()?;
        graph.edges()?;
        gpu.on(&stream).replay(&graph, (&mut x, &mut y))?;
        gpu.scope(|s| s.on(&stream).replay(&graph, (&mut s.hold(&mut x), &mut s.hold(&mut y))))
    });
    "a built graph" => pushed(|gpu| {
        let (stream, store, event) = (gpu.stream()?, store(gpu)?, gpu.event()?);
        let (mut x, mut y) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let one = LaunchConfig::new(1, 1);
        let (child, _) = gpu.build_graph(|g| g.zero(&[], &mut g.hold(&mut y)))?;
        let (mut graph, (fill, kernel)) = gpu.build_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
            let fill = g.fill(&[], &mut x, 1)?;
            g.copy(&[], &x, &mut y)?;
            g.child(&[], &child, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let kernel = unsafe { g.kernel(&[], &store, one, (&mut y, 9_u32)) }?;
            let last = g.empty(&[kernel.id()])?.id();
            let called = g.host_function(&[last], || ())?.id();
            g.wait(&[], &event)?;
            g.record(&[called], &event)?;
            Ok((fill, kernel))
        })?;
        graph.list_nodes()?;
        graph.set_fill(fill, 2_u32)?;
        graph.set_enabled(kernel, false)?;
        graph.is_enabled(kernel)?;
        // SAFETY: as above.
        unsafe { gpu.set_kernel(&mut graph, kernel, &store, one, (&mut y, 8_u32)) }?;
        graph.dot(DotFlags::empty())?;
        let copy = graph.try_clone(gpu)?;
        gpu.on(&stream).replay(&copy, (&mut x, &mut y))?;
        gpu.rebuild_graph(&mut graph, |_| Ok(())).map(drop)
    });
    "a built graph that allocates" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let (graph, ()) = gpu.build_graph(|g| {
            let (mut memory, _) = g.alloc::<u32>(&[], 8)?;
            let (_left, _) = g.alloc::<u32>(&[], 8)?;
            g.fill(&[], &mut memory, 1)?;
            g.free(&[], memory).map(drop)
        })?;
        gpu.on(&stream).replay(&graph, ())
    });
    "a graph captured again" => pushed(|gpu| {
        let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(8)?);
        let mut graph = gpu.capture(&mut stream, |c| c.queue().fill(&mut c.hold(&mut x), 1))?;
        gpu.recapture(&mut graph, &mut stream, |c| c.queue().fill(&mut c.hold(&mut x), 2))?;
        gpu.recapture(&mut graph, &mut stream, |_| Ok(()))?;
        gpu.on(&stream).upload_graph(&graph)
    });
    "a graph of two streams" => pushed(|gpu| {
        let (mut main, mut side) = (gpu.stream()?, gpu.stream()?);
        gpu.capture(&mut main, |c| {
            let (mut x, mut y) = (c.scratch::<u32>(8)?, c.scratch::<u32>(8)?);
            c.queue().fill(&mut x, 1)?;
            c.fork(&mut side)?.copy(&x, &mut y)
        }).map(drop)
    });
    "a graph of streams with buffers" => pushed(|gpu| {
        let (mut main, mut side) = (gpu.stream()?, gpu.stream()?);
        let _first = gpu.on(&main).alloc::<u32>(8)?;
        let _second = gpu.on(&side).alloc::<u32>(8)?;
        gpu.capture(&mut main, |c| {
            let mut x = c.scratch::<u32>(8)?;
            c.fork(&mut side)?.fill(&mut x, 1)
        }).map(drop)
    });
    "options of the compiler" => pushed(|gpu| {
        gpu.load_with(&Ptx::new(STORE)?, &JitOptions::new().verbose()).map(drop)
    });
    "functions of a module" => pushed(|gpu| {
        let module = gpu.load_ptx(STORE)?;
        for function in module.functions()? {
            function.name()?;
            function.parameters()?;
            function.load()?;
            function.is_loaded()?;
            function.set_max_dynamic_shared_bytes(1024)?;
            function.set_cache_config(CacheConfig::PreferL1)?;
            function.set_shared_memory_config(SharedMemoryConfig::FourByteBankSize)?;
        }
        module.kernel::<(&mut [u32], u32)>("store").map(drop)
    });
    "a variable of a module" => pushed(|gpu| {
        let module = gpu.load_ptx(include_str!("../code/signatures.ptx"))?;
        module.variable::<u32>("counter").map(drop)
    });
    "unload a module" => pushed(|gpu| gpu.load_ptx(STORE)?.try_unload().expect("it is alone"));
    "how code is loaded" => LoadingMode::current().map(drop);
    "a library" => {
        let library = Library::load(&Ptx::new(include_str!("../code/signatures.ptx"))?)?;
        for kernel in library.kernels()? {
            kernel.name()?;
            kernel.set_max_dynamic_shared_bytes(device()?, 1024)?;
            kernel.set_cache_config(device()?, CacheConfig::PreferL1)?;
            kernel.attribute(device()?, ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        }
        pushed(|gpu| {
            library.kernel("saxpy")?.typed::<(u32, f32, &[f32], &mut [f32])>(gpu)?;
            library.raw_module(gpu)?;
            library.variable::<u32>(gpu, "counter").map(drop)
        })?;
        library.try_unload().expect("it is alone")
    };
    "what a library has not" => {
        let library = Library::load(&Ptx::new(STORE)?)?;
        let none = |error: Error| match error.code() {
            Some(ffi::CUDA_ERROR_NOT_FOUND | ffi::CUDA_ERROR_INVALID_VALUE) => Ok(()),
            _ => Err(error),
        };
        library.managed("none").map(drop).or_else(none)?;
        library.unified_function("none").map(drop).or_else(none)
    };
    "the linker" => pushed(|gpu| {
        let linker = gpu.linker(&JitOptions::new())?.add(&Ptx::new(STORE)?, "store")?;
        gpu.load(&linker.finish()?.cubin).map(drop)
    });
    "host functions in a scope" => pushed(|gpu| {
        let stream = gpu.stream()?;
        gpu.scope(|s| s.on(&stream).host_function(|| ()))
    });
    "a host function" => pushed(|gpu| gpu.on(&gpu.stream()?).host_function(|| ()));
    "the end of a stream" => pushed(|gpu| {
        let finished = gpu.stream()?.finished()?;
        drop(finished);
        Ok(())
    });
    "handles that are detached" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let stream: Detached<Stream<'static>> = gpu.stream()?.detach();
        gpu.pop()?;
        let gpu = stack.push(&context)?;
        gpu.bind(&stream)?.query()?;
        let stream = gpu.attach(stream)?;
        let buffer = gpu.alloc::<u8>(3)?.detach();
        let rest = (stream, gpu.event()?, Some(store(&gpu)?), [gpu.stream()?]).detach();
        gpu.pop()?;
        drop((buffer, rest));
        Ok(())
    };
}
