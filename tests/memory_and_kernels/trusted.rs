//! Trusted kernels: each surface launches them without `unsafe`, and their check refuses what it does not accept.
#![allow(unsafe_code, reason = "trusts kernels")]

use crate::common::gpu::{new_context, with_gpu, with_stream};
use crate::common::kernels::SAXPY;
use crate::common::{UNWINDS, panics, shorter};
use cuscope::graph::KernelNode;
use cuscope::kernel::{Check, KernelReads, KernelWrites, Launches, SafeKernel, TextureObject};
use cuscope::launch::LaunchShape;
use cuscope::memory::{Extent, MemorySize};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{
    Context, Error, In, Kernel, LaunchConfig, Out, PushedGuard, Result, TrustedKernel, Value,
};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Signature = (u32, f32, In<f32>, Out<f32>);
type BoxedCheck = Box<dyn Fn(&LaunchShape, &(u32, f32, MemorySize, MemorySize)) -> bool>;
type Saxpy = TrustedKernel<Signature>;
const PTX: &str = shorter(include_str!("../../examples/kernels/saxpy.ptx"), SAXPY);
const N: u32 = 8;

fn load(gpu: &PushedGuard<'_>) -> Saxpy {
    let kernel: Kernel<Signature> = gpu.load_ptx(PTX).unwrap().kernel("saxpy").unwrap();
    // SAFETY: thread i uses element i of x and y, and none if i is not less than n.
    unsafe { kernel.trust(|_, (n, _, x, y)| x.len().min(y.len()) >= *n as usize) }
}

fn config() -> LaunchConfig {
    LaunchConfig::for_num_elems(N as usize).unwrap()
}

fn is_refused(result: Result<impl Sized>) {
    let error = result.err().expect("the check refuses it");
    let Error::LaunchRefused(refused) = &error else { panic!("{error}") };
    assert_eq!(refused.kernel(), "saxpy");
    assert_eq!(refused.launch(), "1 x 1 x 1 blocks of 256 x 1 x 1 threads");
    assert_eq!(refused.arguments(), "8, 2.0, &[f32; 8], &mut [f32; 7]");
    let text = error.to_string();
    assert!(text.contains("the check of `saxpy` refuses 1 x 1 x 1 blocks"), "{text}");
    assert!(text.contains("(8, 2.0, &[f32; 8], &mut [f32; 7])"), "{text}");
    assert_eq!(error.call(), Some(refused.call()));
}

/// A launch by code that is written once, for every surface and any memory.
fn launch<'ctx, S: Launches<'ctx>>(
    on: &S,
    saxpy: &impl SafeKernel<'ctx, Signature = Signature>,
    x: impl KernelReads<'ctx, f32, S::Lent>,
    y: impl KernelWrites<'ctx, f32, S::Lent>,
) -> Result {
    assert!(x.len() == N as usize && !y.is_empty());
    on.launch(saxpy, config(), (N, 2.0_f32, x, y))
}

#[test]
fn every_surface_launches_what_the_check_accepts() {
    with_stream(|gpu, mut stream| {
        let saxpy = load(gpu);
        let on = gpu.on(&stream);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 9]).unwrap());
        let mut expected = 0.0;
        macro_rules! added {
            () => {
                expected += 2.0;
                let now = gpu.on(&stream).to_vec(&y).unwrap();
                assert_eq!(now, [[expected; 8].as_slice(), &[0.0]].concat());
            };
        }

        launch(&on, &saxpy, &x, &mut y).unwrap();
        added!();
        is_refused(launch(&on, &saxpy, &x, &mut y.slice_mut(..7).unwrap()));

        let default = gpu.on_legacy_default();
        launch(&default, &saxpy, &x, &mut y).unwrap();
        added!();
        is_refused(launch(&default, &saxpy, &x, &mut y.slice_mut(..7).unwrap()));

        gpu.scope(|s| {
            let (run, mut y) = (s.on(&stream), s.hold(&mut y));
            is_refused(launch(&run, &saxpy, &x, &mut y.slice_mut(..7)?));
            launch(&run, &saxpy, &x, &mut y)
        })
        .unwrap();
        added!();

        let refused = gpu.capture(&mut stream, |c| {
            let mut y = c.hold(&mut y);
            launch(&c.stream(), &saxpy, &x, &mut y.slice_mut(..7)?)
        });
        is_refused(refused);
        let captured = gpu
            .capture(&mut stream, |c| launch(&c.stream(), &saxpy, &x, &mut c.hold(&mut y)))
            .unwrap();
        gpu.on(&stream).replay(&captured, (&x, &mut y)).unwrap();
        added!();
        drop(captured);

        let open = gpu.open_capture(&stream).unwrap();
        let on = open.on(gpu).unwrap();
        is_refused(launch(&on, &saxpy, &x, &mut y.slice_mut(..7).unwrap()));
        launch(&on, &saxpy, &x, &mut y).unwrap();
        is_refused(open.finish(gpu)); // as a capture that failed
        let open = gpu.open_capture(&stream).unwrap();
        launch(&open.on(gpu).unwrap(), &saxpy, &x, &mut y).unwrap();
        let captured = open.finish(gpu).unwrap();
        gpu.on(&stream).replay(&captured, (&x, &mut y)).unwrap();
        added!();
        drop(captured);

        let refused = gpu.build_graph(|g| {
            let mut y = g.hold(&mut y);
            g.kernel(&[], &saxpy, config(), (N, 2.0, &x, &mut y.slice_mut(..7)?)).map(drop)
        });
        is_refused(refused);
        let (mut built, node) = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                let node = g.kernel(&[], &saxpy, config(), (N, 1.0, &x, &mut y))?;
                launch(&g, &saxpy, &x, &mut y)?;
                Ok(node)
            })
            .unwrap();
        gpu.on(&stream).replay(&built, (&x, &mut y)).unwrap();
        expected += 1.0;
        added!();

        gpu.set_kernel(&mut built, node, &saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        gpu.on(&stream).replay(&built, (&x, &mut y)).unwrap();
        expected += 2.0;
        added!();
        let mut short = y.slice_mut(..7).unwrap();
        let set = gpu.set_kernel(&mut built, node, &saxpy, config(), (N, 2.0, &x, &mut short));
        is_refused(set);
        gpu.on(&stream).replay(&built, (&x, &mut y)).unwrap();
        expected += 2.0;
        added!();

        let (mut definition, ()) = gpu
            .define_graph(|g| {
                let mut y = g.hold(&mut y);
                g.kernel(&[], &saxpy, config(), (N, 1.0, &x, &mut y)).map(drop)
            })
            .unwrap();
        let node: KernelNode = definition.list_nodes().unwrap()[0].try_into().unwrap();
        let mut short = y.slice_mut(..7).unwrap();
        let args = (N, 2.0, &x, &mut short);
        is_refused(definition.set_kernel(gpu, node, &saxpy, config(), args));
        definition.set_kernel(gpu, node, &saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        let graph = definition.instantiate(gpu).unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        added!();
    });
}

/// The check runs code of the program: it may use the capture, and its panic leaves the launch out.
#[test]
fn the_check_of_a_kernel_may_use_the_capture() {
    with_stream(|gpu, stream| {
        let on = gpu.on(&stream);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 8]).unwrap());
        let mut z = gpu.alloc::<u32>(1).unwrap();
        let open = gpu.open_capture(&stream).unwrap();
        let to = RefCell::new(&mut z);
        let plain: Kernel<Signature> = gpu.load_ptx(PTX).unwrap().kernel("saxpy").unwrap();
        let check = |_: &LaunchShape, (n, ..): &(u32, f32, MemorySize, MemorySize)| {
            open.on(gpu).unwrap().fill(&mut **to.borrow_mut(), *n).unwrap();
            assert_eq!(*n, N, "a panic of the check");
            true
        };
        // SAFETY: thread i uses element i of x and y, and none if i is not less than n, which is 8.
        let saxpy = unsafe { plain.trust(check) };
        let run = open.on(gpu).unwrap();
        run.launch(&saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        if UNWINDS {
            assert!(panics(|| run.launch(&saxpy, config(), (N + 1, 2.0, &x, &mut y))));
        }
        drop(saxpy);
        let graph = open.finish(gpu).unwrap();
        assert_eq!(graph.nodes().unwrap(), if UNWINDS { 3 } else { 2 });
        gpu.on(&stream).replay(&graph, (&x, &mut y, &mut z)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.0; 8]);
        assert_eq!(gpu.on(&stream).to_vec(&z).unwrap(), [if UNWINDS { N + 1 } else { N }]);
    });
}

#[test]
fn ordered_streams_launch_what_the_check_accepts() {
    struct Scaler {
        stream: cuscope::OrderedStream,
        saxpy: Saxpy,
    }
    let context = Context::primary(cuscope::Device::get(0).unwrap()).unwrap();
    let module = context.load_ptx(PTX).unwrap();
    // SAFETY: thread i uses element i of x and y, and none if i is not less than n.
    let saxpy: Saxpy = unsafe {
        module.kernel("saxpy").unwrap().trust(|_, (n, _, x, y)| x.len().min(y.len()) >= *n as usize)
    };
    let scaler = Scaler { stream: context.ordered_stream().unwrap(), saxpy };
    let Scaler { stream, saxpy } = &scaler;
    let (x, mut y) = (stream.from_slice(&[1.0; 8]).unwrap(), stream.from_slice(&[0.0; 8]).unwrap());
    launch(stream, saxpy, &x, &mut y).unwrap();
    is_refused(launch(stream, saxpy, &x, &mut y.slice_mut(..7).unwrap()));
    assert_eq!(stream.to_vec(&y).unwrap(), [2.0; 8]);
    let shared = x.share();
    stream.launch(saxpy, config(), (N, 1.0, &shared, &mut y)).unwrap();
    assert_eq!(stream.to_vec(&y).unwrap(), [3.0; 8]);
}

#[test]
fn the_check_is_asked_at_each_launch_and_sees_its_shape_and_the_sizes_of_memory() {
    with_stream(|gpu, stream| {
        let asked = Arc::new(AtomicUsize::new(0));
        let seen = asked.clone();
        let plain: Kernel<Signature> = gpu.load_ptx(PTX).unwrap().kernel("saxpy").unwrap();
        let check = move |launch: &LaunchShape, args: &(u32, f32, MemorySize, MemorySize)| {
            seen.fetch_add(1, Ordering::Relaxed);
            let (n, a, x, y) = args;
            assert_eq!((*n, *a, x.len(), y.bytes()), (N, 2.0, 8, 32));
            assert_eq!((launch.grid, launch.block.x), (1.into(), 256));
            assert_eq!((launch.threads(), launch.cooperative), (256, launch.shared_bytes == 64));
            launch.cluster.is_none()
        };
        // SAFETY: the arguments are those that are asserted.
        let saxpy: TrustedKernel<Signature, BoxedCheck> = unsafe { plain.trust(Box::new(check)) };
        let on = gpu.on(&stream);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 8]).unwrap());
        on.launch(&saxpy, config(), (N, 2.0, &x, &mut y)).unwrap();
        let shared = config().with_shared_bytes(64).extended().cooperative();
        on.launch(&saxpy, shared, (N, 2.0, &x, &mut y)).unwrap();
        let clusters = config().extended().cluster(1);
        let refused = on.launch(&saxpy, clusters, (N, 2.0, &x, &mut y)).unwrap_err();
        assert!(refused.to_string().contains("in clusters of 1 x 1 x 1 blocks"), "{refused}");
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        assert_eq!(on.to_vec(&y).unwrap(), [4.0; 8]);
        assert!(saxpy.context() == gpu.context() && format!("{saxpy:?}").starts_with("Trusted"));
    });
}

/// After a row of memory with rows there may be memory that somebody else has.
#[test]
fn the_elements_of_memory_with_rows_are_those_of_a_row() {
    with_stream(|gpu, stream| {
        let plain = gpu.load_ptx(PTX).unwrap().kernel::<Signature>("saxpy").unwrap();
        let check = |_: &LaunchShape, (n, _, x, y): &(u32, f32, MemorySize, MemorySize)| {
            assert_eq!((x.extent(), x.len()), ((4, 2).into(), 4));
            assert_eq!(y.extent(), Extent { width: 16, height: 1, depth: 1 });
            assert_eq!((y.pitch(), y.plane(), y.len(), y.bytes()), (64, 64, 16, 64));
            assert!(x.pitch() >= 16 && x.plane() == 2 * x.pitch());
            x.len().min(y.len()) >= *n as usize
        };
        // SAFETY: thread i uses element i of x and y, and none if i is not less than n.
        let saxpy = unsafe { plain.trust(check) };
        let on = gpu.on(&stream);
        let x = gpu.alloc_pitched::<f32>((8, 2)).unwrap();
        let mut y = on.from_slice(&[0.0; 16]).unwrap();
        let part = x.part(..4, .., ..).unwrap();
        assert_eq!(KernelReads::<'_, f32>::len(&part), 4);
        let refused = on.launch(&saxpy, config(), (N, 2.0, &part, &mut y)).unwrap_err();
        assert!(refused.to_string().contains("&[f32; 4 x 2 x 1]"), "{refused}");
    });
}

/// A node that keeps its clusters, or its cooperative launch, is not changed to a launch whose check does not see them.
#[test]
fn a_node_whose_attributes_are_a_part_of_its_shape_is_not_changed_safely() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let on = gpu.on(&stream);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 8]).unwrap());
        for launch in [config().extended().cooperative(), config().extended().cluster(1)] {
            let (mut graph, node) = gpu
                .build_graph(|g| {
                    let args = (N, 1.0, &x, &mut g.hold(&mut y));
                    g.kernel(&[], &saxpy, launch, args)
                })
                .unwrap();
            let args = (N, 2.0, &x, &mut y);
            let set = gpu.set_kernel(&mut graph, node, &saxpy, config(), args);
            let error = set.unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            assert!(error.to_string().contains("set_kernel_unchecked"), "{error}");
        }
        // Other attributes are no part of it.
        let (mut graph, node) = gpu
            .build_graph(|g| {
                let args = (N, 1.0, &x, &mut g.hold(&mut y));
                g.kernel(&[], &saxpy, config().extended().priority(0), args)
            })
            .unwrap();
        gpu.set_kernel(&mut graph, node, &saxpy, config(), (7, 1.0, &x, &mut y)).unwrap();
    });
}

/// Takes a struct by value and the handle of a texture, and does nothing.
const KINDS: &str = ".version 7.0
.target sm_52
.address_size 64
.visible .entry kinds(.param .align 4 .b8 pair[8], .param .u64 texture) { ret; }";

#[test]
fn a_refusal_shows_the_launch_and_the_kinds_of_its_arguments() {
    with_stream(|gpu, stream| {
        let on = gpu.on(&stream);
        let saxpy = load(gpu);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 7]).unwrap());
        let shape = config().with_shared_bytes(64).extended().cooperative();
        let error = on.launch(&saxpy, shape, (N, 2.0, &x, &mut y)).unwrap_err();
        let all = "256 x 1 x 1 threads, 64 bytes of dynamic shared memory, cooperative";
        assert!(error.to_string().contains(all), "{error}");

        let kernel: Kernel<(Value<[u32; 2]>, TextureObject)> =
            gpu.load_ptx(KINDS).unwrap().kernel("kinds").unwrap();
        // SAFETY: the kernel uses no memory.
        let kinds = unsafe { kernel.trust(|_, ([first, second], ())| first < second) };
        let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::default());
        let texture = gpu.texture(array.unwrap(), Sampling::default()).unwrap();
        let one = LaunchConfig::new(1, 1);
        on.launch(&kinds, one, ([1_u32, 2], &texture)).unwrap();
        let error = on.launch(&kinds, one, ([2_u32, 1], &texture)).unwrap_err();
        let Error::LaunchRefused(refused) = &error else { panic!("{error}") };
        assert_eq!(refused.arguments(), "[u32; 2], a texture");
        assert_eq!(refused.call(), "cuLaunchKernel");
    });
}

/// The kernel can be had again, to launch it without the check.
#[test]
fn a_clone_is_another_owner_of_the_kernel_and_of_its_check() {
    with_stream(|gpu, stream| {
        let saxpy = load(gpu);
        let clone = saxpy.clone();
        drop(saxpy);
        let on = gpu.on(&stream);
        let (x, mut y) = (on.from_slice(&[1.0; 8]).unwrap(), on.from_slice(&[0.0; 8]).unwrap());
        launch(&on, &clone, &x, &mut y).unwrap();
        is_refused(launch(&on, &clone, &x, &mut y.slice_mut(..7).unwrap()));
        // SAFETY: 1. to 3. Thread i uses element i of x and y, and none if i is not less than n, which is 7.
        unsafe { on.launch_unchecked(clone.kernel(), config(), (7_u32, 2.0_f32, &x, &mut y)) }
            .unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 2.0]);
    });
}

#[test]
fn a_check_sees_structs_themselves() {
    let check: Check<(Value<[u32; 6]>,)> = |_, ([first, ..],)| *first == 1;
    assert!(check(&LaunchShape::from(config()), &([1; 6],)));
    assert!(!check(&LaunchShape::from(config()), &([0; 6],)));
}

#[test]
fn the_launch_of_another_context_is_refused() {
    with_gpu(|gpu| {
        let saxpy = load(gpu);
        let other = new_context();
        let ordered = other.ordered_stream().unwrap();
        let (x, mut y) =
            (ordered.from_slice(&[1.0; 8]).unwrap(), ordered.from_slice(&[0.0; 8]).unwrap());
        let refused = launch(&ordered, &saxpy, &x, &mut y).unwrap_err();
        assert!(matches!(refused, Error::OtherContext { .. }), "{refused}");
    });
}
