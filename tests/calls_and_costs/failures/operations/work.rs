//! Streams, events, memory and launches.

use super::{Operation, pushed, store};
use crate::common;
use crate::common::kernels::{IGNORE, SPIN, STORE};
use crate::common::longer;
use crate::exporter;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, EventFlags, LaunchConfig, MemoryPool, PushedGuard,
    Result, StreamFlags,
    diagnostics::{CoreDumps, DriverLog, on_driver_log, on_over_budget},
    ffi,
    foreign::dlpack::Tensor,
    graphics::{GlDevices, Usage, gl_devices},
    memory::{Advice, Attachment, CopyFlags, Location, PoolAccess},
    ordered::OrderedOptions,
    settings::RdmaScope,
    stream::{SyncPolicy, Until},
    tensor_map::{Swizzle, TensorKind, TensorLayout},
    texture::{ArrayFlags, ArrayShape, Sampling},
    virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation},
};
use std::time::Duration;

fn core_dumps(dumps: CoreDumps<'_, '_>) -> Result {
    dumps.set_enabled(dumps.enabled()?)?;
    dumps.set_host(dumps.host()?)?;
    dumps.set_lightweight(dumps.lightweight()?)?;
    dumps.set_file(dumps.file()?)?;
    dumps.set_flags(dumps.flags()?)
}

/// A reservation with shareable memory, through its descriptor.
#[cfg(unix)]
fn import(device: Device, bytes: usize) -> Result<PhysicalMemory> {
    use std::os::fd::AsFd;
    let descriptor = PhysicalMemory::create_shareable(device, bytes)?.export()?;
    // SAFETY: 1. of that size. 2. Nothing uses it.
    unsafe { PhysicalMemory::import(descriptor.as_fd(), bytes) }
}

/// A buffer and images of what the software driver plays of OpenGL, mapped in every way.
fn graphics(gpu: &PushedGuard<'_>) -> Result {
    use cuscope_softdriver::gl::{self, Image, Object, TEXTURE_2D};
    gl::make_current(true);
    let image = Image {
        target: TEXTURE_2D,
        format: ffi::CU_AD_FORMAT_FLOAT,
        channels: 1,
        width: 8,
        height: 4,
        layers: 1,
        levels: 1,
    };
    let (bytes, image) = (Object::buffer(64), Object::image(image));
    // SAFETY: 1. It stays current. 2. Nothing else uses it. 3. Registered once.
    let buffer = unsafe { gpu.register_gl_buffer(bytes.name(), Usage::ReadWrite) }?;
    let (shape, none) = (ArrayShape::D2 { width: 8, height: 4 }, ArrayFlags::empty());
    let name = image.name();
    // SAFETY: 1. to 5. As above, and it has that level.
    let registered = unsafe {
        gpu.register_gl_image::<f32>(name, TEXTURE_2D, shape, 1, none, Usage::ReadWrite)
    }?;
    let stream = gpu.stream()?;
    drop(gpu.on(&stream).map_buffer::<u32>(&buffer)?);
    drop(gpu.on(&stream).map_image(&registered)?);
    let ordered = gpu.ordered_stream()?;
    let mut x = ordered.map_buffer::<u32>(&buffer)?;
    ordered.fill(&mut x, 1)?;
    drop(x);
    gl_devices(GlDevices::All)?;
    Ok(())
}

/// Imported memory with a buffer and an array, and a semaphore in every kind of stream and in graphs.
#[cfg(all(target_os = "linux", not(miri)))]
fn external(gpu: &PushedGuard<'_>) -> Result {
    use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
    use std::os::fd::{FromRawFd, OwnedFd};
    let bytes = PhysicalMemory::granularity(gpu.device())?;
    let memory = PhysicalMemory::create_shareable(gpu.device(), bytes)?.export()?;
    let (handle, flags) = (MemoryHandle::OpaqueFd(memory), MemoryFlags::empty());
    // SAFETY: 1. Of that size.
    let memory = unsafe { gpu.import_external_memory(handle, bytes as u64, flags) }?;
    // SAFETY: 1. and 2. Nothing else uses it.
    let mut x = unsafe { gpu.map_external_buffer::<u32>(&memory, 0, 64) }?;
    let (shape, flags) = (ArrayShape::D1 { width: 64 }, ArrayFlags::empty());
    // SAFETY: 1. to 3. As above, in another part.
    drop(unsafe { gpu.map_external_mipmapped_array::<u32>(&memory, 4096, shape, 2, flags) }?);
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { libc::eventfd(2, libc::EFD_CLOEXEC) };
    assert!(descriptor >= 0);
    // SAFETY: new, and of nobody else.
    let handle = SemaphoreHandle::OpaqueFd(unsafe { OwnedFd::from_raw_fd(descriptor) });
    // SAFETY: 1. and 2. A binary semaphore. Every wait comes after a signal.
    let semaphore = unsafe { gpu.import_external_semaphore(handle) }?;
    let (mut stream, all) = (gpu.stream()?, [(&semaphore, 0)]);
    gpu.on(&stream).wait_semaphores(&all)?;
    gpu.on(&stream).signal_semaphores(&all)?;
    gpu.scope(|s| {
        let (run, mut x) = (s.on(&stream), s.hold(&mut x));
        run.wait_semaphores(&all)?;
        run.fill(&mut x, 1)?;
        run.signal_semaphores(&all)
    })?;
    let ordered = gpu.ordered_stream()?;
    ordered.wait_semaphores(&all)?;
    ordered.signal_semaphores(&all)?;
    ordered.synchronize()?;
    let captured = gpu.capture(&mut stream, |c| {
        c.stream().wait_semaphores(&all)?;
        c.stream().signal_semaphores(&all)
    })?;
    gpu.on(&stream).replay(&captured, ())?;
    let (mut graph, (wait, signal)) = gpu.build_graph(|g| {
        let wait = g.wait_semaphores(&[], &all)?;
        Ok((wait, g.signal_semaphores(&[wait.id()], &all)?))
    })?;
    graph.set_waits(wait, &all)?;
    graph.set_signals(signal, &all)?;
    gpu.on(&stream).replay(&graph, ())?;
    let (mut definition, (wait, signal)) = gpu.define_graph(|g| {
        let wait = g.wait_semaphores(&[], &all)?;
        Ok((wait, g.signal_semaphores(&[wait.id()], &all)?))
    })?;
    definition.set_waits(wait, &all)?;
    definition.set_signals(signal, &all)
}

/// A pool with a buffer, through the descriptor of the pool.
#[cfg(unix)]
fn import_pooled(gpu: &PushedGuard<'_>) -> Result {
    use cuscope::ipc::ImportedPool;
    use std::os::fd::AsFd;
    let (pool, stream) = (MemoryPool::create_shareable(gpu.device())?, gpu.stream()?);
    let x = gpu.on(&stream).alloc_from::<u32>(&pool, 16)?;
    let sent = pool.export()?;
    let handle = gpu.export_pooled(&x)?;
    // SAFETY: 1. exported here. 2. Imported once.
    let imported = unsafe { ImportedPool::import(sent.as_fd()) }?;
    // SAFETY: 1. exported here. 2. Dropped before it. 3. Nothing uses it meanwhile. 4. Once.
    let mut y = unsafe { gpu.import_pooled::<u32>(&imported, &handle) }?;
    gpu.on(&stream).fill(&mut y, 1)
}

operations! {
    "a buffer that grows" => pushed(|gpu| {
        let piece = PhysicalMemory::granularity(gpu.device())? / size_of::<u32>();
        let mut x = gpu.alloc_growable::<u32>(4 * piece)?;
        x.grow(1)?;
        x.grow(3 * piece)?;
        gpu.on(&gpu.stream()?).fill(&mut x, 1)?;
        let other = Device::all()?[Device::count()? as usize - 1];
        if other != gpu.device() {
            x.set_access(other, MappedAccess::Read)?;
        }
        x.truncate(1)?;
        x.grow(2 * piece)
    });
    "virtual memory by hand" => pushed(|gpu| {
        let device = gpu.device();
        let bytes = PhysicalMemory::granularity(device)?;
        let mut addresses = Reservation::new(2 * bytes)?;
        addresses.map(0, PhysicalMemory::create(device, bytes)?)?;
        addresses.set_access(0, bytes, device, MappedAccess::ReadWrite)?;
        addresses.access(0, device)?;
        let memory = addresses.unmap(0)?;
        addresses.map(bytes, memory)
    });
    "multicast objects" => {
        let devices = Device::all()?;
        if !common::software() || !Multicast::is_supported(devices[0])? {
            return Ok(());
        }
        let bytes = Multicast::granularity(&devices, 1)?;
        let mut object = Multicast::create(&devices, bytes)?;
        object.bind(0, PhysicalMemory::create(devices[0], bytes)?)?;
        object.unbind(devices[0], 0)?;
        let mut addresses = Reservation::new(2 * bytes)?;
        addresses.map(0, PhysicalMemory::create(devices[0], bytes)?)?;
        object.bind_mapped(0, &addresses, 0)?;
        addresses.map_multicast(bytes, object)?;
        addresses.set_access(bytes, bytes, devices[0], MappedAccess::ReadWrite)?;
        addresses.unmap_multicast(bytes).map(drop)
    };
    "what links do" => pushed(|gpu| {
        let (device, add) = (gpu.device(), ffi::CU_ATOMIC_OPERATION_INTEGER_ADD);
        gpu.flush_rdma_writes(RdmaScope::AllDevices)?;
        if ffi::cuDeviceGetHostAtomicCapabilities().is_err() {
            return Ok(());
        }
        device.host_atomic_capabilities(&[add])?;
        match Device::all()?.get(1) {
            Some(&other) => device.p2p_atomic_capabilities(other, &[add]).map(drop),
            None => Ok(()),
        }
    });
    "a buffer and an event of another process" => pushed(|gpu| {
        if !exporter::is_there() {
            return gpu.synchronize();
        }
        // SAFETY: 1. and 2. The other process keeps it. 3. Nothing writes it. 4. Dropped at once.
        drop(unsafe { gpu.import_buffer::<u32>(&exporter::exported()) }?);
        gpu.export_buffer(&gpu.alloc::<u32>(1)?)?;
        // SAFETY: 1. and 2. The other process keeps it.
        unsafe { gpu.import_event(&exporter::exported_event()) }?.query()?;
        let event = gpu.event_with(EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING)?;
        gpu.export_event(&event).map(drop)
    });
    "memory and semaphores of another interface" => pushed(|gpu| {
        #[cfg(all(target_os = "linux", not(miri)))]
        external(gpu)?;
        gpu.synchronize()
    });
    "buffers and images of graphics" => pushed(|gpu| {
        if common::software() {
            graphics(gpu)?;
        }
        gpu.synchronize()
    });
    "a pool of another process" => pushed(|gpu| {
        #[cfg(unix)]
        if exporter::is_there() {
            import_pooled(gpu)?;
        }
        gpu.synchronize()
    });
    "physical memory of another process" => pushed(|gpu| {
        #[cfg(all(unix, not(miri)))]
        import(gpu.device(), PhysicalMemory::granularity(gpu.device())?)?;
        gpu.synchronize()
    });
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
    "an allocation on a busy stream" => pushed(|gpu| {
        let (stream, spin) = (gpu.stream()?, gpu.load_ptx(SPIN)?.function("spin")?);
        let time = longer(Duration::from_millis(5)).as_nanos() as u64;
        // SAFETY: the kernel is spin(u64), and uses no memory.
        unsafe { gpu.on(&stream).launch_unscoped(&spin, LaunchConfig::new(1, 1), (time,)) }?;
        gpu.on(&stream).alloc::<u32>(8)?;
        stream.synchronize()
    });
    "managed memory" => pushed(|gpu| {
        let (stream, here) = (gpu.stream()?, Location::from(gpu.device()));
        let (mut x, on) = (gpu.managed::<u32>(16)?, gpu.on(&stream));
        gpu.host_slice_mut(&mut x)?.fill(1);
        // SAFETY: 1. Not to one stream alone.
        unsafe { on.attach(&mut x, Attachment::Global) }?;
        gpu.advise(&x, Advice::ReadMostly(true))?;
        on.prefetch(&x, here)?;
        gpu.range_info(&x)?;
        on.discard(&mut x)?;
        gpu.scope(|s| s.on(&stream).prefetch(&s.hold(&mut x), here))?;
        let ordered = gpu.ordered_stream()?;
        ordered.prefetch(&ordered.adopt(x)?, here)
    });
    "a batch of copies" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let (from, mut to) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let (mut first, mut second) = to.split_at_mut(4)?;
        let (a, b) = (from.slice(..4)?, from.slice(4..)?);
        gpu.on(&stream).copy_batch([(&a, &mut second), (&b, &mut first)])?;
        gpu.scope(|s| s.on(&stream).copy_batch([(&from, &mut s.hold(&mut to))]))?;
        let ordered = gpu.ordered_stream()?;
        let (a, mut b) = (ordered.zeroed::<u32>(4)?, ordered.zeroed::<u32>(4)?);
        ordered.copy_batch([(&a, &mut b)])
    });
    "a batch of rows, and copies with flags" => pushed(|gpu| {
        let (stream, flags) = (gpu.stream()?, CopyFlags::PREFER_OVERLAP_WITH_COMPUTE);
        let mut from = gpu.alloc_pitched::<u32>((2, 2))?;
        let mut to = gpu.alloc_pitched::<u32>((2, 2))?;
        gpu.on(&stream).copy_batch([(&from, &mut to)])?;
        gpu.scope(|s| s.on(&stream).copy_batch([(&from, &mut s.hold(&mut to))]))?;
        if ffi::cuMemcpy3DWithAttributesAsync().is_err() {
            return Ok(());
        }
        gpu.on(&stream).copy_with(&to, &mut from, flags)?;
        gpu.scope(|s| s.on(&stream).copy_with(&from, &mut s.hold(&mut to), flags))?;
        let ordered = gpu.ordered_stream()?;
        let (a, mut b) = (ordered.zeroed::<u32>(4)?, ordered.zeroed::<u32>(4)?);
        ordered.copy_with(&a, &mut b, flags)
    });
    "numbers that streams wait for" => pushed(|gpu| {
        let (stream, value) = (gpu.stream()?, gpu.stream_value(0_u32)?);
        let all = [value.write(1), value.wait(Until::Equal(1))];
        gpu.scope(|s| s.on(&stream).value_operations(&all))
    });
    "tensor maps" => pushed(|gpu| {
        let x = gpu.alloc::<f32>(1024)?;
        gpu.tensor_map(&TensorLayout::tiled(&[32, 32], &[32, 8]), &x)?;
        TensorLayout::tiled(&[32, 32], &[32, 8]).encode(gpu, TensorKind::F32, x.address())?;
        let images = TensorLayout::im2col(&[4, 4, 8, 8], &[0, 0], &[0, 0], 4, 16);
        gpu.tensor_map(&images, &x)?;
        // For newer devices.
        let wide = TensorLayout::im2col_wide(&[32, 4, 8], 0, 0, 32, None).swizzle(Swizzle::Bytes128);
        let (wide, none) = (gpu.tensor_map(&wide, &x).map(drop), ffi::CUDA_ERROR_NOT_SUPPORTED);
        wide.or_else(|error| if error.code() == Some(none) { Ok(()) } else { Err(error) })
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
            unsafe { on.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 9_u32)) }?;
            on.host_function(|| ())?;
            on.record(&event)?;
            on.wait(&event)?;
            on.query()?;
            on.synchronize()?;
            on.to_vec(&x)?;
        }
        Ok(())
    });
    "arrays, textures and surfaces" => pushed(|gpu| {
        let (stream, shape) = (gpu.stream()?, ArrayShape::D2 { width: 4, height: 4 });
        let mut a = gpu.alloc_array::<u32>(shape, ArrayFlags::SURFACE)?;
        gpu.on(&stream).copy(&gpu.alloc::<u32>(16)?, &mut a)?;
        let mut levels = gpu.alloc_mipmapped_array::<u32>(shape, 2, ArrayFlags::empty())?;
        gpu.on(&stream).copy(&a.part(..2, ..2, ..)?, &mut levels.level_mut(1)?)?;
        gpu.surface(&mut a)?;
        gpu.texture(&levels, Sampling::default())?;
        Ok(())
    });
    "a texture of a surface in a scope" => pushed(|gpu| {
        let (stream, shape) = (gpu.stream()?, ArrayShape::D1 { width: 4 });
        let ignore = gpu.load_ptx(IGNORE)?.function("ignore")?;
        let surface = gpu.surface(gpu.alloc_array::<u32>(shape, ArrayFlags::SURFACE)?)?;
        let mut image = gpu.texture(surface, Sampling::default())?;
        gpu.scope(|s| {
            let (on, mut image) = (s.on(&stream), s.hold(&mut image));
            on.upload(&[1; 4], &mut image)?;
            // SAFETY: the kernel takes an object, and does nothing.
            unsafe { on.launch_unchecked(&ignore, LaunchConfig::new(1, 1), (image.surface_mut(),)) }?;
            // SAFETY: as above.
            unsafe { on.launch_unchecked(&ignore, LaunchConfig::new(1, 1), (&image,)) }
        })
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
            unsafe { s.on(&a).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut host, 9_u32)) }?;
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
    "rows" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let mut x = gpu.alloc_pitched::<u32>((4, 4, 2))?;
        on.upload(&[1; 32], &mut x)?;
        on.fill(&mut x.part_mut(1.., 1.., 1..)?, 2)?;
        on.download(&x.part(.., .., ..1)?, &mut [0; 16])?;
        on.zero(&mut x.part_mut(.., 1.., ..)?)?;
        on.fill(&mut gpu.alloc_pitched::<u16>((4, 4))?, 3)?;
        gpu.scope(|s| {
            let (mut upper, lower) = s.hold(&mut x).split_rows_at(2)?;
            s.on(&stream).copy(&lower, &mut upper)
        })
    });
    "copies between contexts" => {
        let create = |device| Context::create(Device::get(device)?, ContextFlags::default());
        let (first, second) = (create(0)?, create(1)?);
        let mut stack = ContextStack::current_thread()?;
        let mut outer = stack.push(&first)?;
        let theirs = outer.stream()?;
        let mut x = outer.on(&theirs).zeroed::<u32>(8)?;
        let gpu = outer.push(&second)?;
        let stream = gpu.stream()?;
        let (mut y, mut rows) = (gpu.alloc::<u32>(8)?, gpu.alloc_pitched::<u32>((4, 2))?);
        gpu.on(&stream).copy_from_peer(&x, &mut y)?;
        gpu.on(&stream).copy_from_peer(&x, &mut rows)?;
        gpu.on_legacy_default().copy_to_peer(&rows, &mut x)?;
        gpu.scope(|s| {
            let (run, mut y) = (s.on(&stream), s.hold(&mut y));
            run.zero(&mut y)?;
            run.copy_to_peer(&y, &mut x)
        })?;
        gpu.scope(|s| {
            let (there, mut x) = (s.on_peer(&theirs), s.hold_peer(&mut x));
            let (here, mut y) = (s.on(&stream), s.hold(&mut y));
            there.fill(&mut x, 1)?;
            here.copy_from_peer(&x, &mut y)?;
            there.copy_from_peer(&y, &mut x)
        })?;
        gpu.pop()?;
        outer.pop()
    };
    "access of other devices" => {
        let (first, second) = (Device::get(0)?, Device::get(1)?);
        assert!(first.can_access_peer(second)?);
        first.p2p_attribute(second, ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)?;
        let pool = MemoryPool::create(first)?;
        pool.set_access(second, PoolAccess::ReadWrite)?;
        assert_eq!(pool.access(second)?, PoolAccess::ReadWrite);
        let other = Context::create(second, ContextFlags::default())?;
        pushed(|gpu| {
            gpu.enable_peer_access(&other)?;
            gpu.disable_peer_access(&other)
        })
    };
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
    "memory for other hardware" => pushed(|gpu| {
        #[cfg(not(unix))]
        let _ = gpu;
        #[cfg(unix)]
        match gpu.export_dma_buf(&gpu.alloc::<u32>(1 << 20)?) {
            // There is none on the software driver.
            Err(error) if error.code() == Some(ffi::CUDA_ERROR_NOT_SUPPORTED) => {}
            exported => drop(exported?),
        }
        Ok(())
    });
    "memory of a pool of the host" => pushed(|gpu| {
        let (stream, pool) = (gpu.stream()?, MemoryPool::create(Location::Host)?);
        let first = MemoryPool::default_of(Location::Host)?;
        pool.make_current()?;
        assert!(pool.is_current()?);
        first.make_current()?;
        let mut pinned = gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 4)?;
        assert_eq!(*pinned, [0; 4]);
        pinned.fill(3);
        Ok(())
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
    "pages of the driver" => pushed(|gpu| {
        let (first, second) = gpu.pinned_pages(8192)?.split_at(4096)?;
        first.into_zeroed::<u64>().map(drop)?;
        drop(second);
        Ok(())
    });
    "an owned guard" => {
        let context = common::gpu::try_new_context()?;
        let mut owned = context.push_owned()?;
        owned.with(|gpu| gpu.synchronize())?;
        owned.pop()
    };
    "work that returns at once" => pushed(|gpu| {
        let (stream, event) = (gpu.stream()?, gpu.event()?);
        let (x, mut y) = (gpu.alloc::<u32>(16)?, gpu.alloc::<u32>(16)?);
        let on = gpu.on(&stream);
        let (store, mut host) = (store(gpu)?, [0_u32; 16]);
        // SAFETY: 1. and 2. The buffer lives longer, and the work is ordered by the stream.
        let mut part = unsafe { gpu.device_range::<u32>(x.address(), 16) }?;
        let (mut address, mut value) = (x.address(), 2_u32);
        let mut pointers = [(&raw mut address).cast(), (&raw mut value).cast()];
        // SAFETY: the work is ordered by the stream, whose end is waited for, as in the next calls. What fails is over or was
        // not begun.
        let mut done = unsafe { on.upload_unscoped(&raw const host, &mut part) };
        // SAFETY: as above.
        done = done.and_then(|()| unsafe { on.copy_unscoped(&part, &mut y) });
        // SAFETY: as above.
        done = done.and_then(|()| unsafe {
            on.launch_raw(&store, LaunchConfig::new(1, 1), &mut pointers)
        });
        // SAFETY: as above.
        done = done.and_then(|()| unsafe { on.download_unscoped(&y, &raw mut host) });
        // SAFETY: as above.
        done = done.and_then(|()| unsafe { event.record_in(stream.raw()) });
        // SAFETY: as above.
        done = done.and_then(|()| unsafe { event.wait_in(stream.raw()) });
        let waited = stream.synchronize();
        done.and(waited)
    });
    "a capture that is a value" => pushed(|gpu| {
        let (stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(16)?);
        let guarded = gpu.load_guarded(STORE)?.kernel::<(&mut [u32], u32)>("store")?;
        let open = gpu.open_capture(&stream)?;
        open.on(gpu)?.fill(&mut x, 1)?;
        open.on(gpu)?.launch(&guarded, LaunchConfig::new(1, 1), (&mut x, 2))?;
        let graph = open.finish(gpu)?;
        gpu.on(&stream).replay(&graph, &mut x)
    });
    "registered memory" => pushed(|gpu| {
        let mut data = vec![0_u8; 8192];
        gpu.with_registered(&mut data, |_| Ok(()))?;
        gpu.with_registered_read_only(&data, |_| Ok(()))?;
        // SAFETY: dropped at the end of the statement.
        unsafe { gpu.register(&mut data) }?.device_address(gpu).map(drop)
    });
    "handles of other code" => pushed(|gpu| {
        let (stream, event, memory) = (gpu.stream()?, gpu.event()?, gpu.alloc::<u32>(8)?);
        let raw = stream.raw();
        // SAFETY: 1. The stream keeps itself. 2. and 3. Nobody captures it.
        let stream = unsafe { gpu.stream_from_raw(raw, stream.detach()) }?;
        // SAFETY: 1. to 3. The event keeps itself, and is of this context.
        let event = unsafe { gpu.event_from_raw(event.raw(), event.detach()) }?;
        // SAFETY: 1. to 3. The memory outlives it, and nothing else uses it. What keeps it may be leaked.
        let mut x = unsafe { gpu.buffer_from_raw::<u32>(memory.address(), 8, ()) }?;
        gpu.on(&stream).fill(&mut x, 1)?;
        gpu.on(&stream).record(&event)?;
        // SAFETY: 1. to 3. Nothing is enqueued.
        unsafe { gpu.on(&stream).foreign((&mut x,), |_, _| ()) }?;
        let other = gpu.stream()?;
        gpu.scope(|s| {
            let mut x = s.hold(&mut x);
            // SAFETY: 1. to 4. Nothing is enqueued.
            unsafe { s.on(&stream).foreign((&mut x,), |_, _| ()) }?;
            // SAFETY: as above.
            unsafe { s.on(&other).foreign((&mut x,), |_, _| ()) }
        })?;
        let ordered = gpu.ordered_stream_with(stream, &OrderedOptions::new().staging(0))?;
        let mut x = ordered.adopt(x)?;
        ordered.fill(&mut x, 2)?;
        drop(x);
        ordered.synchronize()
    });
    "tensors" => pushed(|gpu| {
        let tensor: Tensor = gpu.alloc::<u32>(8)?.into_dlpack(&[2, 4])?;
        // SAFETY: 1. and 2. It is the memory above, which nothing else uses.
        unsafe { gpu.buffer_from_dlpack::<u32, _>(tensor) }?;
        // In host memory it would be leaked after faults.
        drop::<Tensor>(gpu.pinned::<u32>(8)?.into_dlpack(&[8])?);
        Ok(())
    });
    "a launch" => pushed(|gpu| {
        let (stream, store) = (gpu.stream()?, store(gpu)?);
        store.attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let mut out = gpu.alloc::<u32>(1)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut out, 9_u32)) }
    });
    "a launch with attributes" => pushed(|gpu| {
        let (stream, store) = (gpu.stream()?, store(gpu)?);
        let mut out = gpu.alloc::<u32>(1)?;
        let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
        let launch = LaunchConfig::new(1, 1).with_shared_bytes(50_000).extended().cooperative();
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { gpu.on(&stream).launch_unchecked(&store, launch, (&mut out, 9_u32)) }?;
        gpu.scope(|s| {
            let launch = launch.programmatic_event(&event, false);
            // SAFETY: as above.
            unsafe { s.on(&stream).launch_unchecked(&store, launch, (&mut s.hold(&mut out), 9_u32)) }
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
        drop(on_over_budget(Device::get(0)?, |_| ())?);
        DriverLog::now()?.read()?;
        let file = common::temporary("failures");
        let written = DriverLog::all().write_to(&file);
        let _ = std::fs::remove_file(file);
        written
    };
    "core dumps" => pushed(|gpu| {
        core_dumps(CoreDumps::process())?;
        core_dumps(gpu.core_dumps())
    });
}
