//! Copies in batches, on every surface that has them.

use crate::common::gpu::{try_with_gpu, with_gpu};
use crate::common::{UNWINDS, panics, software};
use crate::skip;
use cuscope::memory::CopyFlags;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{DeviceBuffer, Error, ffi};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::panic::resume_unwind;

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

        // In a scope, after what wrote the sources on another stream.
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
        drop((a, b)); // freed after the copies
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
        let (rows, mut other) =
            (gpu.alloc_pitched::<u32>((2, 2)).unwrap(), gpu.alloc_pitched::<u32>((4, 1)).unwrap());
        let call = "cuMemcpy3DBatchAsync";
        let extents = Box::new([[2, 2, 1], [4, 1, 1]]);
        let refused = on.copy_batch([(&rows, &mut other)]);
        assert_eq!(refused.unwrap_err(), Error::ExtentMismatch { call, extents });
        let refused = on.copy_batch([(&rows, &mut on.zeroed::<u32>(5).unwrap())]);
        assert_eq!(refused.unwrap_err(), Error::LengthMismatch { call, from: 4, to: 5 });
    });
}

#[test]
fn rows_and_planes_are_copied_by_one_call() {
    batches!();
    try_with_gpu(|gpu| {
        let (stream, second) = (gpu.stream()?, gpu.stream()?);
        let on = gpu.on(&stream);
        let values: Vec<u32> = (0..24).collect();
        let mut rows = gpu.alloc_pitched::<u32>((4, 3, 2))?;
        on.upload(&values, &mut rows)?;
        // The right half of each row to the left, and the other way round.
        let mut swapped = gpu.alloc_pitched::<u32>((4, 3, 2))?;
        let (left, right) = swapped.part_mut(.., .., ..)?.split_columns_at(2)?;
        let mut targets = [right, left];
        let sources = [rows.part(..2, .., ..)?, rows.part(2.., .., ..)?];
        on.copy_batch(sources.iter().zip(&mut targets))?;
        let expected: Vec<u32> =
            values.chunks(4).flat_map(|row| [row[2], row[3], row[0], row[1]]).collect();
        assert_eq!(on.to_vec(&swapped)?, expected);

        // From rows to memory without, and from a part of a plane.
        let (mut packed, mut part) = (on.zeroed::<u32>(24)?, on.zeroed::<u32>(4)?);
        let (all, some) = (rows.part(.., .., ..)?, rows.part(1..3, 1.., 1..)?);
        on.copy_batch([(&all, &mut packed), (&some, &mut part)])?;
        assert_eq!(on.to_vec(&packed)?, values);
        assert_eq!(on.to_vec(&part)?, [17, 18, 21, 22]);

        // In a scope, after what wrote the sources on another stream.
        gpu.scope(|s| {
            let (mut rows, mut to) = (s.hold(&mut rows), s.hold(&mut swapped));
            s.on(&stream).fill(&mut rows, 9)?;
            s.on(&second).copy_batch([(&rows, &mut to)])
        })?;
        assert_eq!(on.to_vec(&swapped)?, [9; 24]);

        let ordered = gpu.ordered_stream()?;
        let mut a = ordered.alloc_pitched::<u32>((4, 2))?;
        ordered.fill(&mut a, 5)?;
        let mut b = ordered.alloc_pitched::<u32>((4, 2))?;
        ordered.copy_batch([(&a, &mut b)])?;
        drop(a); // freed after the copies
        assert_eq!(ordered.to_vec(&b)?, [5; 8]);
        Ok(())
    });
}

#[test]
fn arrays_are_copied_by_one_call() {
    batches!();
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let values: Vec<[f32; 2]> = (0..24_u8).map(|i| [i.into(), f32::from(i) + 0.5]).collect();
        let mut array = gpu.alloc_array::<[f32; 2]>(
            ArrayShape::D3 { width: 4, height: 3, depth: 2 },
            ArrayFlags::empty(),
        )?;
        let (from, rows) = (on.from_slice(&values)?, gpu.alloc_pitched::<[f32; 2]>((4, 3))?);
        let mut rows = rows;
        on.upload(&values[12..], &mut rows)?;
        // From memory without rows.
        on.copy_batch([(&from, &mut array)])?;
        assert_eq!(on.to_vec(&array)?, values);
        // From rows, to a plane of the array.
        on.copy_batch([(&rows, &mut array.part_mut(.., .., ..1)?)])?;
        let planes = [&values[12..], &values[12..]].concat();
        assert_eq!(on.to_vec(&array)?, planes);
        // Within the array, and back to memory with and without rows.
        let mut part = on.zeroed::<[f32; 2]>(4)?;
        on.copy_batch([(&array.part(1..3, 1.., 1..)?, &mut part)])?;
        assert_eq!(on.to_vec(&part)?, [values[17], values[18], values[21], values[22]]);
        let mut back = gpu.alloc_pitched::<[f32; 2]>((4, 3, 2))?;
        gpu.scope(|s| {
            let (array, mut back) = (s.hold(&mut array), s.hold(&mut back));
            s.on(&stream).copy_batch([(&array, &mut back)])
        })?;
        assert_eq!(on.to_vec(&back)?, planes);
        let mut other = gpu.alloc_array::<[f32; 2]>(array.shape(), ArrayFlags::empty())?;
        on.copy_batch([(&array, &mut other)])?;
        assert_eq!(on.to_vec(&other)?, planes);
        Ok(())
    });
}

#[test]
fn a_copy_has_flags() {
    let lacks = ffi::cuMemcpyWithAttributesAsync().err();
    try_with_gpu(|gpu| {
        let (stream, flags) = (gpu.stream()?, CopyFlags::PREFER_OVERLAP_WITH_COMPUTE);
        let on = gpu.on(&stream);
        let (from, mut to) = (on.from_slice(&[1_u32, 2, 3, 4])?, on.zeroed::<u32>(4)?);
        if let Some(needs) = lacks {
            assert_eq!(on.copy_with(&from, &mut to, flags), Err(Error::from(needs)));
            return Ok(());
        }
        on.copy_with(&from, &mut to, flags)?;
        assert_eq!(on.to_vec(&to)?, [1, 2, 3, 4]);
        let mut rows = gpu.alloc_pitched::<u32>((2, 2))?;
        on.copy_with(&to, &mut rows, CopyFlags::empty())?;
        assert_eq!(on.to_vec(&rows)?, [1, 2, 3, 4]);
        gpu.scope(|s| {
            let mut rows = s.hold(&mut rows);
            s.on(&stream).fill(&mut rows, 7)?;
            s.on(&stream).copy_with(&rows, &mut s.hold(&mut to), flags)
        })?;
        assert_eq!(on.to_vec(&to)?, [7; 4]);
        let ordered = gpu.ordered_stream()?;
        let (a, mut b) = (ordered.from_slice(&[8_u32; 4])?, ordered.zeroed::<u32>(4)?);
        ordered.copy_with(&a, &mut b, flags)?;
        assert_eq!(ordered.to_vec(&b)?, [8; 4]);
        if software() {
            // The driver sees the flags, and refuses those that it does not know.
            let unknown = CopyFlags::from_bits_retain(1 << 20);
            assert!(on.copy_with(&to, &mut rows, unknown).is_err());
        }
        // Nothing is copied without a call.
        let (none, mut nothing) = (on.zeroed::<u32>(0)?, on.zeroed::<u32>(0)?);
        on.copy_with(&none, &mut nothing, flags)?;
        let refused = on.copy_with(&from, &mut nothing, flags);
        let call = "cuMemcpyWithAttributesAsync";
        assert_eq!(refused, Err(Error::LengthMismatch { call, from: 4, to: 0 }));
        Ok(())
    });
    if let Some(needs) = lacks {
        skip!("{needs}");
    }
}

/// A batch that fails may have begun, and is waited for all the same.
#[test]
fn a_batch_that_the_driver_refuses_is_waited_for() {
    batches!();
    if !software() {
        skip!("only the software driver fails on demand");
    }
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let from = gpu.on(&stream).from_slice(&numbers()).unwrap();
        let mut to = gpu.on(&stream).zeroed::<u32>(BLOCKS * LEN).unwrap();
        let which = Which::Named("cuMemcpyBatchAsync");
        let fault = Fault { which, code: ffi::CUDA_ERROR_INVALID_VALUE, performed: true };
        let copy = || gpu.on(&stream).copy_batch([(&from, &mut to)]);
        let ((refused, _), calls) = record(|| with_fault(fault, copy));
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert!(calls.contains(&"cuStreamSynchronize"), "{calls:?}");
    });
}

/// It is asked for all pairs before anything is checked or enqueued.
#[test]
fn the_iterator_of_a_batch_may_do_other_work_and_panic() {
    batches!();
    with_gpu(|gpu| {
        let (stream, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let on = gpu.on(&stream);
        let from = on.from_slice(&numbers()).unwrap();
        let mut to = on.zeroed::<u32>(BLOCKS * LEN).unwrap();
        let (mut other, mut one) = (on.zeroed::<u32>(4).unwrap(), on.zeroed::<u32>(1).unwrap());
        let sources: Vec<_> = from.chunks(LEN).unwrap().collect();

        let mut targets: Vec<_> = to.chunks_mut(LEN).unwrap().collect();
        let pairs = sources.iter().zip(&mut targets).enumerate().map(|(i, pair)| {
            on.fill(&mut other, i as u32).unwrap();
            if i + 1 == BLOCKS { resume_unwind(Box::new("meant")) } else { pair }
        });
        if UNWINDS {
            assert!(panics(|| on.copy_batch(pairs)));
            assert_eq!(on.to_vec(&other).unwrap(), [BLOCKS as u32 - 1; 4]);
            assert!(on.to_vec(&to).unwrap().iter().all(|&word| word == 0), "nothing was copied");
        }

        // The scope gets its second stream, and what that reads was written by the first, in between.
        gpu.scope(|s| {
            let (a, b) = (s.on(&stream), s.on(&second));
            let (to, mut other, mut one) = (s.hold(&mut to), s.hold(&mut other), s.hold(&mut one));
            a.fill(&mut other, 9)?;
            let mut targets = to.chunks(LEN)?;
            let pairs = sources.iter().zip(&mut targets).inspect(|_| {
                b.copy(other.slice(..1).unwrap(), &mut one).unwrap();
            });
            a.copy_batch(pairs)
        })
        .unwrap();
        assert_eq!((on.to_vec(&to).unwrap(), on.to_vec(&one).unwrap()), (numbers(), vec![9]));
    });
}
