//! Managed memory: buffers that the host uses too, their places, and advice on them.
#![allow(unsafe_code, reason = "launches kernels, attaches memory, and plays foreign code")]

use crate::common::fewer;
use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SAXPY, STORE};
use crate::{fresh, skip};
use cuscope::memory::{Advice, Attachment, BufferKind, Location, PointerKind};
use cuscope::{ContextStack, Device, Element, Error, LaunchConfig, PushedGuard, ffi};

const LEN: usize = fewer(4096, 64);

/// Leaves the test on a driver that is too old for places.
macro_rules! places {
    () => {
        if let Err(needs) = ffi::cuMemPrefetchAsync_v2() {
            skip!("{needs}");
        }
    };
}

fn refused<T>(result: cuscope::Result<T>, words: &str) {
    let Err(error) = result else { panic!("not refused") };
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn the_host_and_the_device_use_one_memory() {
    with_gpu(|gpu| {
        let (stream, saxpy) = (gpu.stream().unwrap(), kernel(gpu, SAXPY, "saxpy"));
        let (mut x, mut y) = (gpu.managed::<f32>(LEN).unwrap(), gpu.managed(LEN).unwrap());
        assert_eq!((x.kind(), x.len()), (BufferKind::Plain, LEN));
        assert_eq!(gpu.pointer_info(x.address()).unwrap().unwrap().kind, PointerKind::Managed);
        for (i, x) in gpu.host_slice_mut(&mut x).unwrap().iter_mut().enumerate() {
            *x = i as f32;
        }
        gpu.host_slice_mut(&mut y).unwrap().fill(1.0);
        let config = LaunchConfig::for_num_elems(LEN).unwrap();
        for round in 1..4 {
            // SAFETY: saxpy(u32, f32, const float *, float *), of LEN elements.
            unsafe {
                gpu.on(&stream).launch_unchecked(&saxpy, config, (LEN as u32, 2.0_f32, &x, &mut y))
            }
            .unwrap();
            let found = gpu.host_slice(&y).unwrap();
            assert!((0..LEN).all(|i| found[i] == 1.0 + 2.0 * (round * i) as f32));
        }
        // As any other buffer: copies, fills and parts.
        let mut z = gpu.on(&stream).zeroed::<f32>(LEN).unwrap();
        gpu.on(&stream).copy(&y, &mut z).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&z).unwrap(), gpu.host_slice(&y).unwrap());
        gpu.on(&stream).fill(&mut y.slice_mut(..2).unwrap(), 7.0).unwrap();
        gpu.on(&stream).upload(&[8.0], &mut y.slice_mut(2..3).unwrap()).unwrap();
        assert_eq!(gpu.host_slice(&y).unwrap()[..4], [7.0, 7.0, 8.0, 19.0]);
        // The host's view is host memory of other copies.
        gpu.on(&stream).upload(gpu.host_slice(&x).unwrap(), &mut z).unwrap();
        gpu.on(&stream).download(&z, gpu.host_slice_mut(&mut y).unwrap()).unwrap();
        assert_eq!(gpu.host_slice(&y).unwrap(), gpu.host_slice(&x).unwrap());
    });
}

/// The driver writes through the slice that it is given, not beside it, which Miri sees.
#[test]
fn a_copy_goes_to_the_slice_that_managed_memory_lends() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y) = (gpu.managed::<u32>(4).unwrap(), gpu.managed(4).unwrap());
        gpu.host_slice_mut(&mut x).unwrap().fill(3);
        let lent = gpu.host_slice_mut(&mut y).unwrap();
        gpu.on(&stream).download(&x, lent).unwrap();
        assert_eq!(lent, [3; 4]);
        lent[0] = 4;
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [4, 3, 3, 3]);
    });
}

#[test]
fn every_surface_takes_managed_memory() {
    with_gpu(|gpu| {
        let (mut stream, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let store = kernel(gpu, STORE, "store");
        let mut x = gpu.managed::<u32>(16).unwrap();
        let one = LaunchConfig::new(1, 1);
        gpu.scope(|s| {
            let (first, second) = (s.on(&stream), s.on(&second));
            let mut held = s.hold(&mut x);
            first.zero(&mut held)?;
            // SAFETY: store(unsigned *, unsigned).
            unsafe { second.launch_unchecked(&store, one, (&mut held, 5_u32)) }?;
            first.fill(&mut held.slice_mut(1..2)?, 6)
        })
        .unwrap();
        assert_eq!(gpu.host_slice(&x).unwrap()[..3], [5, 6, 0]);

        let graph = gpu
            .capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x).slice_mut(2..3)?, 9))
            .unwrap();
        gpu.host_slice_mut(&mut x).unwrap()[0] = 4;
        gpu.on(&stream).replay(&graph, (&mut x,)).unwrap();
        assert_eq!(gpu.host_slice(&x).unwrap()[..3], [4, 6, 9]);

        let ordered = gpu.ordered_stream().unwrap();
        let mut of_stream = ordered.adopt(x).unwrap();
        ordered.fill(&mut of_stream, 3).unwrap();
        let x = of_stream.into_idle(gpu).unwrap();
        assert_eq!(gpu.host_slice(&x).unwrap(), [3; 16]);
        // The graph keeps the memory, whoever drops its buffer.
        drop(x);
        drop(graph);
    });
}

#[test]
fn only_memory_of_the_host_too_is_lent_to_it() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut plain = gpu.alloc::<u32>(4).unwrap();
        refused(gpu.host_slice(&plain), "PushedGuard::managed");
        refused(gpu.host_slice_mut(&mut plain), "PushedGuard::managed");
        refused(gpu.host_slice(&gpu.on(&stream).alloc::<u32>(4).unwrap()), "PushedGuard::managed");
        let empty = gpu.managed::<u32>(0).unwrap();
        assert_eq!(gpu.host_slice(&empty).unwrap(), [0; 0]);
        refused(gpu.managed::<u64>(usize::MAX), "address space");

        // Page-locked memory of other code, and a range that is larger than its memory.
        let pinned = gpu.pinned_from(&[1_u32, 2, 3]).unwrap();
        let address = pinned.device_address(gpu).unwrap();
        // SAFETY: 1. to 3. The memory is there, and nothing else uses it.
        let theirs = unsafe { gpu.buffer_from_raw::<u32>(address, 3, ()) }.unwrap();
        assert_eq!(gpu.host_slice(&theirs).unwrap(), [1, 2, 3]);
    });
}

/// An element that must begin at multiples of 64 KiB.
#[derive(Clone, Copy, bytemuck::Zeroable)]
#[repr(C, align(65536))]
struct Aligned([u8; 65536]);
// SAFETY: bytes only, without padding.
unsafe impl bytemuck::Pod for Aligned {}

fn aligned<T: Element>(gpu: &PushedGuard<'_>) -> bool {
    let memory = gpu.managed::<T>(1).unwrap();
    let fits = memory.address().is_multiple_of(align_of::<T>() as u64);
    match gpu.host_slice(&memory) {
        Ok(slice) => assert!(fits && slice.as_ptr().is_aligned()),
        error => {
            assert!(!fits);
            refused(error, "alignment");
        }
    }
    fits
}

#[test]
fn no_slice_begins_at_an_address_that_its_elements_do_not_have() {
    with_gpu(|gpu| {
        assert!(aligned::<u64>(gpu));
        let _either = aligned::<Aligned>(gpu);
    });
}

#[test]
fn memory_tells_the_advice_that_it_got() {
    places!();
    with_gpu(|gpu| {
        let (stream, here) = (gpu.stream().unwrap(), Location::from(gpu.device()));
        let len = fewer(1 << 20, 1 << 17);
        let mut x = gpu.managed::<u8>(len).unwrap();
        let new = gpu.range_info(&x).unwrap();
        assert_eq!(
            (new.read_mostly, new.preferred_location, new.last_prefetch),
            (false, None, None)
        );
        assert_eq!(new.accessed_by, []);
        let advise = |advice| gpu.advise(&x, advice).unwrap();
        advise(Advice::ReadMostly(true));
        advise(Advice::PreferredLocation(Some(here)));
        advise(Advice::AccessedBy(Location::Host));
        advise(Advice::AccessedBy(here));
        gpu.on(&stream).prefetch(&x, here).unwrap();
        let told = gpu.range_info(&x).unwrap();
        assert!(told.read_mostly);
        assert_eq!((told.preferred_location, told.last_prefetch), (Some(here), Some(here)));
        assert_eq!(told.accessed_by, [here, Location::Host]);
        // Of a part.
        gpu.advise(&x.slice(..1 << 16).unwrap(), Advice::ReadMostly(false)).unwrap();
        assert!(!gpu.range_info(&x).unwrap().read_mostly);
        assert!(gpu.range_info(&x.slice(len / 2..).unwrap()).unwrap().read_mostly);
        advise(Advice::NotAccessedBy(here));
        advise(Advice::PreferredLocation(None));
        gpu.on(&stream).prefetch(&x.slice(..).unwrap(), Location::Host).unwrap();
        let told = gpu.range_info(&x).unwrap();
        assert_eq!((told.preferred_location, told.last_prefetch), (None, Some(Location::Host)));
        assert_eq!(told.accessed_by, [Location::Host]);
        for (to, last) in [
            (Location::HostNuma(0), Location::HostNuma(0)),
            (Location::HostNumaCurrent, Location::HostNumaCurrent),
        ] {
            gpu.on(&stream).prefetch(&x, to).unwrap();
            assert_eq!(gpu.range_info(&x).unwrap().last_prefetch, Some(last));
        }
        // Moves keep the contents.
        gpu.host_slice_mut(&mut x).unwrap().fill(7);
        gpu.scope(|s| {
            let mut held = s.hold(&mut x);
            s.on(&stream).prefetch(&held, here)?;
            s.on(&stream).fill(&mut held.slice_mut(..1)?, 8)
        })
        .unwrap();
        assert_eq!(gpu.host_slice(&x).unwrap()[..3], [8, 7, 7]);
        let ordered = gpu.ordered_stream().unwrap();
        let of_stream = ordered.adopt(x).unwrap();
        ordered.prefetch(&of_stream, Location::Host).unwrap();
        let x = of_stream.into_idle(gpu).unwrap();
        assert_eq!(gpu.host_slice(&x).unwrap()[..3], [8, 7, 7]);
        if ffi::cuMemDiscardBatchAsync().is_ok() {
            let mut x = x;
            gpu.on(&stream).discard(&mut x).unwrap();
            gpu.on(&stream).zero(&mut x.slice_mut(..fewer(len, 8)).unwrap()).unwrap();
            assert_eq!(gpu.host_slice(&x).unwrap()[..3], [0; 3]);
        }
    });
}

#[test]
fn other_memory_takes_no_advice() {
    places!();
    with_gpu(|gpu| {
        let (stream, here) = (gpu.stream().unwrap(), Location::from(gpu.device()));
        let (mut plain, x) = (gpu.alloc::<u32>(4).unwrap(), gpu.managed::<u32>(4).unwrap());
        let on = gpu.on(&stream);
        let invalid = |result: cuscope::Result, call| {
            let error = result.unwrap_err();
            let code = Some(ffi::CUDA_ERROR_INVALID_VALUE);
            assert_eq!((error.code(), error.call()), (code, Some(call)));
        };
        invalid(on.prefetch(&plain, here), "cuMemPrefetchAsync_v2");
        invalid(on.prefetch(&x, Location::HostNuma(99)), "cuMemPrefetchAsync_v2");
        invalid(on.prefetch(&x, Location::HostNuma(u32::MAX)), "cuMemPrefetchAsync_v2");
        invalid(gpu.advise(&plain, Advice::ReadMostly(true)), "cuMemAdvise_v2");
        invalid(gpu.advise(&x, Advice::AccessedBy(Location::HostNuma(0))), "cuMemAdvise_v2");
        invalid(gpu.range_info(&plain).map(drop), "cuMemRangeGetAttributes");
        // SAFETY: 1. Not to one stream alone.
        invalid(unsafe { on.attach(&mut plain, Attachment::Global) }, "cuStreamAttachMemAsync");
        if ffi::cuMemDiscardBatchAsync().is_ok() {
            invalid(on.discard(&mut plain), "cuMemDiscardBatchAsync");
        }
        // Nothing to move and nothing to advise.
        let empty = gpu.managed::<u32>(0).unwrap();
        on.prefetch(&empty, here).unwrap();
        gpu.advise(&empty, Advice::ReadMostly(true)).unwrap();
        invalid(gpu.range_info(&empty).map(drop), "cuMemRangeGetAttributes");
    });
}

#[test]
fn memory_is_attached_to_streams() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut x = gpu.managed::<u32>(4).unwrap();
        for to in [Attachment::Single, Attachment::Host, Attachment::Global] {
            // SAFETY: 1. Only this stream uses the memory.
            unsafe { gpu.on(&stream).attach(&mut x, to) }.unwrap();
            gpu.on(&stream).fill(&mut x, 3).unwrap();
            assert_eq!(gpu.host_slice(&x).unwrap(), [3; 4]);
        }
    });
}

#[test]
fn behind_a_fault_nothing_is_lent_to_the_host() {
    fresh!(behind_a_fault_nothing_is_lent_to_the_host, {
        let (context, other) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut gpu = stack.push(&context).unwrap();
        let mut x = gpu.managed::<u32>(4).unwrap();
        gpu.host_slice_mut(&mut x).unwrap().fill(1);
        {
            let inner = gpu.push(&other).unwrap();
            let (stream, store) = (inner.stream().unwrap(), kernel(&inner, STORE, "store"));
            let one = LaunchConfig::new(1, 1);
            // SAFETY: store(unsigned *, unsigned), to an address that no memory has: the fault is what is tested.
            let fault = unsafe {
                inner.on(&stream).launch_unchecked(&store, one, (0x1234_0000_u64, 1_u32))
            };
            assert!(fault.unwrap_err().is_sticky());
        }
        assert!(gpu.host_slice(&x).unwrap_err().is_sticky());
        assert!(gpu.host_slice_mut(&mut x).unwrap_err().is_sticky());
        assert_eq!(x.len(), 4);
    });
}

#[test]
fn a_place_is_a_device_or_of_the_host() {
    let device = Device::get(0).unwrap();
    assert_eq!(Location::from(device), Location::Device(device));
    assert_ne!(Location::Host, Location::HostNuma(0));
}
