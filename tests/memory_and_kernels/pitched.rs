//! Rows and planes: copies and fills on every surface, compared with the same on the host.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SAXPY, STORE};
use crate::{common, skip};
use cuscope::memory::{Extent, PitchedBuffer};
use cuscope::scope::ScopedPitchedBuffer;
use cuscope::{ContextStack, Error, LaunchConfig, PushedGuard, Result};
use cuscope_softdriver::control::record;
use std::ops::Range;

/// Columns, rows and planes.
type Part = [Range<usize>; 3];

/// Memory in rows and planes on the host, packed.
#[derive(Clone, Debug, PartialEq)]
struct Host {
    extent: Extent,
    values: Vec<u32>,
}

impl Host {
    fn counted(extent: Extent, first: u32) -> Host {
        let len = (extent.width * extent.height * extent.depth) as u32;
        Host { extent, values: (first..first + len).collect() }
    }

    fn places(&self, [x, y, z]: Part) -> Vec<usize> {
        let Extent { width, height, .. } = self.extent;
        let rows = z.flat_map(|z| y.clone().map(move |y| (z * height + y) * width));
        rows.flat_map(|row| x.clone().map(move |x| row + x)).collect()
    }

    fn get(&self, part: Part) -> Vec<u32> {
        self.places(part).into_iter().map(|place| self.values[place]).collect()
    }

    fn set(&mut self, part: Part, values: &[u32]) {
        let places = self.places(part);
        assert_eq!(places.len(), values.len());
        places.into_iter().zip(values).for_each(|(place, value)| self.values[place] = *value);
    }

    fn fill(&mut self, part: Part, value: u32) {
        self.places(part).into_iter().for_each(|place| self.values[place] = value);
    }
}

/// A part of everything, of some planes, of a plane, of a row, and of some rows of several planes.
const PARTS: [Part; 6] = [
    [0..7, 0..5, 0..3],
    [0..7, 0..5, 1..3],
    [2..6, 1..4, 1..2],
    [1..5, 3..4, 2..3],
    [1..2, 1..5, 0..3],
    [3..7, 0..2, 0..3],
];
const EXTENT: Extent = Extent { width: 7, height: 5, depth: 3 };

fn extent([x, y, z]: &Part) -> Extent {
    (x.len(), y.len(), z.len()).into()
}

/// A buffer with the values, and these.
fn uploaded<'ctx>(gpu: &PushedGuard<'ctx>, first: u32) -> (PitchedBuffer<'ctx, u32>, Host) {
    let host = Host::counted(EXTENT, first);
    let mut buffer = gpu.alloc_pitched(EXTENT).unwrap();
    gpu.on(&gpu.stream().unwrap()).upload(&host.values, &mut buffer).unwrap();
    (buffer, host)
}

#[track_caller]
fn same<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &PitchedBuffer<'ctx, u32>, host: &Host) {
    assert_eq!(gpu.on(&gpu.stream().unwrap()).to_vec(buffer).unwrap(), host.values);
}

#[test]
fn buffers_tell_their_shape() {
    with_gpu(|gpu| {
        let buffer = gpu.alloc_pitched::<u16>((5, 3, 2)).unwrap();
        assert_eq!((buffer.extent(), buffer.len()), ((5, 3, 2).into(), 30));
        assert!(buffer.pitch() >= 10 && buffer.pitch().is_multiple_of(32), "{}", buffer.pitch());
        assert_eq!(buffer.plane_pitch(), 3 * buffer.pitch());
        assert!(gpu.alloc_pitched::<u32>((1000, 2)).unwrap().pitch() >= 4000);
        assert_eq!(gpu.alloc_pitched::<u16>((5, 3)).unwrap().extent().depth, 1);
        // Of elements of any size, each row begins where one may be.
        assert!(gpu.alloc_pitched::<[f64; 2]>((3, 2)).unwrap().pitch() >= 48);
        assert!(gpu.alloc_pitched::<[u8; 3]>((5, 2)).unwrap().pitch() >= 15);
        let part = buffer.part(1..3, 2.., 1..).unwrap();
        assert_eq!(
            (part.extent(), part.len(), part.pitch()),
            ((2, 1, 1).into(), 2, buffer.pitch())
        );
        let offset = buffer.plane_pitch() + 2 * buffer.pitch() + 2;
        assert_eq!(part.address() - buffer.address(), offset as u64);
        assert_eq!(
            format!("{part:?}").split_once(" at ").unwrap().0,
            "PitchedSlice<u16>(2 x 1 x 1"
        );
        let twice = part.part(1.., .., ..).unwrap();
        assert_eq!(twice.address() - part.address(), 2);

        for (columns, rows, planes) in [(0..6, 0..3, 0..2), (6..6, 0..3, 0..2), (0..5, 3..4, 0..1)]
        {
            let part = buffer.part(columns, rows, planes).map(|part| part.extent());
            assert!(matches!(part, Err(Error::InvalidRange { call: "PitchedBuffer::part", .. })));
        }
        for extent in [(usize::MAX, 2, 1), (usize::MAX / 4, 1, 2)] {
            match gpu.alloc_pitched::<u32>(extent) {
                Err(Error::InvalidArgument { call: "cuMemAllocPitch_v2", .. }) => {}
                other => panic!("{extent:?}: {other:?}"),
            }
        }
    });
}

#[test]
fn streams_copy_and_fill_parts() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut x_host) = uploaded(gpu, 0);
        let (y, y_host) = uploaded(gpu, 1000);
        same(gpu, &x, &x_host);
        for (number, part) in PARTS.into_iter().enumerate() {
            let [columns, rows, planes] = part.clone();
            let extent = extent(&part);
            let values = Host::counted(extent, 2000 + 200 * number as u32).values;
            let mut into = x.part_mut(columns.clone(), rows.clone(), planes.clone()).unwrap();
            let mut read = vec![0; values.len()];
            match number % 3 {
                0 => {
                    gpu.on(&stream).upload(&values, &mut into).unwrap();
                    gpu.on(&stream).download(&into, &mut read).unwrap();
                }
                1 => {
                    gpu.on_legacy_default().upload(&values, &mut into).unwrap();
                    gpu.on_legacy_default().download(&into, &mut read).unwrap();
                }
                _ => {
                    gpu.on_per_thread_default().upload(&values, &mut into).unwrap();
                    gpu.on_per_thread_default().download(&into, &mut read).unwrap();
                }
            }
            assert_eq!(read, values);
            x_host.set(part.clone(), &values);
            same(gpu, &x, &x_host);

            // From the same part of another buffer, and from packed memory.
            let from = y.part(columns.clone(), rows.clone(), planes.clone()).unwrap();
            let mut into = x.part_mut(columns.clone(), rows.clone(), planes.clone()).unwrap();
            gpu.on(&stream).copy(&from, &mut into).unwrap();
            let mut packed = gpu.alloc(values.len()).unwrap();
            gpu.on(&stream).copy(&into, &mut packed).unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&packed).unwrap(), y_host.get(part.clone()));
            x_host.set(part.clone(), &y_host.get(part.clone()));
            same(gpu, &x, &x_host);
            gpu.on(&stream).fill(&mut packed, 7).unwrap();
            let mut into = x.part_mut(columns.clone(), rows.clone(), planes.clone()).unwrap();
            gpu.on_legacy_default().copy(&packed, &mut into).unwrap();
            x_host.fill(part.clone(), 7);
            same(gpu, &x, &x_host);

            let mut into = x.part_mut(columns, rows, planes).unwrap();
            gpu.on(&stream).fill(&mut into, number as u32).unwrap();
            x_host.fill(part.clone(), number as u32);
            same(gpu, &x, &x_host);
        }
        let mut into = x.part_mut(1..3, 2..4, ..).unwrap();
        gpu.on(&stream).zero(&mut into).unwrap();
        x_host.fill([1..3, 2..4, 0..3], 0);
        same(gpu, &x, &x_host);
    });
}

#[test]
fn values_of_each_size_fill_rows() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut bytes = gpu.alloc_pitched::<u8>((5, 2)).unwrap();
        gpu.on(&stream).fill(&mut bytes, 3).unwrap();
        gpu.on(&stream).fill(&mut bytes.part_mut(1..4, 1.., ..).unwrap(), 4).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&bytes).unwrap(), [3, 3, 3, 3, 3, 3, 4, 4, 4, 3]);
        let mut shorts = gpu.alloc_pitched::<i16>((2, 2)).unwrap();
        gpu.on(&stream).fill(&mut shorts, -2).unwrap();
        gpu.on_legacy_default().fill(&mut shorts.part_mut(1.., ..1, ..).unwrap(), 9).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&shorts).unwrap(), [-2, 9, -2, -2]);
        let mut wide = gpu.alloc_pitched::<[f64; 2]>((2, 2)).unwrap();
        gpu.on(&stream).upload(&[[1.0; 2]; 4], &mut wide).unwrap();
        gpu.on(&stream).zero(&mut wide.part_mut(..1, .., ..).unwrap()).unwrap();
        let zeroed = gpu.on(&stream).to_vec(&wide).unwrap();
        assert_eq!(zeroed, [[0.0; 2], [1.0; 2], [0.0; 2], [1.0; 2]]);
    });
}

#[test]
fn split_parts_share_no_element() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut host) = uploaded(gpu, 0);
        let whole = x.part_mut(.., .., ..).unwrap();
        let (left, right) = whole.split_columns_at(3).unwrap();
        let (mut upper, lower) = left.split_rows_at(2).unwrap();
        let (mut first, mut others) = right.split_planes_at(1).unwrap();
        // Within one buffer, as its parts are disjoint.
        let from = lower.part(.., 1..3, ..).unwrap();
        gpu.on(&stream).copy(&from, &mut upper).unwrap();
        gpu.on(&stream).fill(&mut first, 1).unwrap();
        gpu.on(&stream).zero(&mut others.part_mut(1.., .., 1..).unwrap()).unwrap();
        assert!(matches!(first.split_columns_at(5), Err(Error::InvalidRange { .. })));
        let values = host.get([0..3, 3..5, 0..3]);
        host.set([0..3, 0..2, 0..3], &values);
        host.fill([3..7, 0..5, 0..1], 1);
        host.fill([4..7, 0..5, 2..3], 0);
        same(gpu, &x, &host);
    });
}

#[test]
fn streams_of_a_scope_order_rows_by_their_uses() {
    with_gpu(|gpu| {
        let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let (mut x, mut x_host) = uploaded(gpu, 0);
        let (mut y, _) = uploaded(gpu, 1000);
        let new = Host::counted(EXTENT, 5000);
        let (mut read, mut staged, mut rows) = (vec![0; 105], vec![9; 105], [0; 8]);
        gpu.scope(|s| {
            let (a, b) = (s.on(&first), s.on(&second));
            let mut staged = s.stage(&mut staged);
            let (mut y, x) = (s.hold(&mut y), s.hold(&mut x));
            a.upload(&new.values, &mut y)?;
            let (mut left, mut right) = x.split_columns_at(4)?;
            b.copy(y.part(..4, .., ..)?, &mut left)?;
            a.copy(y.part(4.., .., ..)?, &mut right)?;
            a.fill(&mut left, 1)?;
            b.zero(&mut right)?;
            b.upload_staged(&staged, &mut y)?;
            a.download_staged(&y, &mut staged)?;
            a.download(left.part(..2, ..2, ..2)?, &mut rows)?;
            b.download(&y, &mut read)?;
            assert_eq!(staged.access()?, [9; 105]);
            // A kernel gets the address of the first element of each.
            let (n, config) = (3_u32, LaunchConfig::new(1, 4));
            let (mut upper, lower) = y.split_rows_at(1)?;
            // SAFETY: the kernel stays inside 3 elements of each row.
            unsafe {
                b.launch_unchecked(
                    &saxpy,
                    config,
                    (n, 0.0_f32, lower.part(1..4, 1..2, ..1)?, &mut upper),
                )
            }
        })
        .unwrap();
        x_host.fill([0..4, 0..5, 0..3], 1);
        x_host.fill([4..7, 0..5, 0..3], 0);
        same(gpu, &x, &x_host);
        assert_eq!((read, rows), (vec![9; 105], [1; 8]));
        // A scope holds a part as well.
        let mut part = x.part_mut(1..3, 2.., ..1).unwrap();
        gpu.scope(|s| s.on(&first).fill(&mut s.hold(&mut part), 6)).unwrap();
        x_host.fill([1..3, 2..5, 0..1], 6);
        same(gpu, &x, &x_host);
    });
}

#[test]
fn kernels_receive_the_first_element() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let module = gpu.load_ptx(SAXPY).unwrap();
        let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
        let (mut x, mut y) =
            (gpu.alloc_pitched::<f32>((3, 2)).unwrap(), gpu.alloc_pitched::<f32>((3, 2)).unwrap());
        gpu.on(&stream).upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut x).unwrap();
        gpu.on(&stream).fill(&mut y, 0.5).unwrap();
        let (row, config) = (x.part(1.., 1.., ..).unwrap(), LaunchConfig::new(1, 2));
        let mut into = y.part_mut(..2, .., ..).unwrap();
        // SAFETY: the kernel stays inside the 2 elements of a row.
        unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (2, 2.0, row, &mut into)) }
            .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [10.5, 12.5, 0.5, 0.5, 0.5, 0.5]);
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (2, 1.0, &x, &mut y)) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap()[..3], [11.5, 14.5, 0.5]);
    });
}

#[test]
fn graphs_copy_and_fill_rows() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let other = gpu.stream().unwrap();
        for (number, part) in PARTS.into_iter().enumerate() {
            let [columns, rows, planes] = part.clone();
            let (mut x, mut host) = uploaded(gpu, 0);
            let (y, y_host) = uploaded(gpu, 1000);
            let fill = [0..2, 0..1, 0..3];
            let graph = if number % 2 == 0 {
                gpu.capture(&mut stream, |c| {
                    let (stream, mut x) = (c.stream(), c.hold(&mut x));
                    stream.zero(&mut x)?;
                    let (mut part, from) = (c.scratch(y_host.get(part.clone()).len())?, &y);
                    stream.copy(
                        from.part(columns.clone(), rows.clone(), planes.clone())?,
                        &mut part,
                    )?;
                    stream.copy(&part, &mut part_of(x, &columns, &rows, &planes)?)
                })
            } else {
                gpu.build_graph(|g| {
                    let mut x = g.hold(&mut x);
                    let mut part = g.scratch(y_host.get(part.clone()).len())?;
                    let from = y.part(columns.clone(), rows.clone(), planes.clone())?;
                    g.zero(&[], &mut x)?;
                    g.copy(&[], from, &mut part)?;
                    let mut into = part_of(x, &columns, &rows, &planes)?;
                    g.copy(&[], &part, &mut into)
                })
                .map(|(graph, _)| graph)
            };
            let graph = graph.unwrap();
            gpu.on(&other).fill(&mut x.part_mut(..2, ..1, ..).unwrap(), 8).unwrap();
            host.fill(fill, 8);
            same(gpu, &x, &host);
            for _ in 0..2 {
                gpu.on(&other).replay(&graph, (&y, &mut x)).unwrap();
                host.values.fill(0);
                host.set(part.clone(), &y_host.get(part.clone()));
                same(gpu, &x, &host);
                gpu.on(&other).zero(&mut x).unwrap();
            }
            // A part does not stand for the buffer.
            let wrong = gpu.on(&other).replay(&graph, &mut x);
            assert!(matches!(wrong, Err(Error::GraphBuffers { .. })), "{wrong:?}");
        }
    });
}

/// A part of memory that is held.
fn part_of<'s>(
    held: ScopedPitchedBuffer<'s, u32>,
    columns: &Range<usize>,
    rows: &Range<usize>,
    planes: &Range<usize>,
) -> Result<ScopedPitchedBuffer<'s, u32>> {
    let extent = held.extent();
    let cut = |held: ScopedPitchedBuffer<'s, u32>, range: &Range<usize>, len, axis| {
        let split = |held: ScopedPitchedBuffer<'s, u32>, middle| match axis {
            0 => held.split_columns_at(middle),
            1 => held.split_rows_at(middle),
            _ => held.split_planes_at(middle),
        };
        let held = if range.end < len { split(held, range.end)?.0 } else { held };
        if range.start > 0 { Ok(split(held, range.start)?.1) } else { Ok::<_, Error>(held) }
    };
    let held = cut(held, columns, extent.width, 0)?;
    let held = cut(held, rows, extent.height, 1)?;
    cut(held, planes, extent.depth, 2)
}

#[test]
fn a_node_fills_rows_that_are_one_pitch_apart() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut host) = uploaded(gpu, 0);
        let refused = gpu.build_graph(|g| {
            let (mut upper, _) = g.hold(&mut x).split_rows_at(2)?;
            g.fill(&[], &mut upper, 1)
        });
        match refused {
            Err(Error::InvalidArgument { call: "cuGraphAddMemsetNode", reason }) => {
                assert!(reason.contains("for each plane"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
        let (mut graph, node) = gpu
            .build_graph(|g| {
                let (_, right) = g.hold(&mut x).split_columns_at(3)?;
                g.fill(&[], &mut right.split_planes_at(1)?.1, 2)
            })
            .unwrap();
        graph.set_fill(node, 3_u32).unwrap();
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        host.fill([3..7, 0..5, 1..3], 3);
        same(gpu, &x, &host);
    });
}

#[test]
fn a_kernel_node_keeps_to_the_rows_that_it_was_built_for() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (one, mut x) = (LaunchConfig::new(1, 1), gpu.alloc_pitched::<u32>((4, 2)).unwrap());
        gpu.on(&stream).zero(&mut x).unwrap();
        let (mut graph, node) = gpu
            .build_graph(|g| {
                let (mut left, mut right) = g.hold(&mut x).split_columns_at(2)?;
                // SAFETY: the kernel writes one element.
                let node = unsafe { g.kernel_unchecked(&[], &store, one, (&mut left, 1_u32)) }?;
                g.fill(&[], &mut right, 2)?;
                Ok(node)
            })
            .unwrap();
        // The two nodes are not ordered, so the kernel may not have the other half, nor elements of both.
        for columns in [2..4, 1..3] {
            let mut other = x.part_mut(columns, .., ..).unwrap();
            // SAFETY: as above.
            let set = unsafe {
                gpu.set_kernel_unchecked(&mut graph, node, &store, one, (&mut other, 3_u32))
            };
            assert!(matches!(set, Err(Error::InvalidArgument { .. })), "{set:?}");
        }
        for (rows, value) in [(0..2, 3_u32), (1..2, 4)] {
            let mut left = x.part_mut(..2, rows, ..).unwrap();
            // SAFETY: as above.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &store, one, (&mut left, value)) }
                .unwrap();
            gpu.on(&stream).replay(&graph, &mut x).unwrap();
        }
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [3, 0, 2, 2, 4, 0, 2, 2]);
    });
}

#[test]
fn extents_and_contexts_must_agree() {
    let (one, two) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&one).unwrap();
    let theirs = outer.alloc_pitched::<u32>((2, 2)).unwrap().detach();
    let gpu = outer.push(&two).unwrap();
    let stream = gpu.stream().unwrap();
    let mut x = gpu.alloc_pitched::<u32>((4, 2)).unwrap();
    let y = gpu.alloc_pitched::<u32>((2, 4, 2)).unwrap();
    let mut short = gpu.alloc::<u32>(7).unwrap();
    let on = gpu.on(&stream);
    let other = on.copy(&y.part(.., .., ..1).unwrap(), &mut x).unwrap_err();
    assert_eq!(
        other,
        Error::ExtentMismatch {
            call: "cuMemcpy2DAsync_v2",
            extents: Box::new([[2, 4, 1], [4, 2, 1]])
        }
    );
    assert!(other.to_string().contains("2 x 4 x 1"), "{other}");
    let lengths = |result: Result, call: &str| match result {
        Err(Error::LengthMismatch { call: of, .. }) => assert_eq!(of, call),
        other => panic!("{other:?}"),
    };
    lengths(on.copy(&x, &mut short), "cuMemcpy2DAsync_v2");
    lengths(on.copy(&y, &mut short), "cuMemcpy3DAsync_v2");
    lengths(on.upload(&[0; 9], &mut x), "cuMemcpy2DAsync_v2");
    lengths(on.download(&y, &mut [0; 15]), "cuMemcpy3DAsync_v2");
    lengths(gpu.on_legacy_default().download(&x, &mut [0; 7]), "cuMemcpy2DAsync_v2");
    lengths(
        gpu.scope(|s| s.on(&stream).upload(&[0; 9], &mut s.hold(&mut x))),
        "cuMemcpy2DAsync_v2",
    );
    let built = gpu.build_graph(|g| g.copy(&[], &y, &mut g.hold(&mut x)));
    match built {
        Err(Error::ExtentMismatch { call: "cuGraphAddMemcpyNode", .. }) => {}
        other => panic!("{other:?}"),
    }
    // Memory of another context cannot be attached here.
    assert!(gpu.attach(theirs).is_err());
}

#[test]
fn handles_outlive_their_guard() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&context).unwrap();
    let (x, host) = uploaded(&gpu, 0);
    let kept = x.detach();
    gpu.pop().unwrap();
    gpu = stack.push(&context).unwrap();
    let x = gpu.attach(kept).unwrap();
    same(&gpu, &x, &host);
}

#[test]
fn operations_make_the_calls_of_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (mut x, calls) = record(|| gpu.alloc_pitched::<u32>((4, 3, 2)).unwrap());
        assert_eq!(calls, ["cuCtxGetCurrent", "cuMemAllocPitch_v2"]);
        let y = gpu.alloc_pitched::<u32>((4, 3, 2)).unwrap();
        let calls = |run: &mut dyn FnMut() -> Result| {
            let (result, calls) = record(run);
            result.unwrap();
            assert_eq!(calls.last().unwrap(), &"cuStreamSynchronize");
            calls[..calls.len() - 1].to_vec()
        };
        assert_eq!(calls(&mut || on.copy(&y, &mut x)), ["cuMemcpy3DAsync_v2"]);
        let mut rows = x.part_mut(1..3, 1.., 1..).unwrap();
        let from = y.part(1..3, 1.., 1..).unwrap();
        assert_eq!(calls(&mut || on.copy(&from, &mut rows)), ["cuMemcpy2DAsync_v2"]);
        assert_eq!(calls(&mut || on.upload(&[1; 4], &mut rows)), ["cuMemcpy2DAsync_v2"]);
        assert_eq!(calls(&mut || on.fill(&mut rows, 1)), ["cuMemsetD2D32Async"]);
        assert_eq!(calls(&mut || on.zero(&mut x)), ["cuMemsetD2D8Async"]);
        // Rows with others between the planes: one call for each plane.
        let mut upper = x.part_mut(.., ..2, ..).unwrap();
        assert_eq!(calls(&mut || on.fill(&mut upper, 1)), ["cuMemsetD2D32Async"; 2]);
    });
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "parts go by reference too")]
fn a_held_box_is_a_temporary_that_is_read_or_written() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) =
            (gpu.alloc_pitched((3, 2)).unwrap(), gpu.alloc_pitched((3, 2)).unwrap());
        let mut host = [0; 4];
        gpu.on(&a).upload(&[1_u32, 2, 3, 4, 5, 6], &mut x).unwrap();
        gpu.scope(|s| {
            let (a, b, mut y) = (s.on(&a), s.on(&b), s.hold(&mut y));
            a.zero(&mut y)?;
            b.copy(&x.part(1.., .., ..)?, &mut y.part_mut(..2, .., ..)?)?; // after the zeros
            a.fill(&mut y.part_mut(1..2, 1.., ..)?, 9)?; // after the copy
            b.download(&y.part(1.., .., ..)?, &mut host)
        })
        .unwrap();
        assert_eq!(host, [3, 0, 9, 0]);
        assert_eq!(gpu.on(&a).to_vec(&y).unwrap(), [2, 3, 0, 5, 9, 0]);
    });
}

#[test]
fn rows_of_a_buffer_do_not_stand_for_it_at_a_replay() {
    with_gpu(|gpu| {
        let mut captured = gpu.stream().unwrap();
        let mut x = gpu.alloc_pitched::<u32>((4, 4)).unwrap();
        let graph =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold(&mut x), 3)).unwrap();
        let stream = gpu.stream().unwrap();
        for middle in [2, 4] {
            gpu.scope(|s| {
                let (run, held) = (s.on(&stream), s.hold(&mut x));
                let (mut low, mut high) = held.split_rows_at(middle)?;
                let refused = run.replay(&graph, &mut high).unwrap_err();
                assert!(matches!(refused, Error::GraphBuffers { .. }), "{refused}");
                let replayed = run.replay(&graph, &mut low);
                // Four rows are all.
                assert_eq!(replayed.is_ok(), middle == 4, "{replayed:?}");
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [3; 16]);
    });
}
