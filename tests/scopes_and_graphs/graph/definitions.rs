//! Definitions of graphs: stored, sent, and made ready to run, several times.

use crate::common::gpu::{filled, new_context, read, with_gpu};
use crate::skip;
use cuscope::graph::{DotFlags, Enqueue, GraphDefinition, MemsetNode, NodeKind};
use cuscope::{ContextStack, DeviceBuffer, Error, PushedGuard, detached::Branded};
use std::thread;

/// A fill of `x` and a copy of it to `y`.
fn fill_and_copy<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
    y: &mut DeviceBuffer<'ctx, u32>,
) -> (GraphDefinition<'ctx>, MemsetNode) {
    gpu.define_graph(|g| {
        let mut x = g.hold(x);
        let fill = g.fill(&[], &mut x, 7)?;
        g.copy(&[], &x, &mut g.hold(y))?;
        Ok(fill)
    })
    .unwrap()
}

#[test]
fn graphs_of_one_definition_are_apart_and_outlive_it() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (definition, fill) = fill_and_copy(gpu, &mut x, &mut y);
        assert_eq!(read(gpu, &x), [1; 4]);
        assert_eq!((definition.nodes(), definition.edges()), (Ok(2), Ok(1)));
        let kinds: Vec<_> = definition.list_nodes().unwrap().iter().map(|id| id.kind()).collect();
        assert_eq!(kinds, [NodeKind::Memset, NodeKind::Memcpy]);
        assert!(definition.dot(DotFlags::empty()).unwrap().contains("digraph"));
        assert_eq!((definition.buffers(), definition.context()), (2, gpu.context()));
        assert!(format!("{definition:?}").starts_with("GraphDefinition(0x"));

        let (mut one, two) =
            (definition.instantiate(gpu).unwrap(), definition.instantiate(gpu).unwrap());
        // Each has its own nodes, and changes are its own.
        one.set_fill(fill, 8_u32).unwrap_err();
        let own = one.copy_of(fill).unwrap();
        one.set_fill(own, 8_u32).unwrap();
        let mut last = definition.into_graph(gpu).unwrap();
        last.set_fill(fill, 9_u32).unwrap();
        for (graph, value) in [(&one, 8), (&two, 7), (&last, 9)] {
            gpu.on(&stream).replay(graph, (&mut x, &mut y)).unwrap();
            assert_eq!(read(gpu, &y), [value; 4]);
        }
        gpu.on(&stream).replay(&two, (&x, &mut y)).unwrap_err();
    });
}

#[test]
fn a_definition_is_captured_and_sent_to_another_thread() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let mut stream = gpu.stream().unwrap();
    let mut x = filled(&gpu, 4, 1);
    let definition =
        gpu.capture_definition(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 5));
    let sent = (definition.unwrap(), x).detach();
    let back = thread::spawn(move || {
        let mut stack = ContextStack::current_thread().unwrap();
        let context = sent.context().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (definition, mut x) = gpu.attach(sent).unwrap();
        let (stream, graph) = (gpu.stream().unwrap(), definition.instantiate(&gpu).unwrap());
        drop(definition);
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        read(&gpu, &x)
    });
    assert_eq!(back.join().unwrap(), [5; 4]);
}

#[test]
fn a_definition_with_memory_of_its_own_becomes_one_graph() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (x, mut y) = (filled(gpu, 4, 3), filled(gpu, 4, 2));
        let (definition, _) = gpu
            .define_graph(|g| {
                let mut own = g.scratch(4)?;
                g.copy(&[], &x, &mut own)?;
                g.copy(&[], &own, &mut g.hold(&mut y))
            })
            .unwrap();
        let refused = definition.instantiate(gpu).map(drop).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { call: "cuGraphClone", .. }));
        let graph = definition.into_graph(gpu).unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        assert_eq!(read(gpu, &y), [3; 4]);

        let (definition, ()) = gpu.define_graph(|g| g.alloc::<u32>(&[], 4).map(drop)).unwrap();
        definition.instantiate(gpu).map(drop).unwrap_err();
        gpu.on(&stream).replay(&definition.into_graph(gpu).unwrap(), ()).unwrap();
    });
}

/// The error of the closure is that of the program, and one of another context is refused.
#[test]
fn a_definition_that_fails_is_none() {
    #[derive(Debug, PartialEq)]
    struct Own(Option<Error>);
    impl From<Error> for Own {
        fn from(error: Error) -> Own {
            Own(Some(error))
        }
    }
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let failed = gpu.try_define_graph(|_| Err::<(), _>(Own(None))).map(drop);
        assert_eq!(failed, Err(Own(None)));
        let failed = gpu.try_capture_definition(&mut stream, |_| Err(Own(None))).map(drop);
        assert_eq!(failed, Err(Own(None)));
        // A node that could not be added is told, also if the closure hides it.
        let (short, mut x) = (filled(gpu, 2, 1), filled(gpu, 4, 2));
        let failed = gpu.define_graph(|g| {
            let _hidden = g.copy(&[], &short, &mut g.hold(&mut x));
            Ok(())
        });
        assert!(matches!(failed.map(drop), Err(Error::LengthMismatch { .. })));
    });
}

/// A node that is added later comes after those that are there, as far as both use memory, and nothing else is ordered.
#[test]
fn a_definition_is_continued() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let (definition, fill) = fill_and_copy(gpu, &mut x, &mut y);
        let before = definition.instantiate(gpu).unwrap();
        let (mut definition, (add, copy)) = definition
            .extend(gpu, |g| {
                let (mut y, mut z) = (g.hold(&mut y), g.hold(&mut z));
                // An edge from the copy alone: the fill is before that. None to a node that uses no memory.
                g.host_function(&[], || ())?;
                let add = g.fill(&[], &mut z, 9)?;
                // The memory is known again: one edge, from the fill of `z`, and one from the copy to `y`, for `x`.
                let copy = g.copy(&[], &x, &mut z)?;
                g.fill(&[fill.id()], &mut y, 5)?;
                Ok((add, copy))
            })
            .unwrap();
        assert_eq!((definition.nodes(), definition.edges()), (Ok(6), Ok(1 + 1 + 2 + 2)));
        assert_eq!(definition.buffers(), 3);
        // Nodes of before and of later change.
        definition.set_fill(fill, 8_u32).unwrap();
        definition.set_fill(add, 4_u32).unwrap();
        let mut after = definition.instantiate(gpu).unwrap();
        gpu.on(&stream).replay(&after, (&mut x, &mut y, &mut z)).unwrap();
        assert_eq!(
            (read(gpu, &x), read(gpu, &y), read(gpu, &z)),
            (vec![8; 4], vec![5; 4], vec![8; 4])
        );
        after.set_enabled(after.copy_of(copy).unwrap(), false).unwrap();
        gpu.on(&stream).replay(&after, (&mut x, &mut y, &mut z)).unwrap();
        assert_eq!(read(gpu, &z), [4; 4]);
        // An earlier graph has the earlier nodes.
        gpu.on(&stream).replay(&before, (&mut x, &mut y)).unwrap();
        assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![7; 4], vec![7; 4]));
        let later = before.copy_of(copy).unwrap();
        drop(after);
        let mut before = before;
        assert!(before.set_enabled(later, true).is_err());
    });
}

/// Nothing is known of the edges that a capture made.
#[test]
fn a_captured_definition_is_continued() {
    with_gpu(|gpu| {
        let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let captured = gpu.capture_definition(&mut stream, |c| {
            let (mut x, mut y) = (c.hold(&mut x), c.hold(&mut y));
            let (main, side) = (c.stream(), c.fork(&mut side)?);
            main.fill(&mut x, 6)?;
            side.fill(&mut y, 5)
        });
        let (definition, _) = captured
            .unwrap()
            .extend(gpu, |g| {
                let mut own = g.scratch::<u32>(4)?;
                g.copy(&[], &x, &mut own)?;
                g.copy(&[], &own, &mut g.hold(&mut y))
            })
            .unwrap();
        assert_eq!((definition.nodes(), definition.edges()), (Ok(4), Ok(2 + 3)));
        let graph = definition.into_graph(gpu).unwrap();
        gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
        assert_eq!(read(gpu, &y), [6; 4]);
    });
}

/// Nodes in the graph of a new conditional node come after earlier ones too, and earlier conditional nodes count as one.
#[test]
fn a_definition_with_conditional_nodes_is_continued() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let defined = gpu.define_graph(|g| {
            let mut x = g.hold(&mut x);
            let mut inside = None;
            g.if_node(&[], g.condition(1)?, |_| {
                inside = Some(g.fill(&[], &mut x, 7)?);
                Ok(())
            })?;
            Ok(inside.unwrap())
        });
        let Ok((definition, inside)) = defined else {
            skip!("the driver has no conditional nodes")
        };
        let (mut definition, ()) = definition
            .extend(gpu, |g| {
                let mut y = g.hold(&mut y);
                g.if_node(&[inside.id()], g.condition(1)?, |_| g.copy(&[], &x, &mut y).map(drop))?;
                g.alloc::<u32>(&[], 4).map(drop)
            })
            .unwrap();
        definition.set_fill(inside, 9_u32).unwrap();
        // Between the two conditional nodes, and from the node that allocates to the one that frees.
        assert_eq!((definition.nodes(), definition.edges()), (Ok(6), Ok(2)));
        let (definition, ()) = definition.extend(gpu, |_| Ok(())).unwrap();
        let graph = definition.into_graph(gpu).unwrap();
        gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
        assert_eq!(read(gpu, &y), [9; 4]);
    });
}

/// Only the last nodes have an edge to what is added, and none to a node that uses no memory.
#[test]
fn a_conditional_node_is_behind_the_last_ones_of_a_continued_definition() {
    with_gpu(|gpu| {
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let defined = gpu.define_graph(|g| {
            let mut x = g.hold(&mut x);
            let condition = g.condition(1)?;
            g.fill(&[], &mut x, 7)?;
            // Behind the fill, for the node inside.
            g.if_node(&[], condition, |_| g.fill(&[], &mut x, 8).map(drop)).map(drop)
        });
        let Ok((definition, ())) = defined else { skip!("the driver has no conditional nodes") };
        assert_eq!(definition.edges(), Ok(1));
        let (definition, ()) = definition
            .extend(gpu, |g| {
                g.if_node(&[], g.condition(1)?, |_| g.empty(&[]).map(drop))?;
                g.fill(&[], &mut g.hold(&mut y), 9).map(drop)
            })
            .unwrap();
        assert_eq!(definition.edges(), Ok(2));
    });
}

#[test]
fn a_definition_whose_continuation_fails_is_gone() {
    with_gpu(|gpu| {
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (definition, _) = fill_and_copy(gpu, &mut x, &mut y);
        let refused = Error::InvalidArgument { call: "own", reason: "own".into() };
        let failed = definition.extend(gpu, |_| Err::<(), _>(refused.clone())).map(drop);
        assert_eq!(failed, Err(refused));
    });
}
