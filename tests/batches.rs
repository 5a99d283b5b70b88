//! Copies in batches, on every surface that has them.

use crate::common::gpu::with_gpu;
use crate::skip;
use cuscope::{DeviceBuffer, Error, ffi};

const BLOCKS: usize = 16;
const LEN: usize = 64;

macro_rules! batches {
    () => {
        if let Err(needs) = ffi::cuMemcpyBatchAsync() {
            skip!("{needs}");
        }
    };
}

fn numbers() -> Vec<u32> {
    (0..(BLOCKS * LEN) as u32).collect()
}

/// The blocks in the reverse order.
fn reversed() -> Vec<u32> {
    numbers().chunks(LEN).rev().flatten().copied().collect()
}

#[test]
fn blocks_are_copied_by_one_call() {
    batches!();
    with_gpu(|gpu| {
        let (stream, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let from = gpu.on(&stream).from_slice(&numbers()).unwrap();
        let mut to = gpu.on(&stream).zeroed::<u32>(BLOCKS * LEN).unwrap();
        let sources: Vec<_> = from.chunks(LEN).unwrap().collect();
        let mut targets: Vec<_> = to.chunks_mut(LEN).unwrap().collect();
        targets.reverse();
        gpu.on(&stream).copy_batch(sources.iter().zip(&mut targets)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&to).unwrap(), reversed());

        // In a scope, behind what wrote the sources on another stream.
        let (mut from, mut back) = (to, from);
        gpu.scope(|s| {
            let (first, second) = (s.on(&stream), s.on(&second));
            let (mut from, to) = (s.hold(&mut from), s.hold(&mut back));
            first.fill(&mut from.slice_mut(..1)?, 9)?;
            let (sources, mut targets) = (from.chunks(LEN)?, to.chunks(LEN)?);
            second.copy_batch(sources.iter().zip(targets.iter_mut().rev()))
        })
        .unwrap();
        let found = gpu.on(&stream).to_vec(&back).unwrap();
        let last = (BLOCKS - 1) * LEN;
        assert_eq!((found[..last].to_vec(), found[last]), (numbers()[..last].to_vec(), 9));

        let ordered = gpu.ordered_stream().unwrap();
        let (a, b) = (ordered.from_slice(&[1_u32, 2]).unwrap(), ordered.from_slice(&[3]).unwrap());
        let (mut x, mut y) = (ordered.zeroed::<u32>(2).unwrap(), ordered.zeroed(1).unwrap());
        ordered.copy_batch([(&a, &mut x), (&b, &mut y)]).unwrap();
        drop((a, b)); // freed behind the copies
        assert_eq!(ordered.to_vec(&x).unwrap(), [1, 2]);
        assert_eq!(ordered.to_vec(&y).unwrap(), [3]);
    });
}

#[test]
fn batches_that_are_no_copies_are_refused() {
    batches!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (long, short) = (on.zeroed::<u32>(4).unwrap(), on.zeroed::<u32>(0).unwrap());
        let (mut x, mut y) = (on.zeroed::<u32>(4).unwrap(), on.zeroed::<u32>(0).unwrap());
        // Copies of nothing are left out; a batch of nothing makes no call.
        on.copy_batch([(&short, &mut y), (&long, &mut x)]).unwrap();
        on.copy_batch([(&short, &mut y)]).unwrap();
        on.copy_batch(std::iter::empty::<(&DeviceBuffer<'_, u32>, &mut DeviceBuffer<'_, u32>)>())
            .unwrap();
        let call = "cuMemcpyBatchAsync";
        let mut z = on.zeroed::<u32>(4).unwrap();
        let refused = on.copy_batch([(&long, &mut x), (&short, &mut z)]);
        assert_eq!(refused.unwrap_err(), Error::LengthMismatch { call, from: 0, to: 4 });
        let rows = gpu.alloc_pitched::<u32>((2, 2)).unwrap();
        let refused = on.copy_batch([(&rows, &mut x)]).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
        assert!(refused.to_string().contains("copies no rows"), "{refused}");
    });
}
