//! Devices, contexts and the stack.

use super::{Operation, create_green, device, pushed, shared, store};
use crate::common::UNWINDS;
use crate::common::gpu::try_new_context;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, LaunchConfig, current_context, ffi,
    foreign::{Ownership, ReleaseWith},
    settings::{CacheConfig, Limit, SharedMemoryConfig},
};

operations! {
    "count devices" => Device::all().map(drop);
    "name of a device" => device()?.name().map(drop);
    "address of a device" => device()?.pci_bus_id().map(drop);
    "device at an address" => Device::by_pci_bus_id(&*device()?.pci_bus_id()?).map(drop);
    "identity of a device" => {
        device()?.uuid()?;
        // Only Windows has such numbers.
        let luid = device()?.luid().map(drop);
        let none = Some(ffi::CUDA_ERROR_NOT_SUPPORTED);
        luid.or_else(|error| if error.code() == none { Ok(()) } else { Err(error) })
    };
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
            let (stream, mut held) = (s.on(&stream), s.hold(&mut buffer));
            stream.fill(&mut held, 1)?;
            stream.download(&held, &mut host)
        })
    });
    "a scope on two streams" => pushed(|gpu| {
        let (a, b, store) = (gpu.stream()?, gpu.stream()?, store(gpu)?);
        let (mut host, mut staged) = ([0; 8], [0; 8]);
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut held, mut staged) = (a.scratch::<u32>(8)?, s.stage(&mut staged));
            a.upload_staged(&staged, &mut held)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { b.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut held, 1_u32)) }?;
            staged.access()?[0] = 1;
            a.download(&held, &mut host)
        })
    });
    "scratch memory of a scope" => pushed(|gpu| {
        let (a, b, c) = (gpu.stream()?, gpu.stream()?, gpu.stream()?);
        gpu.scope(|s| {
            let a = s.on(&a);
            a.zero(&mut a.scratch::<u32>(8)?)?;
            let (b, c) = (s.on(&b), s.on(&c));
            let mut parts = b.scratch::<u32>(8)?.chunks(4)?;
            a.zero(&mut parts[0])?;
            c.zero(&mut parts[1])?;
            drop(parts);
            b.zero(&mut c.scratch::<u32>(8)?)
        })
    });
    "a scope that panics" => pushed(|gpu| {
        let (a, b) = (gpu.stream()?, gpu.stream()?);
        let scope = std::panic::AssertUnwindSafe(|| {
            gpu.scope(|s| {
                let mut held = s.on(&a).scratch::<u32>(8)?;
                s.on(&a).zero(&mut held)?;
                s.on(&b).zero(&mut held)?;
                if UNWINDS {
                    std::panic::resume_unwind(Box::new("not an error"));
                }
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
    "a context for a closure" => try_new_context()?.with(|gpu| gpu.synchronize());
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
    "what an address is" => pushed(|gpu| {
        let x = gpu.alloc::<u32>(4)?;
        gpu.pointer_info(x.address()).map(drop)
    });
    "synchronize a context" => pushed(|gpu| gpu.synchronize());
}
