//! Memory that belongs to a stream.

use super::{Operation, pushed, store};
use crate::common::gpu::try_new_context;
use crate::common::kernels::IGNORE;
use cuscope::{
    ContextStack, LaunchConfig, MemoryPool, OrderedStream, PushedGuard, Result,
    detached::Branded,
    graph::{Enqueue, GraphPool},
    ordered::{OrderedOptions, Pending},
    texture::{ArrayFlags, ArrayShape, Sampling},
};
use std::num::NonZeroUsize;

/// A stream without staging memory that keeps no blocks.
fn bare<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<OrderedStream> {
    gpu.ordered_stream_with(gpu.stream()?, &OrderedOptions::new().keep(0).staging(0))
}

operations! {
    "an ordered stream" => pushed(|gpu| {
        let (ordered, store) = (gpu.ordered_stream()?, store(gpu)?);
        let mut x = ordered.zeroed::<u32>(8)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { ordered.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 9_u32)) }?;
        let mut y = ordered.alloc::<u32>(8)?;
        ordered.copy(&x, &mut y)?;
        ordered.fill(&mut y.slice_mut(1..3)?, 1)?;
        assert_eq!(ordered.to_vec(&y)?, [9, 1, 1, 0, 0, 0, 0, 0]);
        let (event, mut rows) = (gpu.event()?, ordered.alloc_pitched::<u32>((3, 2))?);
        ordered.record(&event)?;
        ordered.wait(&event)?;
        ordered.upload(&[1; 6], &mut rows)?;
        ordered.keep(0);
        drop((x, y));
        ordered.synchronize()
    });
    "uploads through staging memory" => pushed(|gpu| {
        let options = OrderedOptions::new().staging(64);
        let ordered = gpu.ordered_stream_with(gpu.stream()?, &options)?;
        // Several times through the ring.
        let x = ordered.from_slice(&[7_u32; 40])?;
        ordered.from_slice(&[7_u32; 3]).map(drop)?;
        assert_eq!(ordered.to_vec(&x)?, [7; 40]);
        Ok(())
    });
    "uploads without staging memory" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        let x = ordered.from_slice(&[7_u32; 40])?;
        ordered.download(&x.slice(1..)?, &mut [0; 39])
    });
    "memory from a pool for a stream" => pushed(|gpu| {
        let pool = MemoryPool::create(gpu.device())?;
        let options = OrderedOptions::new().pool(&pool).staging(0);
        let ordered = gpu.ordered_stream_with(gpu.stream()?, &options)?;
        drop(ordered.zeroed::<u8>(1000)?);
        let x = ordered.zeroed::<u8>(1000)?;
        ordered.trim(0);
        bare(gpu)?.hand_over(x).map(drop)?;
        Ok(())
    });
    "memory that is handed over" => pushed(|gpu| {
        let (one, two) = (bare(gpu)?, bare(gpu)?);
        let x = two.hand_over(one.zeroed::<u32>(8)?);
        // A refused value comes back.
        let x = x.map_err(|refused| { assert!(refused.value.is_some()); refused.error })?;
        let rows = two.hand_over(one.alloc_pitched::<u32>((3, 2))?)?;
        drop(rows);
        two.download(&x, &mut [0; 8])
    });
    "memory that is shared" => pushed(|gpu| {
        let (home, one, two) = (bare(gpu)?, bare(gpu)?, bare(gpu)?);
        let shared = home.zeroed::<u32>(8)?.share();
        let mut copy = one.alloc::<u32>(4)?;
        one.copy(&shared.slice(..4)?, &mut copy)?;
        two.download(&shared, &mut [0; 8])
    });
    "shared memory with one owner" => pushed(|gpu| {
        let (home, one) = (bare(gpu)?, bare(gpu)?);
        let shared = home.zeroed::<u32>(8)?.share();
        let mut copy = one.alloc::<u32>(4)?;
        one.copy(&shared.slice(..4)?, &mut copy)?;
        // If the streams cannot be ordered, it stays shared.
        if let Ok(mut own) = shared.try_unwrap() {
            home.fill(&mut own, 3)?;
            let shared = own.share();
            one.copy(&shared.slice(4..)?, &mut copy)?;
        }
        Ok(())
    });
    "memory that is shared ends" => pushed(|gpu| {
        let (home, one) = (bare(gpu)?, bare(gpu)?);
        let shared = home.zeroed::<u32>(8)?.share();
        let mut copy = one.alloc::<u32>(8)?;
        one.copy(&shared, &mut copy)?;
        drop(shared);
        one.synchronize()
    });
    "a texture that is shared" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
        let texture = gpu.texture(array, Sampling::default())?.share();
        let ignore = gpu.load_ptx(IGNORE)?.function("ignore")?;
        // SAFETY: the kernel takes an object, and does nothing.
        unsafe { ordered.launch_unchecked(&ignore, LaunchConfig::new(1, 1), (&texture,)) }?;
        drop(texture);
        ordered.synchronize()
    });
    "memory that is copied between streams of two contexts" => pushed(|gpu| {
        let context = try_new_context()?;
        let there = bare(gpu)?;
        let (mut x, shared) = (there.zeroed::<u32>(8)?, there.zeroed::<u32>(8)?.share());
        let gpu = gpu.push(&context)?;
        let here = bare(&gpu)?;
        let (mut y, mut rows) = (here.alloc::<u32>(8)?, here.alloc_pitched::<u32>((4, 2))?);
        here.copy_from_peer(&x, &mut y)?;
        here.copy_from_peer(&shared, &mut rows)?;
        there.fill(&mut x, 1)?;
        drop((x, shared));
        assert_eq!(here.to_vec(&y)?, [0; 8]);
        gpu.pop()
    });
    "memory that is adopted and comes back" => pushed(|gpu| {
        let (ordered, stream) = (bare(gpu)?, gpu.stream()?);
        let mut x = ordered.adopt(gpu.alloc::<u32>(8)?)?;
        ordered.fill(&mut x, 3)?;
        let mut x = x.into_idle(gpu).map_err(|refused| { assert!(refused.value.is_some()); refused.error })?;
        gpu.on(&stream).fill(&mut x, 4)?;
        drop(ordered.adopt(x)?);
        let own = ordered.zeroed::<u32>(8)?.into_idle(gpu)?;
        gpu.on(&stream).to_vec(&own).map(drop)
    });
    "values that are pending" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        let mut x = ordered.alloc::<u32>(8)?;
        let up = ordered.upload_owned(gpu.pinned_from(&[7; 8])?, &mut x)?;
        let down = ordered.download_owned(&x, gpu.pinned(8)?)?;
        drop(x);
        assert_eq!(down.wait()?[..], [7; 8]);
        drop(up);
        Ok(())
    });
    "values that are asked for" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        let x = ordered.zeroed::<u32>(8)?;
        let mut down: Pending<_> = ordered.download_owned(&x, gpu.pinned(8)?)?;
        ordered.synchronize()?;
        if let Some(down) = down.try_get()? {
            assert_eq!(down[..], [0; 8]);
        }
        Ok(())
    });
    "a graph in an ordered stream" => pushed(|gpu| {
        let (ordered, mut stream) = (bare(gpu)?, gpu.stream()?);
        let mut x = ordered.zeroed::<u32>(8)?;
        let mut graph = gpu.capture(&mut stream, |c| {
            c.stream().fill(&mut c.hold_ordered(&mut x), 7)
        })?;
        ordered.replay(&graph, &mut x)?;
        gpu.recapture(&mut graph, &mut stream, |c| {
            c.stream().fill(&mut c.hold_ordered(&mut x), 8)
        })?;
        ordered.replay(&graph, &mut x)?;
        drop(x);
        drop(graph);
        Ok(())
    });
    "graphs that take turns" => pushed(|gpu| {
        let mut pool = GraphPool::new(NonZeroUsize::MIN);
        for _ in 0..2 {
            let (graph, (ordered, x)) = pool.get(|| {
                let (ordered, mut stream) = (bare(gpu)?, gpu.stream()?);
                let mut x = ordered.zeroed::<u32>(8)?;
                let graph = gpu.capture(&mut stream, |c| {
                    c.stream().fill(&mut c.hold_ordered(&mut x), 7)
                })?;
                Ok((graph, (ordered, x)))
            })?;
            ordered.replay(graph, x)?;
            // So that the calls are the same each time: whether it is idle depends on the device.
            pool.as_mut_slice()[0].0.wait_idle()?;
        }
        pool.get_free().map(drop)
    });
    "ordered memory in a scope" => pushed(|gpu| {
        let (ordered, stream) = (bare(gpu)?, gpu.stream()?);
        let (mut x, mut host) = (ordered.zeroed::<u32>(8)?, [1; 8]);
        gpu.scope(|s| {
            let mut x = s.hold_ordered(&mut x)?;
            s.on(&stream).fill(&mut x, 7)?;
            s.on(ordered.stream(gpu)?).download(&x, &mut host)
        })?;
        ordered.to_vec(&x).map(drop)
    });
    "foreign work in an ordered stream" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        let mut x = ordered.zeroed::<u32>(8)?;
        // SAFETY: 1. to 3. of `foreign`: there is no work.
        unsafe { ordered.foreign((&mut x,), |_, _| ()) }
    });
    "a function in an ordered stream" => pushed(|gpu| {
        let ordered = bare(gpu)?;
        ordered.host_function(|| ())?;
        ordered.synchronize()
    });
    "ordered memory that is detached" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let ordered = gpu.ordered_stream()?;
        let shared = ordered.from_slice(&[1_u32; 8])?.share();
        let rest = (ordered.zeroed::<u32>(8)?, shared, ordered).detach();
        gpu.pop()?;
        drop(rest);
        Ok(())
    };
}
