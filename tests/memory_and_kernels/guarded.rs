//! Guarded kernels: launched without `unsafe` by every surface. With memory that is one element short, the last one is left
//! as it was, the wait tells the line, and everything goes on.
#![allow(unsafe_code, reason = "passes memory by its address")]

use crate::common::gpu::{gate, new_context, with_gpu, with_stream};
use crate::common::kernels::SAXPY;
use crate::common::{fatbin, fewer, shorter, thorough};
use crate::textures::{ADD, D2, FETCH};
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::graph::OpenCapture;
use cuscope::kernel::{ArgumentList, GuardedKernel, SignatureProblem, TextureObject};
use cuscope::ordered::OrderedOptions;
use cuscope::texture::{ArrayFlags, Sampling};
use cuscope::{
    Context, ContextStack, Detached, DeviceBuffer, Error, Fatbin, In, LaunchConfig, OrderedStream,
    Out, Ptx, PushedGuard, Result,
};
use cuscope_softdriver::control::live;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

type Saxpy = GuardedKernel<(u32, f32, In<f32>, Out<f32>)>;
const PTX: &str = shorter(include_str!("../../examples/kernels/saxpy.ptx"), SAXPY);
const N: u32 = 8;

fn load(gpu: &PushedGuard<'_>) -> Saxpy {
    gpu.load_guarded(PTX).unwrap().kernel("saxpy").unwrap()
}

fn config() -> LaunchConfig {
    // Of 256 threads, those from the ninth on do nothing.
    LaunchConfig::new(1, fewer(256, N as usize) as u32)
}

/// The line of the text that stores to `y`, from 1.
fn store() -> u32 {
    1 + PTX.lines().position(|line| line.contains("st.global")).unwrap() as u32
}

/// The kernel was to use the element of `y` after its end.
fn is_outside(result: Result<impl Sized>) {
    let error = result.err().expect("`y` is one element short");
    let Error::OutOfBounds(outside) = &error else { panic!("{error}") };
    assert_eq!((outside.kernel(), outside.arguments()), ("saxpy", [3].as_slice()));
    assert_eq!((outside.bytes(), outside.function()), (4, None));
    // The thread notes one of the two: `y[i] = a * x[i] + y[i]`.
    let line = PTX.lines().nth(outside.line() as usize - 1).unwrap().trim();
    assert_eq!(outside.instruction(), line);
    assert!(outside.line() == store() || line.starts_with("ld.global"), "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("line {} of its PTX", outside.line())), "{text}");
    assert!(!error.is_sticky() && error.code().is_none());
    assert_eq!(error.call(), Some("cuLaunchKernel"));
}

/// `x[0]` and `x[1]`, and their sum to `y[0]`.
const PAIR: &str = ".version 7.0
.target sm_60
.address_size 64
.visible .entry pair(.param .u64 x, .param .u64 y) {
    .reg .b64 %d<4>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x]; cvta.to.global.u64 %d1, %d0;
    ld.param.u64 %d2, [y]; cvta.to.global.u64 %d3, %d2;
    ld.global.f32 %f0, [%d1];
    ld.global.f32 %f1, [%d1+4];
    add.f32 %f2, %f0, %f1;
    st.global.f32 [%d3], %f2;
    ret;
}";

#[test]
fn accesses_that_are_compared_together_are_told_together() {
    with_stream(|gpu, stream| {
        let module = gpu.load_guarded(PAIR).unwrap();
        let pair = module.kernel::<(&[f32], &mut [f32])>("pair").unwrap();
        let x = gpu.on(&stream).from_slice(&[1.0, 2.0]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[9.0]).unwrap();
        let one = LaunchConfig::new(1, 1);
        gpu.on(&stream).launch(&pair, one, (&x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [3.0]);
        let short = x.slice(..1).unwrap();
        let error = gpu.on(&stream).launch(&pair, one, (&short, &mut y)).unwrap_err();
        let Error::OutOfBounds(outside) = &error else { panic!("{error}") };
        assert_eq!((outside.line(), outside.further_lines()), (8, [9].as_slice()));
        let text = error.to_string();
        assert!(text.contains("or at line 9, which were compared together"), "{text}");
        assert!(text.contains("none of them was made"), "{text}");
        // Neither was read.
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [0.0]);
    });
}

/// Writes four elements at once.
const FOUR: &str = ".version 7.0
.target sm_60
.address_size 64
.visible .entry four(.param .u64 y) {
    .reg .b64 %d<2>; .reg .f32 %f<2>;
    ld.param.u64 %d0, [y]; cvta.to.global.u64 %d1, %d0;
    mov.f32 %f0, 0f40E00000;
    st.global.v4.f32 [%d1], {%f0, %f0, %f0, %f0};
    ret;
}";

#[test]
fn memory_that_does_not_begin_as_the_kernel_needs_is_not_touched() {
    with_stream(|gpu, stream| {
        let module = gpu.load_guarded(FOUR).unwrap();
        let four = module.kernel::<(&mut [f32],)>("four").unwrap();
        let listed = module.function("four").unwrap();
        // The type of these elements has the alignment, and so nothing has to be looked at.
        let vectors = module.kernel::<(&mut [Four],)>("four").unwrap();
        let on = gpu.on(&stream);
        let one = LaunchConfig::new(1, 1);
        let mut y = on.from_slice(&[0.0_f32; 9]).unwrap();
        for (from, written) in [(0, true), (1, false), (4, true), (5, false)] {
            let mut launched = [true, false].map(|typed| {
                on.fill(&mut y, 0.0).unwrap();
                let mut part = y.slice_mut(from..from + 4).unwrap();
                let result = if typed {
                    on.launch(&four, one, (&mut part,))
                } else {
                    let mut arguments = listed.arguments();
                    arguments.push(&mut part).unwrap();
                    on.launch(&listed, one, arguments)
                };
                (result, on.to_vec(&y).unwrap())
            });
            for (result, y) in &mut launched {
                let seven = |at: usize| written && (from..from + 4).contains(&at);
                let expected: Vec<f32> =
                    (0..9).map(|at| f32::from(7 * u8::from(seven(at)))).collect();
                assert_eq!(*y, expected, "from {from}");
                match result {
                    Ok(()) => assert!(written, "from {from}"),
                    Err(Error::OutOfBounds(outside)) => {
                        assert!(!written && outside.line() == 8, "from {from}: {outside}");
                        assert!(outside.to_string().contains("a multiple of 16 bytes"));
                    }
                    Err(error) => panic!("from {from}: {error}"),
                }
            }
        }
        let mut y = on.from_slice(&[Four([0.0; 4]); 2]).unwrap();
        on.launch(&vectors, one, (&mut y.slice_mut(1..).unwrap(),)).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [Four([0.0; 4]), Four([7.0; 4])]);
    });
}

/// Four elements that are read and written at once.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
struct Four([f32; 4]);

/// Adds to the element behind the first one.
const COUNT: &str = ".version 7.0
.target sm_60
.address_size 64
.visible .entry count(.param .u64 to) {
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [to]; cvta.to.global.u64 %d1, %d0;
    red.global.add.u32 [%d1+4], 1;
    ret;
}";

#[test]
fn an_update_that_was_not_made_is_told_as_one() {
    with_stream(|gpu, stream| {
        let count = gpu.load_guarded(COUNT).unwrap().kernel::<(&mut [u32],)>("count").unwrap();
        let mut x = gpu.on(&stream).from_slice(&[5_u32, 6]).unwrap();
        let one = LaunchConfig::new(1, 1);
        let mut short = x.slice_mut(..1).unwrap();
        let error = gpu.on(&stream).launch(&count, one, (&mut short,)).unwrap_err();
        let Error::OutOfBounds(outside) = &error else { panic!("{error}") };
        assert!(outside.line() == 7 && outside.writes(), "{error}");
        assert!(
            error.to_string().contains("was to update 4 bytes outside of argument 0"),
            "{error}"
        );
        gpu.on(&stream).launch(&count, one, (&mut x,)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [5, 7]);
    });
}

#[test]
fn a_launch_that_the_driver_refuses_says_why() {
    with_stream(|gpu, stream| {
        let module = gpu.load_guarded(PTX).unwrap();
        let (saxpy, listed): (Saxpy, _) =
            (module.kernel("saxpy").unwrap(), module.function("saxpy").unwrap());
        let x = gpu.on(&stream).from_slice(&[1.0_f32; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0_f32; 8]).unwrap();
        let large = LaunchConfig::new(1, 1025);
        let error = gpu.on(&stream).launch(&saxpy, large, (N, 2.0, &x, &mut y)).unwrap_err();
        assert!(error.to_string().contains("1025 threads"), "{error}");
        let mut list = listed.arguments();
        list.push(N).unwrap().push(2.0_f32).unwrap().push(&x).unwrap().push(&mut y).unwrap();
        let error = gpu.on(&stream).launch(&listed, large, list).unwrap_err();
        assert!(error.to_string().contains("1025 threads"), "{error}");
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [0.0; 8]);
    });
}

/// A clone is another owner of the same kernel.
#[test]
fn guarded_code_shows_what_it_is() {
    with_stream(|gpu, stream| {
        let module = gpu.load_guarded(PTX).unwrap();
        let (saxpy, listed): (Saxpy, _) =
            (module.kernel("saxpy").unwrap(), module.function("saxpy").unwrap());
        assert!(format!("{module:?}").starts_with("GuardedModule("), "{module:?}");
        assert!(format!("{saxpy:?}").starts_with("GuardedKernel("), "{saxpy:?}");
        assert!(format!("{listed:?}").starts_with("GuardedFunction("), "{listed:?}");
        assert_eq!(module.context(), gpu.context());
        let clone = saxpy.clone();
        drop((module, saxpy, listed));
        assert_eq!(clone.context(), gpu.context());
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        gpu.on(&stream).launch(&clone, config(), (N, 2.0, &x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.0; 8]);
        is_outside(gpu.on(&stream).launch(
            &clone,
            config(),
            (N, 2.0, &x, &mut y.slice_mut(..7).unwrap()),
        ));
    });
}

#[test]
fn every_surface_tells_of_an_access_that_was_not_made() {
    with_stream(|gpu, mut stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        let mut expected = [0.0; 8];
        // All elements got more, or all but the last.
        macro_rules! added {
            ($more:expr, $len:expr) => {
                expected[..$len].iter_mut().for_each(|one| *one += $more);
                assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), expected);
            };
        }

        let mut short = y.slice_mut(..7).unwrap();
        is_outside(gpu.on(&stream).launch(&saxpy, config(), (N, 2.0, &x, &mut short)));
        added!(2.0, 7);
        gpu.on(&stream).launch(&saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        added!(2.0, 8);

        let mut short = y.slice_mut(..7).unwrap();
        is_outside(gpu.on_legacy_default().launch(&saxpy, config(), (N, 2.0, &x, &mut short)));
        added!(2.0, 7);
        gpu.on_per_thread_default().launch(&saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        added!(2.0, 8);

        let mut launched = false;
        is_outside(gpu.scope(|s| {
            let (run, mut y) = (s.on(&stream), s.hold(&mut y));
            run.launch(&saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..7)?))?;
            // It is told at the end.
            run.launch(&saxpy, config(), (N, 1.0, &x, &mut y))?;
            launched = true;
            Ok(())
        }));
        assert!(launched);
        expected[..7].iter_mut().for_each(|one| *one += 2.0);
        added!(1.0, 8);
        gpu.scope(|s| s.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut s.hold(&mut y))))
            .unwrap();
        added!(1.0, 8);

        let captured = gpu
            .capture(&mut stream, |c| {
                let mut y = c.hold(&mut y);
                c.stream().launch(&saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..7)?))
            })
            .unwrap();
        for _ in 0..2 {
            is_outside(gpu.on(&stream).replay(&captured, (&x, &mut y)));
            added!(2.0, 7);
        }
        is_outside(gpu.scope(|s| s.on(&stream).replay(&captured, (&x, &mut s.hold(&mut y)))));
        added!(2.0, 7);
        drop(captured);

        let open = gpu.open_capture(&stream).unwrap();
        let mut short = y.slice_mut(..7).unwrap();
        open.on(gpu).unwrap().launch(&saxpy, config(), (N, 1.0, &x, &mut short)).unwrap();
        open.on(gpu).unwrap().launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        let captured = open.finish(gpu).unwrap();
        for _ in 0..2 {
            is_outside(gpu.on(&stream).replay(&captured, (&x, &mut y)));
            expected[..7].iter_mut().for_each(|one| *one += 1.0);
            added!(1.0, 8);
        }
        drop(captured);

        let (mut built, node) = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                let node = g.kernel(&[], &saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..)?))?;
                Ok(node)
            })
            .unwrap();
        gpu.on(&stream).replay(&built, (&x, &mut y)).unwrap();
        added!(2.0, 8);
        let mut short = y.slice_mut(..7).unwrap();
        gpu.set_kernel(&mut built, node, &saxpy, config(), (N, 2.0, &x, &mut short)).unwrap();
        is_outside(gpu.on(&stream).replay(&built, (&x, &mut y)));
        added!(2.0, 7);
        gpu.set_kernel(&mut built, node, &saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        gpu.on(&stream).replay(&built, (&x, &mut y)).unwrap();
        added!(2.0, 8);

        // The read of an argument that is too short gives 0.
        let short = gpu.on(&stream).from_slice(&[1.0; 7]).unwrap();
        let error = gpu.on(&stream).launch(&saxpy, config(), (N, 2.0, &short, &mut y)).unwrap_err();
        let Error::OutOfBounds(outside) = &error else { panic!("{error}") };
        assert!(outside.arguments() == [2] && !outside.writes(), "{error}");
        added!(2.0, 7);
    });
}

/// The waits of an ordered stream that tell of a failure, each once.
#[test]
fn each_wait_of_an_ordered_stream_tells_of_a_failure_once() {
    let context = new_context();
    let stream = context.ordered_stream().unwrap();
    let saxpy: Saxpy = context.load_guarded(PTX).unwrap().kernel("saxpy").unwrap();
    let x = stream.from_slice(&[1.0; 8]).unwrap();
    let mut y = stream.from_slice(&[0.0; 8]).unwrap();
    let mut host = [0.0; 8];
    let mut times = 0.0;
    let mut fails = |stream: &OrderedStream| {
        let mut short = y.slice_mut(..7).unwrap();
        stream.launch(&saxpy, config(), (N, 1.0, &x, &mut short)).unwrap();
    };
    let one = stream.from_slice(&[1.0_f32]).unwrap();

    fails(&stream);
    is_outside(stream.synchronize());
    stream.synchronize().unwrap();
    fails(&stream);
    is_outside(stream.to_vec(&one));
    assert_eq!(stream.to_vec(&one).unwrap(), [1.0]);
    fails(&stream);
    is_outside(stream.download(&one, &mut host[..1]));
    stream.download(&one, &mut host[..1]).unwrap();
    fails(&stream);
    is_outside(stream.to_vec_later(&one).unwrap().wait());
    assert_eq!(stream.to_vec_later(&one).unwrap().wait().unwrap(), [1.0]);
    fails(&stream);
    let told = loop {
        match stream.query() {
            Ok(false) => std::thread::yield_now(),
            told => break told,
        }
    };
    is_outside(told);
    assert_eq!(stream.query(), Ok(true));
    times += 5.0;

    // It did the accesses that did not fail.
    stream.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
    stream.download(&y, &mut host).unwrap();
    assert_eq!(
        host,
        [
            times + 1.0,
            times + 1.0,
            times + 1.0,
            times + 1.0,
            times + 1.0,
            times + 1.0,
            times + 1.0,
            1.0
        ]
    );
}

#[test]
fn a_replay_in_an_ordered_stream_is_told_by_its_waits_or_those_of_the_graph() {
    with_stream(|gpu, mut stream| {
        let saxpy = load(gpu);
        let (x, mut y) = (gpu.alloc::<f32>(8).unwrap(), gpu.alloc::<f32>(8).unwrap());
        let graph = gpu
            .capture(&mut stream, |c| {
                let mut y = c.hold(&mut y);
                c.stream().launch(&saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..7)?))
            })
            .unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let (x, mut y) = (ordered.adopt(x).unwrap(), ordered.adopt(y).unwrap());
        ordered.replay(&graph, (&x, &mut y)).unwrap();
        is_outside(ordered.synchronize());
        graph.wait_idle().unwrap();
        ordered.replay(&graph, (&x, &mut y)).unwrap();
        is_outside(graph.wait_idle());
        ordered.synchronize().unwrap();
        drop(graph);
        ordered.synchronize().unwrap();
    });
}

/// The messages of an open capture come on several threads. When it is over, nothing else has the kernel, its module, the
/// memory and the place where failures are noted.
#[test]
fn the_graph_of_an_open_capture_keeps_all_that_its_guarded_kernels_need() {
    let context = new_context();
    let (open, stream, x, y) = context
        .with(|gpu| {
            let stream = gpu.stream()?;
            let x = gpu.on(&stream).from_slice(&[1.0_f32; 8])?;
            let y = gpu.on(&stream).from_slice(&[0.0_f32; 8])?;
            Ok((gpu.open_capture(&stream)?, stream.detach(), x.detach(), y.detach()))
        })
        .unwrap();
    let captures = |open: OpenCapture, mut y: Detached<DeviceBuffer<'static, f32>>| {
        context
            .with(|gpu| {
                let mut short = gpu.bind_mut(&mut y)?.slice_mut(..7)?;
                open.on(gpu)?.launch(&load(gpu), config(), (N, 2.0, gpu.bind(&x)?, &mut short))
            })
            .unwrap();
        (open, y)
    };
    let (open, y) = thread::scope(|s| s.spawn(|| captures(open, y)).join().unwrap());
    let (open, mut y) = captures(open, y);
    context
        .with(|gpu| {
            let graph = open.finish(gpu)?;
            let (on, x) = (gpu.on(gpu.bind(&stream)?), gpu.bind(&x)?);
            assert_eq!((graph.nodes()?, graph.buffers()), (2, 2));
            for replays in [4.0, 8.0] {
                is_outside(on.replay(&graph, (x, gpu.bind_mut(&mut y)?)));
                let mut expected = [replays; 8];
                expected[7] = 0.0;
                assert_eq!(on.to_vec(gpu.bind(&y)?)?, expected);
            }
            // The graph has a share of the memory, but no other memory will do.
            let other = gpu.alloc::<f32>(8)?;
            let refused = on.replay(&graph, (&other, gpu.bind_mut(&mut y)?)).unwrap_err();
            assert!(matches!(refused, Error::GraphBuffers { .. }), "{refused}");
            drop(graph);
            Ok(())
        })
        .unwrap();
    drop((x, y, stream));
    context.try_destroy().expect("nothing is left").unwrap();
}

/// A context has 4,096 places.
#[test]
fn captures_that_are_dropped_and_launches_that_wait_give_their_places_back() {
    let context = new_context();
    context
        .with(|gpu| {
            let (stream, saxpy) = (gpu.stream()?, load(gpu));
            let x = gpu.on(&stream).from_slice(&[1.0; 8])?;
            let (mut y, mut z) = (gpu.on(&stream).zeroed(7)?, gpu.on(&stream).zeroed(8)?);
            for number in 0..fewer(4_200, 20) {
                let open = gpu.open_capture(&stream)?;
                open.on(gpu)?.launch(&saxpy, config(), (N, 1.0, &x, &mut y))?;
                // It has another place, which is given back while the first one is in use.
                gpu.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut z))?;
                match number % 3 {
                    0 => drop(open),
                    1 => thread::scope(|s| s.spawn(|| drop(open)).join().unwrap()),
                    _ => drop(open.finish(gpu)?),
                }
            }
            is_outside(gpu.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut y)));
            assert_eq!(gpu.on(&stream).to_vec(&y)?, [1.0; 7], "no capture ran anything");
            Ok(())
        })
        .unwrap();
    context.try_destroy().expect("nothing is left").unwrap();
}

/// A graph has a place as long as it lives.
#[test]
fn more_graphs_than_a_context_has_places_are_refused() {
    skip_under_miri!("it builds 4,096 graphs");
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        let mut build = || {
            gpu.build_graph(|g| {
                let mut y = g.hold(&mut y);
                g.kernel(&[], &saxpy, config(), (N, 1.0, &x, &mut y)).map(drop)
            })
        };
        let refused = |error: Error| {
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            assert!(error.to_string().contains("drop some of them"), "{error}");
        };
        let mut graphs: Vec<_> = (0..4_096).map(|_| build().unwrap().0).collect();
        refused(build().map(drop).unwrap_err());
        refused(gpu.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap_err());
        drop(graphs.pop());
        gpu.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [1.0; 8]);
    });
}

/// The nodes of a child graph note failures where the graph that has them looks, also when the child is gone.
#[test]
fn a_child_graph_is_told_by_the_graph_that_has_it() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        let child = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                g.kernel(&[], &saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..7)?)).map(drop)
            })
            .unwrap()
            .0;
        let parent = gpu
            .build_graph(|g| g.child(&[], &child, (&x, &mut g.hold(&mut y))).map(drop))
            .unwrap()
            .0;
        drop(child);
        for _ in 0..2 {
            is_outside(gpu.on(&stream).replay(&parent, (&x, &mut y)));
        }
        gpu.on(&stream).launch(&saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap()[6..], [6.0, 2.0]);
    });
}

/// So are those of a child that the node was changed to.
#[test]
fn a_child_graph_that_a_node_was_changed_to_is_told_by_the_graph_that_has_it() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        let mut child = |len| {
            let built = gpu.build_graph(|g| {
                let mut y = g.hold(&mut y);
                g.kernel(&[], &saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..len)?)).map(drop)
            });
            built.unwrap().0
        };
        let (inside, outside) = (child(8), child(7));
        let (mut parent, node) =
            gpu.build_graph(|g| g.child(&[], &inside, (&x, &mut g.hold(&mut y)))).unwrap();
        gpu.on(&stream).replay(&parent, (&x, &mut y)).unwrap();
        parent.set_child(node, &outside, (&x, &mut y)).unwrap();
        drop((inside, outside));
        is_outside(gpu.on(&stream).replay(&parent, (&x, &mut y)));
    });
}

/// A stream without staged memory, which waits for the stream when it ends.
fn unstaged(context: &Context) -> OrderedStream {
    let options = OrderedOptions::new().keep(0).staging(0);
    context.with(|gpu| gpu.ordered_stream_with(gpu.stream()?, &options)).unwrap()
}

/// A stream that is dropped while its kernels run leaves them its place, which nobody gets before they are over.
#[test]
fn a_stream_that_is_dropped_tells_no_other_stream() {
    let context = new_context();
    let module = context.load_guarded(PTX).unwrap();
    let saxpy: Saxpy = module.kernel("saxpy").unwrap();
    for _ in 0..fewer(thorough(100), 2) {
        let stream = context.ordered_stream().unwrap();
        let x = stream.from_slice(&[1.0; 8]).unwrap();
        let mut y = stream.from_slice(&[0.0; 7]).unwrap();
        stream.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        drop((x, y, stream));
        let other = context.ordered_stream().unwrap();
        let x = other.from_slice(&[1.0; 8]).unwrap();
        let mut y = other.from_slice(&[0.0; 8]).unwrap();
        other.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        other.synchronize().unwrap();
        assert_eq!(other.to_vec(&y).unwrap(), [1.0; 8]);
    }
}

/// A stream that is dropped lives on with its place until its kernels are over. The next stream that launches a guarded
/// kernel then ends it, and is not told of its failure, which goes to the hook.
#[test]
fn a_stream_that_is_dropped_keeps_its_place_until_its_kernels_are_over() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_stream_that_is_dropped_keeps_its_place_until_its_kernels_are_over, {
        let context = new_context();
        let saxpy: Saxpy = context.load_guarded(PTX).unwrap().kernel("saxpy").unwrap();
        let stream = || unstaged(&context);
        let memory = |stream: &OrderedStream, len: usize| {
            (stream.from_slice(&[1.0_f32; 8]).unwrap(), stream.zeroed::<f32>(len).unwrap())
        };
        let (busy, next, last) = (stream(), stream(), Arc::new(stream()));
        // The hook launches, too, in the stream whose launch has called it.
        let again = (last.clone(), saxpy.clone());
        let told = told_to_the_hook(move || {
            let (stream, saxpy) = &again;
            let (x, mut y) = (stream.zeroed(8).unwrap(), stream.zeroed(8).unwrap());
            stream.launch(saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        });
        let (x, mut y) = memory(&busy, 7);
        let (next_x, mut next_y) = memory(&next, 8);
        let (last_x, mut last_y) = memory(&last, 8);
        busy.synchronize().unwrap();
        let all = live().streams;

        let (gate, wait) = gate();
        busy.host_function(wait).unwrap();
        busy.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        drop((x, y, busy));
        next.launch(&saxpy, config(), (N, 1.0, &next_x, &mut next_y)).unwrap();
        next.synchronize().unwrap();
        assert_eq!(live().streams, all);
        gate.open();
        context.synchronize().unwrap();
        assert_eq!(told(), 0);
        last.launch(&saxpy, config(), (N, 1.0, &last_x, &mut last_y)).unwrap();
        assert_eq!((live().streams, told()), (all - 1, 1));
        last.synchronize().unwrap();
        for (stream, y) in [(&next, &next_y), (&*last, &last_y)] {
            assert_eq!(stream.to_vec(y).unwrap(), [1.0; 8]);
        }
    });
}

/// Sets a hook that does this, too. Returns how many failures of guarded kernels it was told since it was asked last.
fn told_to_the_hook(also: impl Fn() + Send + Sync + 'static) -> impl Fn() -> usize {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    cuscope::on_release_error(move |error| {
        assert!(matches!(error, Error::OutOfBounds(_)), "{error}");
        also();
        TOLD.fetch_add(1, Ordering::Relaxed);
    });
    || TOLD.swap(0, Ordering::Relaxed)
}

/// What nobody is told of goes to the hook: when a stream ends that is idle, when a scope ends with another error, and when
/// the last module ends.
#[test]
fn a_failure_that_nobody_is_told_of_goes_to_the_hook() {
    fresh!(a_failure_that_nobody_is_told_of_goes_to_the_hook, {
        let context = new_context();
        let told = told_to_the_hook(|| {});
        let module = context.load_guarded(PTX).unwrap();
        let saxpy: Saxpy = module.kernel("saxpy").unwrap();
        let stream = || unstaged(&context);
        let fails = |stream: &OrderedStream| {
            let x = stream.zeroed::<f32>(8).unwrap();
            let mut y = stream.zeroed::<f32>(7).unwrap();
            stream.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        };
        let idle = stream();
        fails(&idle);
        context.synchronize().unwrap();
        assert_eq!(told(), 0);
        drop(idle);
        assert_eq!(told(), 1);

        let waited = stream();
        fails(&waited);
        waited.synchronize().unwrap_err();
        drop(waited);
        assert_eq!(told(), 0);

        let ended: Result = context.with(|gpu| {
            let stream = gpu.stream()?;
            let x = gpu.on(&stream).from_slice(&[1.0; 8])?;
            let mut y = gpu.on(&stream).from_slice(&[0.0; 7])?;
            gpu.scope(|s| {
                s.on(&stream).launch(&saxpy, config(), (N, 1.0, &x, &mut s.hold(&mut y)))?;
                Err(Error::NothingFits { call: "an error of the program" })
            })
        });
        assert!(matches!(ended, Err(Error::NothingFits { .. })));
        assert_eq!(told(), 1);

        let (gate, wait) = gate();
        let busy = stream();
        busy.host_function(wait).unwrap();
        fails(&busy);
        drop(busy);
        assert_eq!(told(), 0);
        gate.open();
        drop((saxpy, module));
        assert_eq!(told(), 1);
    });
}

/// A kernel whose module is gone is still told.
#[test]
fn a_failure_outlives_its_module() {
    let context = new_context();
    let stream = context.ordered_stream().unwrap();
    let x = stream.from_slice(&[1.0; 8]).unwrap();
    let mut y = stream.from_slice(&[0.0; 7]).unwrap();
    for _ in 0..3 {
        let saxpy: Saxpy = context.load_guarded(PTX).unwrap().kernel("saxpy").unwrap();
        stream.launch(&saxpy, config(), (N, 1.0, &x, &mut y)).unwrap();
        drop(saxpy);
        is_outside(stream.synchronize());
        stream.synchronize().unwrap();
    }
}

#[test]
fn memory_that_a_kernel_writes_is_mutable_in_its_signature() {
    with_gpu(|gpu| {
        let module = gpu.load_guarded(PTX).unwrap();
        let error = module.kernel::<(u32, f32, &[f32], &[f32])>("saxpy").unwrap_err();
        let Error::Signature(signature) = &error else { panic!("{error}") };
        assert_eq!(signature.index(), 3);
        assert!(
            matches!(signature.problem(), SignatureProblem::Use { given: "&[f32]", .. }),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .contains("parameter 3 is memory that the kernel writes, but `&[f32]`")
        );
        let error = module.kernel::<(u32, f32, u64, &mut [f32])>("saxpy").unwrap_err();
        assert!(error.to_string().contains("parameter 2 "), "{error}");
        let error = module.kernel::<(u32, f32, TextureObject, Out<f32>)>("saxpy").unwrap_err();
        assert!(matches!(error, Error::Signature(_)), "{error}");
        let error = module.kernel::<(u32, f64, In<f32>, Out<f32>)>("saxpy").unwrap_err();
        assert!(matches!(error, Error::Signature(_)), "{error}");
        let error = module.kernel::<(f32, f32, In<f32>, Out<f32>)>("saxpy").unwrap_err();
        let Error::Signature(signature) = &error else { panic!("{error}") };
        assert!(matches!(signature.problem(), SignatureProblem::Type { .. }), "{error}");
        let error = module.kernel::<(u32, f32, In<f32>)>("saxpy").unwrap_err();
        assert!(matches!(error, Error::Signature(_)), "{error}");
        let error = module.kernel::<(u32, f32, In<f32>, Out<f32>, In<f32>)>("saxpy").unwrap_err();
        assert!(matches!(error, Error::Signature(_)), "{error}");
        let error = module.kernel::<()>("nothing").unwrap_err();
        assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_NOT_FOUND), "{error}");
        let error = module.kernel::<()>("sax\0py").unwrap_err();
        assert_eq!(error.call(), Some("cuModuleGetFunction"), "{error}");

        // One that only writes its memory is given no number in its place, and one that takes handles none either.
        let stores = gpu.load_guarded(REFUSED).unwrap();
        let error = stores.kernel::<(u64,)>("store").unwrap_err();
        assert!(error.to_string().contains("memory that the kernel writes"), "{error}");
        let fetches = gpu.load_guarded(FETCH).unwrap();
        fetches.kernel::<(TextureObject, In<f32>, Out<f32>)>("fetch").unwrap();
        let error = fetches.kernel::<(u64, In<f32>, Out<f32>)>("fetch").unwrap_err();
        assert!(error.to_string().contains("the handle of a texture"), "{error}");
        let adds = gpu.load_guarded(ADD).unwrap();
        let error = adds.kernel::<(TextureObject, f32)>("add").unwrap_err();
        assert!(error.to_string().contains("the handle of a surface"), "{error}");
    });
}

/// Of memory that a kernel only writes, the bytes that it may write count, in a list as well.
#[test]
fn a_list_says_how_much_may_be_written() {
    with_stream(|gpu, stream| {
        let store = gpu.load_guarded(REFUSED).unwrap().function("store").unwrap();
        let mut memory = gpu.on(&stream).zeroed::<u8>(4).unwrap();
        let mut list = store.arguments();
        list.push(&mut memory).unwrap();
        gpu.on(&stream).launch(&store, LaunchConfig::new(1, 1), list).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&memory).unwrap(), [7, 0, 0, 0]);
        let (mut list, mut short) = (store.arguments(), memory.slice_mut(..3).unwrap());
        list.push(&mut short).unwrap();
        let error = gpu.on(&stream).launch(&store, LaunchConfig::new(1, 1), list).unwrap_err();
        let Error::OutOfBounds(outside) = &error else { panic!("{error}") };
        assert!(outside.arguments() == [0] && outside.writes(), "{error}");
    });
}

/// A kernel whose parameters are those of the run: each argument is compared with its parameter, and each access with the
/// arguments.
#[test]
fn a_list_is_compared_with_what_the_kernel_does() {
    with_stream(|gpu, mut stream| {
        let saxpy = gpu.load_guarded(PTX).unwrap().function("saxpy").unwrap();
        assert_eq!(saxpy.parameters().len(), 4);
        assert_eq!(saxpy.context(), gpu.context());
        let x = gpu.on(&stream).from_slice(&[1.0_f32; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0_f32; 8]).unwrap();
        macro_rules! list {
            ($($argument:expr),*) => {{
                let mut list = saxpy.arguments();
                $(list.push($argument).unwrap();)*
                list
            }};
        }
        macro_rules! launch {
            ($list:expr) => {
                gpu.on(&stream).launch(&saxpy, config(), $list)
            };
        }
        launch!(list!(N, 2.0_f32, &x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.0; 8]);
        let mut short = y.slice_mut(..7).unwrap();
        is_outside(launch!(list!(N, 2.0_f32, &x, &mut short)));
        let mut expected = [4.0; 8];
        expected[7] = 2.0;
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), expected);
        // Ranges are memory too, and their bytes are those that are named.
        // SAFETY: 1. and 2. The buffer lives longer, and is used here alone, as for the next one.
        let from = unsafe { gpu.device_range::<f32>(x.address(), 8) };
        // SAFETY: as above.
        let to = unsafe { gpu.device_range::<f32>(y.address(), 7) };
        is_outside(launch!(list!(N, 1.0_f32, from.unwrap(), to.unwrap())));

        // Memory that it reads is memory, and what it writes is lent mutably.
        let refused = |error: Result<()>, words: &str| {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Signature(_)), "{error}");
            assert!(error.to_string().contains(words), "{words}: {error}");
        };
        let mut list: ArgumentList<'_, '_> = list!(N);
        refused(
            list.push(2_u32).map(drop),
            "parameter 1 is `.f32` in the PTX text, but `u32` was pushed",
        );
        list.push(2.0_f32).unwrap();
        refused(list.push(x.address()).map(drop), "parameter 2 is memory that the kernel reads");
        refused(list.push(1_u32).map(drop), "parameter 2");
        list.push(&x).unwrap();
        refused(
            list.push(&x).map(drop),
            "the arguments do not match `saxpy`, whose first parameter is 0: parameter 3 is memory that the kernel writes, but `&DeviceBuffer<",
        );
        refused(list.push(y.address()).map(drop), "parameter 3 is memory that the kernel writes");
        assert_eq!(list.len(), 3);
        refused(launch!(list), "parameter 3");
        let mut list: ArgumentList<'_, '_> = list!(N, 2.0_f32, &x, &mut y);
        // The extents and where a failure is noted are the guard's own.
        refused(list.push(8_u64).map(drop), "parameter 4");
        drop(list);
        let other = gpu.load_guarded(PTX).unwrap().function("saxpy").unwrap();
        let error = gpu.on(&stream).launch(&other, config(), list!(N, 2.0_f32, &x, &mut y));
        assert!(error.unwrap_err().to_string().contains("listed for another kernel"));

        // Other surfaces take it like any kernel.
        gpu.scope(|s| {
            let mut y = s.hold(&mut y);
            s.on(&stream).launch(&saxpy, config(), list!(N, 1.0_f32, &x, &mut y))
        })
        .unwrap();
        let captured = gpu
            .capture(&mut stream, |c| {
                let mut y = c.hold(&mut y);
                let mut short = y.slice_mut(..7)?;
                c.stream().launch(&saxpy, config(), list!(N, 2.0_f32, &x, &mut short))
            })
            .unwrap();
        is_outside(gpu.on(&stream).replay(&captured, (&x, &mut y)));
        let open = gpu.open_capture(&stream).unwrap();
        let mut short = y.slice_mut(..7).unwrap();
        open.on(gpu).unwrap().launch(&saxpy, config(), list!(N, 2.0_f32, &x, &mut short)).unwrap();
        let captured = open.finish(gpu).unwrap();
        is_outside(gpu.on(&stream).replay(&captured, (&x, &mut y)));
    });
}

/// Where the kernel takes a handle, the list has a texture or a surface, and nowhere else.
#[test]
fn a_list_has_the_handles_that_a_kernel_takes() {
    with_stream(|gpu, mut stream| {
        let [fetch, add] = [(FETCH, "fetch"), (ADD, "add")]
            .map(|(text, name)| gpu.load_guarded(text).unwrap().function(name).unwrap());
        let mut array = gpu.alloc_array(D2, ArrayFlags::SURFACE).unwrap();
        let texels: Vec<_> = (0..12).map(|one| one as f32).collect();
        gpu.on(&stream).upload(&texels, &mut array).unwrap();
        let at = gpu.on(&stream).from_slice(&[0.5_f32, 0.5, 3.5, 2.5]).unwrap();
        let mut out = gpu.on(&stream).zeroed::<f32>(2).unwrap();
        let refused = |pushed: Result<()>, words: &str| {
            let error = pushed.unwrap_err();
            assert!(matches!(error, Error::Signature(_)), "{error}");
            assert!(error.to_string().contains(words), "{words}: {error}");
        };

        let mut surface = gpu.surface(&mut array).unwrap();
        let mut list = add.arguments();
        refused(list.push(7_u64).map(drop), "the handle of a surface");
        refused(list.push(&out).map(drop), "the handle of a surface");
        list.push(&mut surface).unwrap().push(100.0_f32).unwrap();
        gpu.on(&stream).launch(&add, LaunchConfig::new(1, (4, 3)), list).unwrap();
        let mut list: ArgumentList<'_, '_> = fetch.arguments();
        refused(list.push(&surface).map(drop), "the handle of a texture");
        drop(list);
        drop(surface);

        let texture = gpu.texture(&array, Sampling::default()).unwrap();
        let mut list: ArgumentList<'_, '_> = add.arguments();
        refused(list.push(&texture).map(drop), "the handle of a surface");
        drop(list);
        let mut list = fetch.arguments();
        refused(list.push(7_u64).map(drop), "the handle of a texture");
        list.push(&texture).unwrap();
        refused(list.push(&texture).map(drop), "memory that the kernel reads");
        list.push(&at).unwrap();
        refused(list.push(&texture).map(drop), "memory that the kernel writes");
        list.push(&mut out).unwrap();
        let two = LaunchConfig::new(1, 2);
        gpu.on(&stream).launch(&fetch, two, list).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [100.0, 111.0]);

        // A graph keeps the object, and a replay passes its memory.
        gpu.on(&stream).zero(&mut out).unwrap();
        let graph = gpu
            .capture(&mut stream, |c| {
                let (mut out, mut list) = (c.hold(&mut out), fetch.arguments());
                list.push(&texture)?.push(&at)?.push(&mut out)?;
                c.stream().launch(&fetch, two, list)
            })
            .unwrap();
        drop(texture);
        gpu.on(&stream).replay(&graph, (&array, &at, &mut out)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [100.0, 111.0]);
    });
}

#[test]
fn kernels_that_no_list_is_for_are_named() {
    with_gpu(|gpu| {
        let many: Vec<_> = (0..33).map(|at| format!(".param .u32 p{at}")).collect();
        let header = ".version 8.0\n.target sm_80\n.address_size 64";
        let text = format!(
            "{header}\n.visible .entry most({}) {{ ret; }}\n.visible .entry many({}) {{ ret; }}",
            many[..32].join(", "),
            many.join(", ")
        );
        let module = gpu.load_guarded(&*text).unwrap();
        let error = module.function("many").unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        assert!(error.to_string().contains("at most 32 parameters"), "{error}");
        assert_eq!(error.call(), Some("cuModuleGetFunction"));
        let (most, stream) = (module.function("most").unwrap(), gpu.stream().unwrap());
        let mut list = most.arguments();
        (0..32_u32).for_each(|number| _ = list.push(number).unwrap());
        gpu.on(&stream).launch(&most, LaunchConfig::new(1, 1), list).unwrap();
        let error = module.function("ma\0ny").unwrap_err();
        assert_eq!(error.call(), Some("cuModuleGetFunction"), "{error}");
        let error = module.function("nothing").unwrap_err();
        assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_NOT_FOUND), "{error}");
        let error = gpu.load_guarded(REFUSED).unwrap().function("calls").unwrap_err();
        assert!(matches!(error, Error::Guard(_)), "{error}");
    });
}

const REFUSED: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) somewhere(.param .b64 f);
.visible .entry calls() {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    {
    .param .b64 p;
    .param .b32 r;
    st.param.b64 [p], %rd1;
    call.uni (r), somewhere, (p);
    }
    ret;
}
.visible .entry store(.param .u64 to) {
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], 7;
    ret;
}
";

#[test]
fn a_kernel_that_cannot_be_guarded_is_named() {
    with_stream(|gpu, stream| {
        let module = gpu.load_guarded(REFUSED).unwrap();
        let error = module.kernel::<()>("calls").unwrap_err();
        let Error::Guard(refused) = &error else { panic!("{error}") };
        assert_eq!(refused.kernel(), Some("calls"));
        let line = REFUSED.lines().nth(refused.line() as usize - 1).unwrap().trim();
        assert_eq!(refused.instruction(), line, "{error}");
        assert!(line.contains("somewhere") && error.to_string().contains(line), "{error}");
        assert_eq!(module.refused(), [(**refused).clone()]);
        // The other kernel is there.
        let store = module.kernel::<(&mut [u32],)>("store").unwrap();
        let mut x = gpu.on(&stream).zeroed(1).unwrap();
        gpu.on(&stream).launch(&store, LaunchConfig::new(1, 1), (&mut x,)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [7]);

        // The driver refuses a line that the guard has rewritten, and the caller's text has another number for it.
        let wrong = PTX.replace("mul.wide", "mul.wde");
        let error = gpu.load_guarded(&*wrong).unwrap_err();
        let Error::Load(load) = &error else { panic!("{error}") };
        assert!(load.ptx_line().is_some_and(|(_, line)| line.starts_with("mul.wde")), "{error}");
        let told = error.to_string().contains("the log's lines are those of the guarded text");
        assert!(told, "{error}");

        let error =
            gpu.load_guarded(".version 8.0\n.target sm_80\n.visible .entry k( {").unwrap_err();
        assert!(matches!(error, Error::Guard(_) | Error::Image(_)), "{error}");
        let ptx = Ptx::new(PTX).unwrap();
        gpu.load_guarded_image(&ptx).unwrap();
        let ptx = [PTX.as_bytes(), &[0]].concat();
        let image = fatbin::fatbin(&[fatbin::entry(1, 75, 72, &ptx)]);
        let fatbin = Fatbin::new(image).unwrap();
        let error = gpu.load_guarded_image(&fatbin).unwrap_err();
        assert!(error.to_string().contains("compile the kernels to PTX"), "{error}");
    });
}

/// Between the rows of a part there may be memory that somebody else has.
#[test]
fn of_a_part_of_rows_the_first_row_is_written() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut rows = gpu.alloc_pitched::<f32>((8, 2)).unwrap();
        gpu.on(&stream).zero(&mut rows).unwrap();
        let mut part = rows.part_mut(..4, .., ..).unwrap();
        is_outside(gpu.on(&stream).launch(&saxpy, config(), (N, 2.0, &x, &mut part)));
        let expected = [[2.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]].concat();
        assert_eq!(gpu.on(&stream).to_vec(&rows).unwrap(), expected);
    });
}

/// Of a buffer that is passed whole, the kernel writes all rows, and what is between them.
#[test]
fn of_whole_memory_with_rows_all_rows_are_written() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let on = gpu.on(&stream);
        let x = on.from_slice(&[1.0; 512]).unwrap();
        let mut rows = gpu.alloc_pitched::<f32>((8, 2)).unwrap();
        on.zero(&mut rows).unwrap();
        // Up to the second row, which is 128 elements behind the first one.
        let len = (rows.pitch() / 4) as u32 + 8;
        let config = LaunchConfig::for_num_elems(len as usize).unwrap();
        on.launch(&saxpy, config, (len, 2.0, &x, &mut rows)).unwrap();
        assert_eq!(on.to_vec(&rows).unwrap(), [2.0; 16]);
    });
}

/// A function that stores behind what its kernel has, compiled from the seventh line of a file.
const CALLS: &str = "
.version 7.0
.target sm_60
.address_size 64
.file 1 \"put.cu\"
.func put(.param .b64 at)
{
    .reg .b64 %rd<2>;
    ld.param.b64 %rd1, [at];
    .loc 1 7 3
    st.global.u32 [%rd1+4], 9;
    ret;
}
.visible .entry outer(.param .u64 p)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    {
        .param .b64 one;
        st.param.b64 [one], %rd2;
        call put, (one);
    }
    ret;
}
";

#[test]
fn an_access_in_a_function_is_told_with_its_place_in_the_source() {
    with_stream(|gpu, stream| {
        let outer = gpu.load_guarded(CALLS).unwrap().kernel::<(&mut [u32],)>("outer").unwrap();
        let mut x = gpu.on(&stream).from_slice(&[1_u32]).unwrap();
        let one = LaunchConfig::new(1, 1);
        let Err(Error::OutOfBounds(told)) = gpu.on(&stream).launch(&outer, one, (&mut x,)) else {
            panic!("it stores behind the one element")
        };
        assert_eq!((told.kernel(), told.function()), ("outer", Some("put")));
        assert_eq!(told.source(), Some(("put.cu", 7)));
        let mut x = gpu.on(&stream).from_slice(&[1_u32, 1]).unwrap();
        gpu.on(&stream).launch(&outer, one, (&mut x,)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [1, 9]);
    });
}

/// A scope has a place of its own: the one before does not tell it of anything.
#[test]
fn a_scope_tells_of_its_own_kernels() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        for fails in [false, true, false] {
            let result = gpu.scope(|s| {
                let (run, mut y) = (s.on(&stream), s.hold(&mut y));
                let len = if fails { 7 } else { 8 };
                run.launch(&saxpy, config(), (N, 1.0, &x, &mut y.slice_mut(..len)?))
            });
            match fails {
                true => is_outside(result),
                false => result.unwrap(),
            }
        }
    });
}

/// Whatever tells that work is over tells of an access that was not made, once.
#[test]
fn every_question_whether_work_is_over_tells_of_a_failure() {
    with_stream(|gpu, mut stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0_f32; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0_f32; 8]).unwrap();
        for asks in [false, true] {
            gpu.scope(|s| {
                let (run, mut y) = (s.on(&stream), s.hold(&mut y));
                run.launch(&saxpy, config(), (N, 1.0, &x, &mut y.slice_mut(..7)?))?;
                if asks {
                    is_outside(loop {
                        match run.query() {
                            Ok(false) => std::thread::yield_now(),
                            over => break over,
                        }
                    });
                } else {
                    is_outside(run.synchronize());
                }
                Ok(())
            })
            .unwrap();
        }
        let graph = gpu
            .capture(&mut stream, |c| {
                let mut y = c.hold(&mut y);
                c.stream().launch(&saxpy, config(), (N, 1.0, &x, &mut y.slice_mut(..7)?))
            })
            .unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let (x, mut y) = (ordered.adopt(x).unwrap(), ordered.adopt(y).unwrap());
        ordered.replay(&graph, (&x, &mut y)).unwrap();
        is_outside(loop {
            match graph.is_idle() {
                Ok(false) => std::thread::yield_now(),
                over => break over,
            }
        });
        ordered.launch(&saxpy, config(), (N, 1.0, &x, &mut y.slice_mut(..7).unwrap())).unwrap();
        let host = gpu.pinned::<f32>(8).unwrap();
        let mut pending = ordered.download_owned(&y, host).unwrap();
        is_outside(loop {
            match pending.try_get() {
                Ok(None) => std::thread::yield_now(),
                over => break over,
            }
        });
        drop(pending);
        ordered.synchronize().unwrap();
    });
}

/// A scope has a place in each of its contexts.
#[test]
fn a_scope_tells_of_kernels_in_the_contexts_of_its_peers() {
    let (first, second) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&first).unwrap();
    let (there, theirs) = (outer.stream().unwrap(), load(&outer));
    let mut far_x = outer.on(&there).from_slice(&[1.0_f32; 8]).unwrap();
    let mut far_y = outer.on(&there).from_slice(&[0.0_f32; 8]).unwrap();
    let gpu = outer.push(&second).unwrap();
    let (mut here, ours) = (gpu.stream().unwrap(), load(&gpu));
    let x = gpu.on(&here).from_slice(&[1.0_f32; 8]).unwrap();
    let mut y = gpu.on(&here).from_slice(&[0.0_f32; 8]).unwrap();
    let graph = gpu
        .capture(&mut here, |c| {
            c.stream().launch(&ours, config(), (N, 1.0, &x, &mut c.hold(&mut y)))
        })
        .unwrap();
    for (near, far) in [(8, 7), (7, 8), (8, 8)] {
        let result = gpu.scope(|s| {
            let (run_there, run_here) = (s.on_peer(&there), s.on(&here));
            let (far_x, mut far_y) = (s.hold_peer(&mut far_x), s.hold_peer(&mut far_y));
            let mut y = s.hold(&mut y);
            for _ in 0..2 {
                let mut far_y = far_y.slice_mut(..far)?;
                run_here.launch(&ours, config(), (N, 1.0, &x, &mut y.slice_mut(..near)?))?;
                run_there.launch(&theirs, config(), (N, 1.0, &far_x, &mut far_y))?;
            }
            // A graph that it replays would have it look, too.
            if near + far < 16 { Ok(()) } else { run_here.replay(&graph, (&x, &mut y)) }
        });
        match near + far {
            16 => result.unwrap(),
            _ => is_outside(result),
        }
    }
    assert_eq!(gpu.on(&here).to_vec(&y).unwrap()[6..], [7.0, 5.0]);
    drop(graph);
    gpu.pop().unwrap();
    assert_eq!(outer.on(&there).to_vec(&far_y).unwrap()[6..], [6.0, 4.0]);
}

#[test]
fn a_scope_tells_of_its_kernels_behind_a_graph_that_it_replays() {
    with_stream(|gpu, mut stream| {
        let saxpy = load(gpu);
        let x = gpu.on(&stream).from_slice(&[1.0; 8]).unwrap();
        let mut y = gpu.on(&stream).from_slice(&[0.0; 8]).unwrap();
        let graph = gpu
            .capture(&mut stream, |c| {
                c.stream().launch(&saxpy, config(), (N, 1.0, &x, &mut c.hold(&mut y)))
            })
            .unwrap();
        for len in [7, 8] {
            let result = gpu.scope(|s| {
                let (run, mut y) = (s.on(&stream), s.hold(&mut y));
                run.replay(&graph, (&x, &mut y))?;
                run.launch(&saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..len)?))
            });
            match len {
                7 => is_outside(result),
                _ => result.unwrap(),
            }
        }
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap()[6..], [6.0, 4.0]);
    });
}
