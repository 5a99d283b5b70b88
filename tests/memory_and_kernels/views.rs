//! Parts of device buffers, read and written wherever a buffer is.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common;
use crate::common::gpu::{kernel, with_primary};
use crate::common::kernels::SAXPY;
use cuscope::{DeviceSliceMut, Error, LaunchConfig};

#[test]
fn operations_take_parts_on_both_sides() {
    with_primary(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (mut x, mut y) = (on.zeroed::<u32>(8).unwrap(), on.zeroed::<u32>(8).unwrap());
        on.upload(&[1, 2, 3], &mut x.slice_mut(1..4).unwrap()).unwrap();
        assert_eq!(on.to_vec(&x).unwrap(), [0, 1, 2, 3, 0, 0, 0, 0]);
        assert_eq!(on.to_vec(&x.slice(2..=3).unwrap()).unwrap(), [2, 3]);
        on.copy(&x.slice(..4).unwrap(), &mut y.slice_mut(4..).unwrap()).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [0, 0, 0, 0, 0, 1, 2, 3]);

        // Within one buffer, as its parts are disjoint.
        let (mut first, second) = y.split_at_mut(4).unwrap();
        on.copy(&second, &mut first).unwrap();
        on.fill(&mut first.slice_mut(3..).unwrap(), 9).unwrap();
        let mut host = [0; 3];
        on.download(&first.slice(1..).unwrap(), &mut host).unwrap();
        assert_eq!(host, [1, 2, 9]);
        assert_eq!(on.to_vec(&second.as_slice()).unwrap(), [0, 1, 2, 3]);
        on.zero(&mut first).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [0, 0, 0, 0, 0, 1, 2, 3]);
    });
}

#[test]
fn chunks_are_the_buffer_piece_by_piece() {
    with_primary(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let mut x = on.zeroed::<u16>(7).unwrap();
        for (number, mut chunk) in x.chunks_mut(3).unwrap().enumerate() {
            on.fill(&mut chunk, number as u16 + 1).unwrap();
        }
        assert_eq!(on.to_vec(&x).unwrap(), [1, 1, 1, 2, 2, 2, 3]);
        let chunks = x.chunks(3).unwrap();
        assert_eq!(chunks.len(), 3);
        let lengths: Vec<_> = chunks.map(|chunk| chunk.len()).collect();
        assert_eq!(lengths, [3, 3, 1]);

        // Of parts, too.
        let mut rest = x.slice_mut(1..6).unwrap();
        let ends = rest.chunks(2).unwrap().map(|c| on.to_vec(&c).unwrap()).collect::<Vec<_>>();
        assert_eq!(ends, [&[1, 1][..], &[2, 2], &[2]]);
        rest.chunks_mut(4).unwrap().for_each(|mut chunk| on.zero(&mut chunk).unwrap());
        let middle = rest.slice(..).unwrap().slice(1..3).unwrap();
        assert_eq!(middle.chunks(1).unwrap().len(), 2);
        assert_eq!((middle.len(), middle.size_bytes()), (2, 4));
        let (a, b) = rest.split_at_mut(2).unwrap();
        assert_eq!((a.len(), b.len(), b.address() - a.address()), (2, 3, 4));
        assert_eq!(on.to_vec(&x).unwrap(), [1, 0, 0, 0, 0, 0, 3]);
    });
}

#[test]
fn kernels_take_parts() {
    with_primary(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let mut x = on.from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let config = LaunchConfig::new(1, 32);
        let (from, mut rest) = x.split_at_mut(2).unwrap();
        let mut to = rest.slice_mut(2..).unwrap();
        // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
        unsafe { on.launch_unchecked(&saxpy, config, (2_u32, 10.0_f32, &from, &mut to)) }.unwrap();
        let from = from.as_slice();
        // SAFETY: as above.
        unsafe { on.launch_unchecked(&saxpy, config, (2_u32, 100.0_f32, from, &mut to)) }.unwrap();
        assert_eq!(on.to_vec(&x).unwrap(), [1.0, 2.0, 3.0, 4.0, 115.0, 226.0]);
    });
}

#[test]
fn a_scope_holds_parts_each_by_itself() {
    with_primary(|gpu| {
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = gpu.on(&a).from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut sums = [0.0; 2];
        let (mut first, mut second) = x.split_at_mut(2).unwrap();
        gpu.scope(|s| {
            let (a, b) = (s.on(&a), s.on(&b));
            let (mut first, mut second) = (s.hold(&mut first), s.hold(&mut second));
            a.fill(&mut first, 10.0)?;
            b.fill(&mut second, 20.0)?;
            let config = LaunchConfig::new(1, 32);
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe { a.launch_unchecked(&saxpy, config, (2_u32, 2.0_f32, &second, &mut first)) }?;
            b.download(&first, &mut sums)
        })
        .unwrap();
        assert_eq!(sums, [50.0; 2]);

        // Read as it is, or written by one launch.
        let (from, mut to) = x.split_at_mut(2).unwrap();
        gpu.scope(|s| {
            let config = LaunchConfig::new(1, 32);
            // SAFETY: as above.
            unsafe { s.on(&b).launch_unchecked(&saxpy, config, (2_u32, 1.0_f32, &from, &mut to)) }?;
            s.on(&a).download(from.slice(..)?, &mut sums)
        })
        .unwrap();
        assert_eq!(sums, [50.0; 2]);
        assert_eq!(gpu.on(&a).to_vec(&x).unwrap(), [50.0, 50.0, 70.0, 70.0]);
    });
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "parts go by reference too")]
fn a_part_to_read_is_passed_by_value_or_by_reference() {
    with_primary(|gpu| {
        let (stream, ordered) = (gpu.stream().unwrap(), gpu.ordered_stream().unwrap());
        let on = gpu.on(&stream);
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let config = LaunchConfig::new(1, 32);
        let x = on.from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = on.zeroed::<f32>(4).unwrap();
        let part = x.slice(1..3).unwrap();
        // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
        unsafe { on.launch_unchecked(&saxpy, config, (2_u32, 1.0_f32, &part, &mut y)) }.unwrap();
        // SAFETY: as above.
        unsafe { on.launch_unchecked(&saxpy, config, (2_u32, 1.0_f32, part, &mut y)) }.unwrap();
        gpu.scope(|s| {
            let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
            // SAFETY: as above.
            unsafe { stream.launch_unchecked(&saxpy, config, (2_u32, 1.0_f32, &part, &mut y)) }?;
            stream.copy(&part, &mut y.slice_mut(2..)?)
        })
        .unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [6.0, 9.0, 2.0, 3.0]);

        let x = ordered.from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = ordered.zeroed::<f32>(4).unwrap();
        let part = x.slice(1..3).unwrap();
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(&saxpy, config, (2_u32, 1.0_f32, &part, &mut y)) }
            .unwrap();
        for a in [10.0_f32, 100.0] {
            // SAFETY: as above.
            unsafe { ordered.launch_unchecked(&saxpy, config, (2_u32, a, part, &mut y)) }.unwrap();
        }
        assert_eq!(ordered.to_vec(&y).unwrap(), [222.0, 333.0, 0.0, 0.0]);
    });
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "parts go by reference too")]
fn a_held_part_is_a_temporary_and_is_ordered_as_the_whole() {
    with_primary(|gpu| {
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = gpu.on(&a).from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = gpu.on(&a).zeroed::<f32>(8).unwrap();
        let mut host = [0.0; 8];
        let work = || {
            gpu.scope(|s| {
                let (a, b) = (s.on(&a), s.on(&b));
                let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
                let config = LaunchConfig::new(1, 32);
                a.upload(&[5.0, 6.0], &mut x.slice_mut(2..)?)?;
                let args = (2_u32, 10.0_f32, &x.slice(2..4)?, &mut y.slice_mut(4..8)?);
                // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
                unsafe { b.launch_unchecked(&saxpy, config, args) }?; // after the upload
                let mut end = y.slice_mut(6..)?;
                assert_eq!((end.len(), end.size_bytes()), (2, 8));
                assert!(format!("{end:?}").starts_with("6..8 of ScopedBuffer<f32>(8 at 0x"));
                a.fill(&mut end, 7.0)?; // after the launch
                a.zero(&mut y.slice_mut(..1)?)?;
                // SAFETY: as above. It only reads `x`.
                unsafe {
                    a.launch_unchecked(&saxpy, config, (1_u32, 1.0_f32, &x.slice_mut(..1)?, &mut y))
                }?;
                b.download(&y, &mut host)
            })
        };
        let (done, calls) = cuscope_softdriver::control::record(work);
        done.unwrap();
        assert_eq!(host, [1.0, 0.0, 0.0, 0.0, 50.0, 60.0, 7.0, 7.0]);
        if common::software() {
            // Each of the three crossings waits once.
            let waits = calls.iter().filter(|&&call| call == "cuStreamWaitEvent").count();
            assert_eq!(waits, 3, "{calls:?}");
        }
    });
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "parts go by reference too")]
fn graphs_take_parts_and_replays_take_their_buffers() {
    with_primary(|gpu| {
        let (stream, mut captured) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let saxpy = kernel(gpu, SAXPY, "saxpy");
        let config = LaunchConfig::new(1, 32);
        let x = gpu.on(&stream).from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = gpu.on(&stream).zeroed::<f32>(4).unwrap();
        let capture = gpu.capture(&mut captured, |c| {
            let (c, mut y) = (c.stream(), c.hold(&mut y));
            c.copy(&x.slice(2..)?, &mut y.slice_mut(..2)?)?;
            // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe {
                c.launch_unchecked(
                    &saxpy,
                    config,
                    (2_u32, 1.0_f32, &x.slice(..2)?, &mut y.slice_mut(2..)?),
                )
            }?;
            c.fill(&mut y.slice_mut(1..2)?, 9.0)
        });
        let graph = capture.unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [3.0, 9.0, 1.0, 2.0]);
        let built = gpu.build_graph(|g| {
            let mut y = g.hold(&mut y);
            g.copy(&[], &x.slice(2..)?, &mut y.slice_mut(..2)?)?;
            let args = (2_u32, 1.0_f32, &y.slice(..2)?, &mut g.scratch::<f32>(2)?);
            // SAFETY: as above.
            unsafe { g.kernel_unchecked(&[], &saxpy, config, args) }?;
            let args = (2_u32, 1.0_f32, &x.slice(..2)?, &mut y.slice_mut(2..)?);
            // SAFETY: as above.
            unsafe { g.kernel_unchecked(&[], &saxpy, config, args) }?;
            g.zero(&[], &mut y.slice_mut(1..2)?).map(drop)
        });
        let (graph, ()) = built.unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [3.0, 0.0, 2.0, 4.0]);
    });
}

#[test]
fn parts_that_are_none_are_refused() {
    fn refused<T>(what: Result<T, Error>, call: &str, end: usize, len: usize) {
        match what.err() {
            Some(Error::InvalidRange { call: c, end: e, len: l, .. }) => {
                assert_eq!((c, e, l), (call, end, len));
            }
            other => panic!("{call}: {other:?}"),
        }
    }
    with_primary(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut x = gpu.alloc::<u32>(4).unwrap();
        refused(x.slice_mut(2..5), "DeviceBuffer::slice_mut", 5, 4);
        refused(x.slice_mut(5..5), "DeviceBuffer::slice_mut", 5, 4);
        refused(x.split_at_mut(5), "DeviceBuffer::split_at_mut", 5, 4);
        refused(x.split_at_mut(usize::MAX), "DeviceBuffer::split_at_mut", usize::MAX, 4);
        refused(x.chunks(0).map(drop), "DeviceBuffer::chunks", 0, 4);
        refused(x.chunks_mut(0).map(drop), "DeviceBuffer::chunks_mut", 0, 4);
        let read = x.slice(1..).unwrap();
        refused(read.slice(..4), "DeviceSlice::slice", 4, 3);
        refused(read.chunks(0).map(drop), "DeviceSlice::chunks", 0, 3);
        let mut part: DeviceSliceMut<'_, '_, u32> = x.slice_mut(1..).unwrap();
        refused(part.slice(..4), "DeviceSlice::slice", 4, 3);
        refused(part.slice_mut(4..), "DeviceSliceMut::slice_mut", 3, 3);
        refused(part.split_at_mut(4), "DeviceSliceMut::split_at_mut", 4, 3);
        refused(part.chunks_mut(0).map(drop), "DeviceSliceMut::chunks_mut", 0, 3);
        let on = gpu.on(&stream);
        let short = Err(Error::LengthMismatch { call: "cuMemcpyHtoDAsync_v2", from: 4, to: 3 });
        assert_eq!(on.upload(&[0; 4], &mut part), short);
        assert!(format!("{part:?}").starts_with("DeviceSliceMut<u32>(3 at 0x"), "{part:?}");
        assert!(format!("{:?}", part.as_slice()).starts_with("DeviceSlice<u32>(3 at 0x"));
    });
}

#[test]
fn memory_is_cast_to_elements_of_another_type() {
    with_primary(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let words = [0x0403_0201_u32, 0x0807_0605];
        let mut x = on.from_slice(&words).unwrap();
        assert_eq!(on.to_vec(&x.cast::<u8>().unwrap()).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(on.to_vec(&x.cast::<[u16; 2]>().unwrap()).unwrap().len(), 2);
        let mut bytes = x.cast_mut::<u8>().unwrap();
        on.fill(&mut bytes.slice_mut(4..6).unwrap(), 0xff).unwrap();
        // There and back, of a part.
        let half = bytes.slice(4..).unwrap().cast::<u32>().unwrap();
        assert_eq!(on.to_vec(&half).unwrap(), [0x0807_ffff]);
        let mut half = bytes.slice_mut(..4).unwrap();
        on.fill(&mut half.cast_mut::<u32>().unwrap(), 7).unwrap();
        assert_eq!(on.to_vec(&half.cast::<i32>().unwrap()).unwrap(), [7]);
        assert_eq!(on.to_vec(&x).unwrap(), [7, 0x0807_ffff]);

        let ordered = gpu.ordered_stream().unwrap();
        let mut x = ordered.zeroed::<f32>(4).unwrap();
        ordered.fill(&mut x.cast_mut::<u32>().unwrap(), 2.0_f32.to_bits()).unwrap();
        let mut part = x.slice_mut(1..3).unwrap();
        ordered.fill(&mut part.cast_mut::<[u8; 4]>().unwrap(), [0; 4]).unwrap();
        assert_eq!(ordered.to_vec(&part.cast::<u32>().unwrap()).unwrap(), [0, 0]);
        let pairs = x.cast::<[f32; 2]>().unwrap().slice(1..).unwrap();
        assert_eq!(ordered.to_vec(&pairs.cast::<f32>().unwrap()).unwrap(), [0.0, 2.0]);
    });
}

#[test]
fn memory_that_does_not_fit_another_type_is_not_cast() {
    with_primary(|gpu| {
        let mut x = gpu.alloc::<u8>(12).unwrap();
        let whole = x.cast::<u64>().unwrap_err().to_string();
        assert!(whole.contains("DeviceBuffer::cast") && whole.contains("whole element"), "{whole}");
        let aligned = x.slice(1..9).unwrap().cast::<u64>().unwrap_err().to_string();
        assert!(aligned.contains("DeviceSlice::cast") && aligned.contains("aligned"), "{aligned}");
        let none = x.cast_mut::<[u32; 0]>().unwrap_err().to_string();
        assert!(none.contains("no bytes"), "{none}");
        assert_eq!(x.slice(..8).unwrap().cast::<u64>().unwrap().len(), 1);
    });
}
