//! Buffers that grow in place, and the steps that they are made of.
#![allow(unsafe_code, reason = "launches kernels, and shares memory with another process")]

use crate::common::gpu::{kernel, new_context, new_context_on, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::error::RangeUnit;
use cuscope::memory::{BufferKind, GrowableBuffer};
use cuscope::virtual_memory::{MappedAccess, PhysicalMemory, Reservation};
use cuscope::{ContextStack, Device, Error, LaunchConfig, PushedGuard, Result, ffi};
use cuscope_softdriver::control::{live, take_races};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use cuscope_softdriver::schedule;

/// Leaves the test on a device without virtual memory.
macro_rules! needs_virtual_memory {
    ($gpu:expr) => {
        let attribute = ffi::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
        if $gpu.device().attribute(attribute).unwrap() == 0 {
            skip!("the device has no virtual memory");
        }
    };
}

/// The elements that one piece of memory has.
fn piece(gpu: &PushedGuard<'_>) -> usize {
    PhysicalMemory::granularity(gpu.device()).unwrap() / size_of::<u32>()
}

fn values<'ctx>(gpu: &PushedGuard<'ctx>, x: &GrowableBuffer<'ctx, u32>, len: usize) -> Vec<u32> {
    gpu.on(&gpu.stream().unwrap()).to_vec(&x.slice(..len).unwrap()).unwrap()
}

#[test]
fn a_buffer_grows_in_place_and_gives_memory_back() {
    skip_under_miri!("fills millions of elements");
    with_gpu(|gpu| {
        needs_virtual_memory!(gpu);
        let (piece, stream) = (piece(gpu), gpu.stream().unwrap());
        let bytes = piece * size_of::<u32>();
        let mut x = gpu.alloc_growable::<u32>(4 * piece - 1).unwrap();
        let address = x.address();
        assert_eq!((x.len(), x.capacity(), x.mapped_bytes()), (0, 4 * piece, 0));
        assert_eq!((x.kind(), x.is_empty()), (BufferKind::Growable, true));
        x.grow(3).unwrap();
        assert_eq!((x.len(), x.mapped_bytes()), (3, bytes));
        gpu.on(&stream).upload(&[1, 2, 3], &mut x).unwrap();
        // The rest of the piece, without more memory; then over two pieces, and one more.
        x.grow(piece).unwrap();
        assert_eq!(x.mapped_bytes(), bytes);
        x.grow(3 * piece - 1).unwrap();
        assert_eq!((x.len(), x.mapped_bytes()), (3 * piece - 1, 3 * bytes));
        x.grow(7).unwrap();
        assert_eq!((x.len(), x.address()), (3 * piece - 1, address));
        gpu.on(&stream).fill(&mut x.as_slice_mut().slice_mut(3..).unwrap(), 9).unwrap();
        assert_eq!(values(gpu, &x, 5), [1, 2, 3, 9, 9]);
        let all = gpu.on(&stream).to_vec(&x).unwrap();
        assert!(all.len() == x.len() && all[3..].iter().all(|&value| value == 9));
        // The second piece is of two: it stays while one element of it does.
        x.truncate(piece + 1).unwrap();
        assert_eq!((x.len(), x.mapped_bytes()), (piece + 1, 3 * bytes));
        x.truncate(piece).unwrap();
        assert_eq!((x.len(), x.mapped_bytes()), (piece, bytes));
        x.grow(4 * piece).unwrap();
        assert_eq!((values(gpu, &x, 3), x.mapped_bytes()), (vec![1, 2, 3], 4 * bytes));
        x.truncate(0).unwrap();
        assert_eq!((x.len(), x.mapped_bytes(), x.address()), (0, 0, address));
        assert!(format!("{x:?}").starts_with("GrowableBuffer<u32>(0 of "));
    });
}

#[test]
fn every_operation_takes_it() {
    skip_under_miri!("fills millions of elements");
    with_gpu(|gpu| {
        needs_virtual_memory!(gpu);
        let piece = piece(gpu);
        let mut stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let one = LaunchConfig::new(1, 1);
        let mut x = gpu.alloc_growable::<u32>(2 * piece).unwrap();
        let mut plain = gpu.alloc::<u32>(4).unwrap();
        x.grow(piece + 4).unwrap();
        let on = gpu.on(&stream);
        on.fill(&mut x, 1).unwrap();
        on.copy(&x.slice(piece - 2..piece + 2).unwrap(), &mut plain).unwrap();
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { on.launch_unchecked(&store, one, (&mut x, 2_u32)) }.unwrap();
        gpu.scope(|s| {
            let (run, mut held) = (s.on(&stream), s.hold(&mut x));
            run.fill(&mut held.slice_mut(1..2)?, 3)?;
            // SAFETY: as above, at the third element.
            unsafe { run.launch_unchecked(&store, one, (&mut held.slice_mut(2..)?, 4_u32)) }
        })
        .unwrap();
        let mut host = [0; 4];
        gpu.scope(|s| s.on(&stream).download(x.slice(..4)?, &mut host)).unwrap();
        assert_eq!(host, [2, 3, 4, 1]);
        let graph = gpu
            .capture(&mut stream, |c| {
                let (run, mut held) = (c.stream(), c.hold(&mut x));
                run.fill(&mut held.slice_mut(3..4)?, 5)
            })
            .unwrap();
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(values(gpu, &x, 5), [2, 3, 4, 5, 1]);
        // It grows under the graph, which goes on to use what it used.
        x.grow(2 * piece).unwrap();
        gpu.on(&stream).fill(&mut x, 0).unwrap();
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(values(gpu, &x, 5), [0, 0, 0, 5, 0]);
        // And keeps the memory.
        let mapped = x.mapped_bytes();
        x.truncate(1).unwrap();
        assert_eq!((x.len(), x.mapped_bytes()), (1, mapped));
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        // Which no change of an access may interrupt.
        let kept = x.set_access(gpu.device(), MappedAccess::None).unwrap_err();
        assert!(kept.to_string().contains("graph"), "{kept}");
        drop(graph);
        x.truncate(0).unwrap();
        assert_eq!(x.mapped_bytes(), 0);
    });
}

/// The last mapping holds nothing that the buffer still has, but the graph uses it.
#[test]
fn a_graph_keeps_every_mapping_that_the_buffer_had() {
    skip_under_miri!("fills millions of elements");
    fresh!(a_graph_keeps_every_mapping_that_the_buffer_had, {
        with_gpu(|gpu| {
            needs_virtual_memory!(gpu);
            let (piece, mut stream) = (piece(gpu), gpu.stream().unwrap());
            let mut x = gpu.alloc_growable::<u32>(3 * piece).unwrap();
            for pieces in 1..=3 {
                x.grow(pieces * piece).unwrap();
            }
            let bytes = x.mapped_bytes();
            let graph = gpu
                .capture(&mut stream, |c| {
                    let (run, mut held) = (c.stream(), c.hold(&mut x));
                    run.fill(&mut held.slice_mut(2 * piece..)?, 5)?;
                    run.fill(&mut held.slice_mut(piece..piece + 1)?, 6)
                })
                .unwrap();
            for len in [2 * piece, 1, 0] {
                x.truncate(len).unwrap();
                assert_eq!((x.len(), x.mapped_bytes()), (len, bytes));
                gpu.on(&stream).replay(&graph, &mut x).unwrap();
            }
            x.grow(2 * piece + 1).unwrap();
            let written = gpu.on(&stream).to_vec(&x.slice(piece..).unwrap()).unwrap();
            assert_eq!((written[0], written[piece]), (6, 5));
            drop(graph);
            x.truncate(1).unwrap();
            assert_eq!(x.mapped_bytes(), bytes / 3);
        });
    });
}

#[test]
fn a_graph_keeps_it_alive() {
    with_gpu(|gpu| {
        needs_virtual_memory!(gpu);
        let mut x = gpu.alloc_growable::<u32>(8).unwrap();
        x.grow(8).unwrap();
        let built = gpu.build_graph(|g| {
            let mut held = g.hold(&mut x);
            g.fill(&[], &mut held, 1).map(drop)
        });
        let (graph, ()) = built.unwrap();
        drop(x);
        drop(graph);
    });
}

#[test]
fn growth_that_is_not_possible_is_refused() {
    with_gpu(|gpu| {
        needs_virtual_memory!(gpu);
        let refused = |result: Result, call: &str| {
            let error = result.unwrap_err();
            assert_eq!(error.call(), Some(call), "{error}");
        };
        refused(gpu.alloc_growable::<u32>(0).map(drop), "PushedGuard::alloc_growable");
        refused(gpu.alloc_growable::<u32>(usize::MAX).map(drop), "PushedGuard::alloc_growable");
        let most = usize::MAX / size_of::<u32>();
        refused(gpu.alloc_growable::<u32>(most).map(drop), "PushedGuard::alloc_growable");
        let piece = piece(gpu);
        let mut x = gpu.alloc_growable::<u32>(piece).unwrap();
        let past = Error::InvalidRange {
            call: "GrowableBuffer::grow",
            end: piece + 1,
            len: piece,
            unit: RangeUnit::Capacity,
        };
        assert_eq!(x.grow(piece + 1), Err(past));
        let own = x.set_access(gpu.device(), MappedAccess::None);
        refused(own, "GrowableBuffer::set_access");
        x.grow(1).unwrap();
        refused(x.slice_mut(..2).map(drop), "GrowableBuffer::slice_mut");
        if common::software() && cfg!(any(miri, not(target_os = "linux"))) {
            return; // where addresses take memory
        }
        let mut y = gpu.alloc_growable::<u64>(1 << 40).unwrap();
        let much = y.grow(1 << 39).unwrap_err();
        assert_eq!(much.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!((y.len(), y.mapped_bytes()), (0, 0));
        y.grow(1).unwrap();
    });
}

#[test]
fn a_failed_growth_changes_nothing() {
    if !common::software() {
        skip!("only the software driver fails on request");
    }
    with_gpu(|gpu| {
        let (piece, stream) = (piece(gpu), gpu.stream().unwrap());
        let mut x = gpu.alloc_growable::<u32>(4 * piece).unwrap();
        x.grow(1).unwrap();
        gpu.on(&stream).fill(&mut x, 7).unwrap();
        let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
        for name in ["cuMemCreate", "cuMemMap", "cuMemSetAccess"] {
            let fault = Fault { which: Which::Named(name), code, performed: false };
            let (grown, _) = with_fault(fault, || x.grow(2 * piece));
            assert_eq!(grown.unwrap_err().call(), Some(name));
            assert_eq!((x.len(), x.mapped_bytes() / size_of::<u32>()), (1, piece), "{name}");
        }
        // Memory that cannot be taken back is used by the next growth.
        let fault = Fault { which: Which::Named("cuMemUnmap"), code, performed: false };
        x.grow(2 * piece).unwrap();
        let (short, _) = with_fault(fault, || x.truncate(1));
        assert_eq!(short.unwrap_err().call(), Some("cuMemUnmap"));
        assert_eq!((x.len(), x.mapped_bytes() / size_of::<u32>()), (1, 2 * piece));
        x.grow(2 * piece).unwrap();
        gpu.on(&stream).fill(&mut x.slice_mut(1..).unwrap(), 8).unwrap();
        assert_eq!(values(gpu, &x, 2), [7, 8]);
    });
}

#[test]
fn nothing_is_left_of_it() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(nothing_is_left_of_it, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let before = live();
        let piece = piece(&gpu);
        let mut x = gpu.alloc_growable::<u32>(4 * piece).unwrap();
        x.grow(1).unwrap();
        x.grow(3 * piece).unwrap();
        let alive = live();
        assert_eq!((alive.reservations, alive.physical, alive.mappings), (1, 2, 2));
        // On another thread, without a context.
        let detached = x.detach();
        std::thread::spawn(move || drop(detached)).join().unwrap();
        assert_eq!(live(), before);
        let mut addresses = Reservation::new(piece * 8).unwrap();
        let memory = PhysicalMemory::create(gpu.device(), piece * 4).unwrap();
        addresses.map(0, memory).unwrap();
        let kept = addresses.unmap(0).unwrap();
        drop(addresses);
        assert_eq!((live().reservations, live().physical), (0, 1));
        drop(kept);
        assert_eq!(live(), before);
    });
}

#[test]
fn it_belongs_to_its_context() {
    let contexts = [new_context(), new_context()];
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&contexts[0]).unwrap();
    needs_virtual_memory!(outer);
    let mut x = outer.alloc_growable::<u32>(8).unwrap().detach();
    let gpu = outer.push(&contexts[1]).unwrap();
    let error = gpu.bind_mut(&mut x).map(drop).unwrap_err();
    assert!(matches!(error, Error::OtherContext { .. }), "{error}");
}

#[test]
fn growing_between_scopes_is_no_race_in_any_order() {
    skip_under_miri!("fills millions of elements");
    if !common::software() {
        skip!("only the software driver looks for races");
    }
    fresh!(growing_between_scopes_is_no_race_in_any_order, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (piece, a, b) = (piece(&gpu), gpu.stream().unwrap(), gpu.stream().unwrap());
        for seed in 0..8 {
            schedule::seed(seed);
            let mut x = gpu.alloc_growable::<u32>(2 * piece).unwrap();
            for step in 1..4_usize {
                x.grow(step * piece / 2).unwrap();
                gpu.scope(|s| {
                    let (mut low, mut high) = s.hold(&mut x).split_at(step * piece / 4)?;
                    s.on(&a).fill(&mut low, 1)?;
                    s.on(&b).fill(&mut high, 2)
                })
                .unwrap();
                x.truncate(step * piece / 4).unwrap();
            }
            drop(x);
            assert_eq!(take_races(), []);
        }
        schedule::stop();
    });
}

#[test]
fn kernels_of_a_device_with_access_use_it() {
    fresh!(kernels_of_a_device_with_access_use_it, {
        let devices = Device::all().unwrap();
        let [first, second, ..] = devices[..] else { skip!("needs two devices") };
        if !second.can_access_peer(first).unwrap() {
            skip!("needs two devices with access");
        }
        let contexts = [new_context_on(first), new_context_on(second)];
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&contexts[0]).unwrap();
        needs_virtual_memory!(outer);
        let piece = piece(&outer);
        let mut x = outer.alloc_growable::<u32>(2 * piece).unwrap();
        // Before there is any memory.
        x.set_access(second, MappedAccess::Read).unwrap();
        x.grow(1).unwrap();
        x.set_access(second, MappedAccess::ReadWrite).unwrap();
        // Also to what comes later.
        x.grow(piece + 1).unwrap();
        let last = x.slice(piece..).unwrap().address();
        {
            let gpu = outer.push(&contexts[1]).unwrap();
            let (stream, store) = (gpu.stream().unwrap(), kernel(&gpu, STORE, "store"));
            // SAFETY: the kernel is store(u32 *, u32), the address is of memory that its device may write, and nothing
            // else uses that.
            unsafe {
                gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (last, 5_u32))
            }
            .unwrap();
        }
        let stream = outer.stream().unwrap();
        assert_eq!(outer.on(&stream).to_vec(&x.slice(piece..).unwrap()).unwrap(), [5]);
    });
}

#[test]
fn memory_is_mapped_by_hand() {
    with_gpu(|gpu| {
        needs_virtual_memory!(gpu);
        let device = gpu.device();
        let bytes = PhysicalMemory::granularity(device).unwrap();
        let create = || PhysicalMemory::create(device, bytes).unwrap();
        let mut addresses = Reservation::new(4 * bytes).unwrap();
        assert_eq!((addresses.size_bytes(), addresses.mapped_bytes()), (4 * bytes, 0));
        addresses.map(2 * bytes, create()).unwrap();
        addresses.map(0, create()).unwrap();
        assert_eq!(addresses.mapped_bytes(), 2 * bytes);
        assert_eq!(addresses.access(0, device), Ok(MappedAccess::None));
        addresses.set_access(0, bytes, device, MappedAccess::Read).unwrap();
        assert_eq!(addresses.access(bytes - 1, device), Ok(MappedAccess::Read));
        // Not where memory is, nor past the end, nor where none is.
        for offset in [0, 2 * bytes, 4 * bytes, usize::MAX] {
            let error = addresses.map(offset, create()).unwrap_err();
            assert_eq!(error.call(), Some("cuMemMap"));
        }
        let two = PhysicalMemory::create(device, 2 * bytes).unwrap();
        assert_eq!(addresses.map(bytes, two).unwrap_err().call(), Some("cuMemMap"));
        let refused = [
            addresses.unmap(bytes).map(drop),
            addresses.unmap(1).map(drop),
            addresses.set_access(0, 2 * bytes, device, MappedAccess::Read),
            addresses.set_access(3 * bytes, 2 * bytes, device, MappedAccess::Read),
            addresses.access(bytes, device).map(drop),
            addresses.access(4 * bytes, device).map(drop),
            PhysicalMemory::create(device, bytes + 1).map(drop),
            Reservation::new(0).map(drop),
        ];
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
        assert_eq!(addresses.unmap(1).unwrap_err().call(), Some("cuMemUnmap"));
        let past =
            |call, end| Error::InvalidRange { call, end, len: 4 * bytes, unit: RangeUnit::Bytes };
        let set = addresses.set_access(3 * bytes, 2 * bytes, device, MappedAccess::Read);
        assert_eq!(set, Err(past("cuMemSetAccess", 5 * bytes)));
        let end = 4 * bytes;
        assert_eq!(addresses.access(end, device), Err(past("cuMemGetAccess", end)));
        // Side by side, after a gap, and not into each other.
        let mut others = Reservation::new(8 * bytes).unwrap();
        for place in [1, 5, 3, 2, 4] {
            others.map(place * bytes, create()).unwrap();
        }
        let two = || PhysicalMemory::create(device, 2 * bytes).unwrap();
        others.map(6 * bytes, two()).unwrap();
        for refused in [others.map(7 * bytes, create()), others.map(0, two())] {
            assert!(matches!(refused, Err(Error::InvalidArgument { call: "cuMemMap", .. })));
        }
        drop(others);
        // Memory that is unmapped keeps its contents, and gets another address.
        addresses.set_access(0, bytes, device, MappedAccess::ReadWrite).unwrap();
        let address = addresses.address();
        // SAFETY: mapped and accessible; nothing else uses it until the buffer is dropped.
        let mut x = unsafe { gpu.buffer_from_raw::<u32>(address, 4, ()) }.unwrap();
        let stream = gpu.stream().unwrap();
        gpu.on(&stream).upload(&[1, 2, 3, 4], &mut x).unwrap();
        drop(x);
        let memory = addresses.unmap(0).unwrap();
        assert_eq!((memory.size_bytes(), memory.device()), (bytes, device));
        addresses.map(3 * bytes, memory).unwrap();
        addresses.set_access(2 * bytes, 2 * bytes, device, MappedAccess::ReadWrite).unwrap();
        let address = address + 3 * bytes as u64;
        // SAFETY: as above, and kept until the buffer is dropped.
        let x = unsafe { gpu.buffer_from_raw::<u32>(address, 4, addresses) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [1, 2, 3, 4]);
    });
}

/// Maps memory all over, as a buffer.
#[cfg(unix)]
fn mapped<'ctx>(
    gpu: &PushedGuard<'ctx>,
    memory: PhysicalMemory,
) -> cuscope::DeviceBuffer<'ctx, u32> {
    let bytes = memory.size_bytes();
    let mut addresses = Reservation::new(bytes).unwrap();
    addresses.map(0, memory).unwrap();
    addresses.set_access(0, bytes, gpu.device(), MappedAccess::ReadWrite).unwrap();
    // SAFETY: mapped and accessible until the reservation is dropped; the processes take turns.
    unsafe { gpu.buffer_from_raw(addresses.address(), bytes / 4, addresses) }.unwrap()
}

#[test]
#[cfg(unix)]
fn imported_memory_is_of_the_device_that_it_was_created_on() {
    use std::os::fd::AsFd;
    let attribute = ffi::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    let devices = Device::all().unwrap();
    if devices.len() < 2 {
        skip!("needs two devices");
    }
    // On a context of the first device, whichever the memory belongs to.
    with_gpu(|_| {
        for device in devices {
            if device.attribute(attribute).unwrap() == 0 {
                skip!("the device shares no memory by file descriptors");
            }
            let bytes = PhysicalMemory::granularity(device).unwrap();
            let memory = PhysicalMemory::create_shareable(device, bytes).unwrap();
            let descriptor = memory.export().unwrap();
            // SAFETY: 1. as it was created. 2. Nothing uses the memory.
            let imported = unsafe { PhysicalMemory::import(descriptor.as_fd(), bytes) }.unwrap();
            assert_eq!((memory.device(), imported.device()), (device, device));
        }
    });
}

#[test]
#[cfg(unix)]
fn two_processes_share_physical_memory() {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    const SENT: &str = "CUSCOPE_TEST_MEMORY";
    skip_under_miri!("starts a process");
    with_gpu(|gpu| {
        let device = gpu.device();
        let attribute = ffi::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
        if device.attribute(attribute).unwrap() == 0 {
            skip!("the device shares no memory by file descriptors");
        }
        let bytes = PhysicalMemory::granularity(device).unwrap();
        let on = gpu.stream().unwrap();
        if let Ok(sent) = std::env::var(SENT) {
            // SAFETY: the descriptor was inherited for this.
            let sent = unsafe { OwnedFd::from_raw_fd(sent.parse().unwrap()) };
            use std::os::fd::AsFd;
            // SAFETY: 1. as the parent creates it. 2. The parent waits for this process.
            let memory = unsafe { PhysicalMemory::import(sent.as_fd(), bytes) }.unwrap();
            assert_eq!((memory.device(), memory.size_bytes()), (device, bytes));
            drop(sent);
            let mut x = mapped(gpu, memory);
            assert_eq!(gpu.on(&on).to_vec(&x.slice(..2).unwrap()).unwrap(), [3, 3]);
            gpu.on(&on).fill(&mut x, 4).unwrap();
            return;
        }
        let refused = PhysicalMemory::create(device, bytes).unwrap().export();
        assert_eq!(refused.unwrap_err().call(), Some("cuMemExportToShareableHandle"));
        let memory = PhysicalMemory::create_shareable(device, bytes).unwrap();
        let descriptor = memory.export().unwrap();
        // SAFETY: takes no memory. The child is to inherit it.
        assert_eq!(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        let mut x = mapped(gpu, memory);
        gpu.on(&on).fill(&mut x, 3).unwrap();
        let (test, sent) =
            ("two_processes_share_physical_memory", descriptor.as_raw_fd().to_string());
        let output = common::respawn_with(module_path!(), test, &[(SENT, &sent)]).unwrap();
        common::assert_success(test, &output);
        assert!(gpu.on(&on).to_vec(&x).unwrap().iter().all(|&value| value == 4));
    });
}
