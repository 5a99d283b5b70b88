//! The `Debug` output of handles: their kind, where they are, and their context.
#![allow(unsafe_code, reason = "launches kernels, and registers memory")]

use crate::common::gpu::try_with_gpu;
use crate::common::kernels::SAXPY;
use cuscope::graph::{Condition, EmptyNode, Node, kind};
use cuscope::library::Library;
use cuscope::tensor_map::TensorLayout;
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::virtual_memory::{PhysicalMemory, Reservation};
use cuscope::*;
use std::collections::HashSet;
use std::fmt::Debug;

/// Asserts how the text of a value begins.
#[track_caller]
fn says(value: &impl Debug, begin: &str) {
    let text = format!("{value:?}");
    assert!(text.starts_with(begin), "{text} does not begin with {begin}");
}

#[test]
fn stacks_guards_and_contexts_say_what_they_are() {
    let context = Context::primary(Device::get(0).unwrap()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    says(&stack, "ContextStack");
    let gpu = stack.push(&context).unwrap();
    says(&gpu, "PushedGuard(");
    says(&cuscope::context::current_context().unwrap().unwrap(), "CurrentContext(0x");
    ContextStack::reentrant(|nested| {
        says(nested, "NestedStack");
        Ok(())
    })
    .unwrap();
    let resource = gpu.device().sm_resource().unwrap();
    assert_eq!(resource.device(), gpu.device());
    says(&resource, "SmResource(");
    let text = driver_version().unwrap().to_string();
    assert!(text.split('.').all(|number| number.parse::<u32>().is_ok()), "{text}");
}

#[test]
fn handles_say_what_they_are() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        says(&stream, "Stream(0x");
        says(&gpu.on(&stream), "SyncStream { stream: Stream(0x");
        says(&gpu.event()?, "Event(0x");
        let module = gpu.load_ptx(SAXPY)?;
        says(&module, "Module(0x");
        let kernel = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
        says(&kernel.clone(), "Kernel<(u32, f32, &[f32], &mut [f32])>(Function(");
        says(&Ptx::new(SAXPY)?, "Ptx(");
        let wrong = gpu.load_ptx(SAXPY)?.kernel::<(u32,)>("saxpy").unwrap_err();
        assert_eq!(wrong.call(), Some("cuFuncGetParamInfo"));
        let list = kernel.function().arguments::<memory::InCall>()?;
        assert!(list.is_empty());
        says(&list, "ArgumentList(0 of 4 for ");
        says(&LaunchConfig::new(1, 1).extended().cooperative(), "ExtendedLaunch { config: ");
        assert_eq!(LaunchConfig::new(1, 2).extended().config(), LaunchConfig::new(1, 2));
        says(&gpu.pinned::<u32>(2)?, "PinnedBuffer<u32>(2 at 0x");
        let mut host = [0_u8; 4096];
        // SAFETY: the registration ends here, and nothing is in flight.
        says(&unsafe { gpu.register(&mut host) }?, "Registered<u8>(4096 at 0x");
        Ok(())
    });
}

#[test]
fn memory_says_what_it_is() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let shape = ArrayShape::D2 { width: 4, height: 4 };
        let levels = gpu.alloc_mipmapped_array::<f32>(shape, 2, ArrayFlags::default())?;
        says(&levels, "MipmappedArray<f32>(");
        assert!(levels.context() == gpu.context());
        let plain = gpu.alloc_array::<f32>(shape, ArrayFlags::SURFACE)?;
        let texture = gpu.texture(&plain, Sampling::default())?;
        says(&texture, "Texture(Array<f32>");
        assert!(std::ptr::eq(*texture.memory(), &raw const plain));
        drop(texture);
        let surface = gpu.surface(plain)?;
        says(&surface, "Surface(Array<f32>");
        assert!(surface.context() == gpu.context() && surface.raw() != 0);
        says(surface.memory(), "Array<f32>");
        let mut plain = surface.into_memory();
        let all = plain.as_slice();
        assert!(!all.is_empty() && all.context() == gpu.context());

        gpu.scope(|s| {
            says(s, "Scope(");
            says(&s.on(&stream), "ScopedStream(Stream(0x");
            let held = s.hold(&mut plain);
            says(&held, "ScopedArray<f32>(");
            assert!(held.len() == 16 && !held.is_empty() && held.context() == gpu.context());
            let mut host = vec![0_u8; 3];
            let host = Box::leak(host.split_off(0).into_boxed_slice());
            says(&s.stage(host), "ScopedHostSlice<u8>(3)");
            Ok(())
        })?;
        let mut surface = gpu.surface(plain)?;
        gpu.scope(|s| {
            let held = s.hold(&mut surface);
            says(&held, "ScopedSurface(ScopedArray<f32>");
            Ok(())
        })?;
        let mut texture = gpu.texture(surface, Sampling::default())?;
        gpu.scope(|s| {
            let mut held = s.hold(&mut texture);
            says(&held, "ScopedTexture(ScopedArray<f32>");
            says(held.surface(), "ScopedSurface(");
            says(&held.surface_mut(), "ScopedSurfaceMut(ScopedArray<f32>");
            Ok(())
        })?;

        let layout = TensorLayout::tiled(&[4, 4], &[2, 2]);
        let rows = gpu.on(&stream).zeroed::<f32>(16)?;
        if let Ok(map) = gpu.tensor_map(&layout, &rows) {
            says(&map, "TensorMap");
            assert_eq!(map.into_memory().len(), rows.len());
        }
        Ok(())
    });
}

#[test]
fn graphs_and_nodes_say_what_they_are() {
    try_with_gpu(|gpu| {
        let mut stream = gpu.stream()?;
        let graph = gpu.capture(&mut stream, |c| {
            says(c, "Capture(Stream(0x");
            says(&c.stream(), "CaptureStream(Stream(0x");
            Ok(())
        })?;
        says(&graph, "Graph(0x");
        let (_, node) = gpu.build_graph(|b| {
            says(b, "GraphBuilder(0x");
            let nodes: HashSet<EmptyNode> = [b.empty(&[])?, b.empty(&[])?].into();
            assert_eq!(nodes.len(), 2, "each by itself");
            nodes.into_iter().next().ok_or(Error::StackTaken)
        })?;
        says(&node, "EmptyNode(");
        assert_eq!(Node::<kind::Empty>::try_from(node.id()), Ok(node));
        let conditional = gpu.build_graph(|b| {
            let condition: Condition<'_> = b.condition(0)?;
            says(&condition, "Condition(");
            b.if_node(&[], condition, |_| Ok(())).map(drop)
        });
        assert!(matches!(conditional, Ok(_) | Err(Error::NeedsDriver { .. })), "{conditional:?}");
        Ok(())
    });
}

#[test]
fn ordered_memory_says_what_it_is() {
    try_with_gpu(|gpu| {
        let stream = gpu.ordered_stream()?;
        says(&stream, "OrderedStream(Stream(0x");
        let mut x = stream.zeroed::<u32>(4)?;
        says(&x, "Ordered<u32>(4 at 0x");
        assert!(x.size_bytes() == 16 && x.context() == gpu.context());
        let (mut first, mut second) = x.split_at_mut(1)?;
        stream.fill(&mut first, 1)?;
        stream.fill(&mut second, 2)?;
        #[allow(clippy::clone_on_copy, reason = "a part is cloned where a generic function does")]
        let part = x.slice(1..)?.clone();
        assert_eq!(stream.to_vec(&part)?, [2; 3]);
        assert_eq!(stream.to_vec(&x)?, [1, 2, 2, 2]);

        let pending = stream.download_owned(&x, gpu.pinned(4)?).unwrap();
        says(&pending, "Pending");
        assert_eq!(pending.wait()?[..], [1, 2, 2, 2]);
        let refused = stream.download_owned(&x, gpu.pinned(3)?).unwrap_err();
        says(&refused, "NotTaken: ");
        assert_eq!(refused.to_string(), refused.error.to_string());

        let (address, shared) = (x.address(), x.share());
        says(&shared, "SharedBuffer<u32>(4 at 0x");
        assert_eq!((shared.size_bytes(), shared.address()), (16, address));
        Ok(())
    });
}

#[test]
fn memory_without_a_context_says_what_it_is() {
    try_with_gpu(|gpu| {
        let device = gpu.device();
        let mut reservation = Reservation::new(1 << 21)?;
        reservation.map(0, PhysicalMemory::create(device, 1 << 21)?)?;
        says(&reservation, "Reservation(2097152 of 2097152 bytes at 0x");
        says(&reservation.unmap(0)?, "PhysicalMemory(2097152 bytes of ");
        says(&MemoryPool::create(device)?, "MemoryPool(0x");
        let library = Library::load(&Ptx::new(SAXPY)?)?;
        says(&library, "Library(0x");
        let kernel = library.kernel("saxpy")?;
        says(&kernel, "LibraryKernel(0x");
        assert!(!kernel.raw().is_null());
        Ok(())
    });
}
