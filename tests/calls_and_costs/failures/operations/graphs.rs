//! Graphs.

use super::{Operation, pushed, store};
use cuscope::stream::Until;
use cuscope::{LaunchConfig, graph::DotFlags};

operations! {
    "a graph" => pushed(|gpu| {
        let (mut stream, store) = (gpu.stream()?, store(gpu)?);
        let (mut x, mut y) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let one = LaunchConfig::new(1, 1);
        let graph = gpu.capture(&mut stream, |c| {
            let (stream, mut x, mut y) = (c.stream(), c.hold(&mut x), c.hold(&mut y));
            stream.fill(&mut x, 1)?;
            stream.copy(&x, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { stream.launch_unchecked(&store, one, (&mut y, 9_u32)) }
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
        let (mut graph, (fill, kernel, copy, host, wait, record, part)) = gpu.build_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
            let fill = g.fill(&[], &mut x, 1)?;
            let copy = g.copy(&[], &x, &mut y)?;
            let part = g.child(&[], &child, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let kernel = unsafe { g.kernel_unchecked(&[], &store, one, (&mut y, 9_u32)) }?;
            let last = g.empty(&[kernel.id()])?.id();
            let host = g.host_function(&[last], || ())?;
            let wait = g.wait(&[], &event)?;
            Ok((fill, kernel, copy, host, wait, g.record(&[host.id()], &event)?, part))
        })?;
        graph.list_nodes()?;
        graph.set_fill(fill, 2_u32)?;
        graph.set_enabled(kernel, false)?;
        graph.is_enabled(kernel)?;
        // SAFETY: as above.
        unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, one, (&mut y, 8_u32)) }?;
        graph.set_copy(copy, &x, &mut y)?;
        graph.set_host_function(host, || ())?;
        graph.set_event_wait(wait, &event)?;
        graph.set_event_record(record, &event)?;
        graph.set_child(part, &child, &mut y)?;
        graph.dot(DotFlags::empty())?;
        let (mut defined, host) = gpu.define_graph(|g| g.host_function(&[], || ()))?;
        defined.set_host_function(host, || ())?;
        let copy = graph.try_clone(gpu)?;
        gpu.on(&stream).replay(&copy, (&mut x, &mut y))?;
        gpu.rebuild_graph(&mut graph, |_| Ok(())).map(drop)
    });
    "a graph with conditional nodes" => pushed(|gpu| {
        let (stream, store) = (gpu.stream()?, store(gpu)?);
        let (mut x, mut y) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let one = LaunchConfig::new(1, 1);
        let (mut graph, fill) = gpu.build_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
            g.zero(&[], &mut x)?;
            let (yes, which) = (g.condition(1)?, g.condition(1)?);
            let mut fill = None;
            g.if_node(&[], yes, |_| {
                fill = Some(g.fill(&[], &mut x, 1)?);
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, one, (&mut y, 9_u32)) }.map(drop)
            })?;
            g.switch_node(&[], which, 2, |which, _| {
                let (from, to) = if which == 0 { (&x, &mut y) } else { (&y, &mut x) };
                g.copy(&[], from, to).map(drop)
            })?;
            Ok(fill.expect("the closure ran"))
        })?;
        graph.set_fill(fill, 2_u32)?;
        gpu.on(&stream).replay(&graph, (&mut x, &mut y))
    });
    "events in a capture" => pushed(|gpu| {
        let (mut stream, event) = (gpu.stream()?, gpu.event()?);
        let graph = gpu.capture(&mut stream, |c| {
            c.stream().wait(&event)?;
            c.stream().record(&event)
        })?;
        gpu.on(&stream).replay(&graph, ())
    });
    "a built graph that waits for numbers" => pushed(|gpu| {
        let (mut stream, store, mut x) = (gpu.stream()?, store(gpu)?, gpu.alloc::<u32>(8)?);
        let (go, done) = (gpu.stream_value(1_u32)?, gpu.stream_value(0_u64)?);
        let launch = LaunchConfig::new(1, 1).extended().priority(-1).cooperative();
        let (mut graph, node) = gpu.build_graph(|g| {
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let stored = unsafe { g.kernel_unchecked(&[], &store, launch, (&mut g.hold(&mut x), 9_u32)) }?;
            g.value_operations(&[stored.id()], &[go.wait(Until::Equal(1)), done.write(1)])
        })?;
        graph.set_value_operations(node, &[go.wait(Until::AnyOf(1)), done.write(2)])?;
        gpu.on(&stream).replay(&graph, &mut x)?;
        let captured = gpu.capture(&mut stream, |c| c.stream().value_operations(&[done.write(3)]))?;
        gpu.on(&stream).replay(&captured, ())
    });
    "a built graph that allocates" => pushed(|gpu| {
        let stream = gpu.stream()?;
        let (graph, ()) = gpu.build_graph(|g| {
            let (mut memory, _) = g.alloc::<u32>(&[], 8)?;
            let (_left, _) = g.alloc::<u32>(&[], 8)?;
            g.fill(&[], &mut memory, 1)?;
            g.free(&[], memory).map(drop)
        })?;
        gpu.on(&stream).replay(&graph, ())?;
        gpu.device().graph_memory()?;
        gpu.device().reset_graph_memory_high_marks()?;
        gpu.device().trim_graph_memory()
    });
    "a graph captured again" => pushed(|gpu| {
        let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(8)?);
        let mut graph = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 1))?;
        gpu.recapture(&mut graph, &mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 2))?;
        gpu.recapture(&mut graph, &mut stream, |_| Ok(()))?;
        gpu.on(&stream).upload_graph(&graph)
    });
    "a definition of graphs" => pushed(|gpu| {
        let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(8)?);
        let captured = gpu.capture_definition(&mut stream, |c| {
            c.stream().fill(&mut c.hold(&mut x), 1)
        })?;
        captured.nodes()?;
        captured.list_nodes()?;
        captured.edges()?;
        captured.dot(DotFlags::empty())?;
        gpu.on(&stream).replay(&captured.instantiate(gpu)?, &mut x)?;
        let (built, fill) = gpu.define_graph(|g| g.fill(&[], &mut g.hold(&mut x), 2))?;
        let (mut built, _) = built.extend(gpu, |g| g.zero(&[], &mut g.hold(&mut x)))?;
        built.set_fill(fill, 3_u32)?;
        let mut graph = built.into_graph(gpu)?;
        gpu.rebuild_graph(&mut graph, |g| g.empty(&[]))?;
        graph.why_replaced().map(drop)
    });
    "a definition that is changed" => pushed(|gpu| {
        let (stream, store, event) = (gpu.stream()?, store(gpu)?, gpu.event()?);
        let (number, one) = (gpu.stream_value(1_u32)?, LaunchConfig::new(1, 1));
        let (x, mut y) = (gpu.alloc::<u32>(8)?, gpu.alloc::<u32>(8)?);
        let (mut built, (copy, kernel, wait, record, write)) = gpu.define_graph(|g| {
            let mut y = g.hold(&mut y);
            let copy = g.copy(&[], &x, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let kernel = unsafe { g.kernel_unchecked(&[], &store, one, (&mut y, 9_u32)) }?;
            let (wait, record) = (g.wait(&[], &event)?, g.record(&[], &event)?);
            Ok((copy, kernel, wait, record, g.value_operations(&[], &[number.write(1)])?))
        })?;
        built.set_copy(copy, &x, &mut y)?;
        // SAFETY: as above.
        unsafe { built.set_kernel_unchecked(gpu, kernel, &store, one, (&mut y, 8_u32)) }?;
        built.set_event_wait(wait, &event)?;
        built.set_event_record(record, &event)?;
        built.set_value_operations(write, &[number.write(2)])?;
        let (part, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut y), 7))?;
        let (mut whole, child) = gpu.define_graph(|g| g.child(&[], &part, &mut g.hold(&mut y)))?;
        whole.set_child(child, &part, &mut y)?;
        gpu.on(&stream).replay(&built.into_graph(gpu)?, (&x, &mut y))
    });
    "times of nodes" => pushed(|gpu| {
        let (stream, store, mut x) = (gpu.stream()?, store(gpu)?, gpu.alloc::<u32>(8)?);
        let (mut graph, _) = gpu.build_graph(|g| {
            let mut x = g.hold(&mut x);
            g.fill(&[], &mut x, 1)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { g.kernel_unchecked(&[], &store, LaunchConfig::new(1, 1), (&mut x, 9_u32)) }
        })?;
        gpu.time_nodes(&stream, &mut graph, &mut x).map(drop)
    });
    "a graph of two streams" => pushed(|gpu| {
        let (mut main, mut side) = (gpu.stream()?, gpu.stream()?);
        gpu.capture(&mut main, |c| {
            let (mut x, mut y) = (c.scratch::<u32>(8)?, c.scratch::<u32>(8)?);
            c.stream().fill(&mut x, 1)?;
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
}
