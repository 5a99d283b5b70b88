//! Memory and semaphores of other interfaces. The memory is physical memory that goes round by a descriptor, on any driver.
//! The software driver alone plays the other interface's semaphores, as `docs/software-driver.md` describes.
#![cfg(target_os = "linux")] // its handles are descriptors
#![allow(unsafe_code, reason = "imports memory and semaphores")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip};
use cuscope::external::{
    ExternalMemory, ExternalSemaphore, MemoryFlags, MemoryHandle, SemaphoreHandle,
};
use cuscope::memory::BufferKind;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::virtual_memory::PhysicalMemory;
use cuscope::{ContextStack, Error, LaunchConfig, PushedGuard, Result, ffi};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use cuscope_softdriver::schedule;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// Leaves the test where there are no semaphores to import.
macro_rules! needs_semaphores {
    () => {
        if !common::software() {
            skip!("no other interface exports semaphores");
        }
    };
}

fn refused<T: std::fmt::Debug>(result: Result<T>, code: ffi::CUresult) {
    assert_eq!(result.unwrap_err().code(), Some(code));
}

/// Memory that is exported, with its size.
fn exported(gpu: &PushedGuard<'_>, pieces: usize) -> (PhysicalMemory, usize) {
    let bytes = PhysicalMemory::granularity(gpu.device()).unwrap() * pieces;
    (PhysicalMemory::create_shareable(gpu.device(), bytes).unwrap(), bytes)
}

fn import<'ctx>(gpu: &PushedGuard<'ctx>, memory: &PhysicalMemory) -> ExternalMemory<'ctx> {
    let (handle, bytes) =
        (MemoryHandle::OpaqueFd(memory.export().unwrap()), memory.size_bytes() as u64);
    // SAFETY: 1. Its size, and not dedicated.
    unsafe { gpu.import_external_memory(handle, bytes, MemoryFlags::empty()) }.unwrap()
}

/// The file of a timeline semaphore: its number.
struct Timeline(File);

impl Timeline {
    fn new(value: u64) -> Timeline {
        // SAFETY: the name is a string.
        let descriptor = unsafe { libc::memfd_create(c"timeline".as_ptr(), libc::MFD_CLOEXEC) };
        assert!(descriptor >= 0);
        // SAFETY: new, and of nobody else.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(8).unwrap();
        let timeline = Timeline(file);
        timeline.signal(value);
        timeline
    }

    fn signal(&self, value: u64) {
        self.0.write_all_at(&value.to_ne_bytes(), 0).unwrap();
    }

    fn value(&self) -> u64 {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, 0).unwrap();
        u64::from_ne_bytes(bytes)
    }

    fn import<'ctx>(&self, gpu: &PushedGuard<'ctx>) -> ExternalSemaphore<'ctx> {
        let handle = SemaphoreHandle::TimelineFd(self.0.try_clone().unwrap().into());
        // SAFETY: 1. and 2. The number of a timeline semaphore, which increases.
        unsafe { gpu.import_external_semaphore(handle) }.unwrap()
    }
}

/// The two ends of a binary semaphore.
fn binary<'ctx>(gpu: &PushedGuard<'ctx>) -> (File, ExternalSemaphore<'ctx>) {
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    assert!(descriptor >= 0);
    // SAFETY: new, and of nobody else.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let handle = SemaphoreHandle::OpaqueFd(file.try_clone().unwrap().into());
    // SAFETY: 1. and 2. A binary semaphore, which is signalled once for each wait.
    (file, unsafe { gpu.import_external_semaphore(handle) }.unwrap())
}

#[test]
fn a_mapped_buffer_is_used_like_any_other() {
    with_gpu(|gpu| {
        let (memory, bytes) = exported(gpu, 2);
        let stream = gpu.stream().unwrap();
        let external = import(gpu, &memory);
        assert_eq!(external.size_bytes(), bytes as u64);
        assert!(!external.raw().is_null());
        let (half, len) = (bytes as u64 / 2, 1000);
        // SAFETY: 1. and 2. Nobody else uses the memory, and the parts are apart.
        let part = |offset| unsafe { gpu.map_external_buffer::<u32>(&external, offset, len) };
        let (mut a, mut b) = (part(0).unwrap(), part(half).unwrap());
        assert_eq!((a.len(), a.kind()), (len, BufferKind::Foreign));
        drop(external); // the mappings keep it
        gpu.on(&stream).fill(&mut a, 5).unwrap();
        gpu.scope(|s| {
            let (a, mut b) = (s.hold(&mut a), s.hold(&mut b));
            s.on(&stream).copy(&a, &mut b)?;
            let store = kernel(gpu, STORE, "store");
            // SAFETY: the kernel stores its second argument to its first.
            unsafe {
                s.on(&stream).launch_unchecked(
                    &store,
                    LaunchConfig::for_num_elems(1).unwrap(),
                    (&mut b, 9_u32),
                )
            }
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&b).unwrap()[..3], [9, 5, 5]);
        // An ordered stream, and a graph that keeps it.
        let ordered = gpu.ordered_stream().unwrap();
        let mut a = ordered.adopt(a).unwrap();
        ordered.fill(&mut a, 3).unwrap();
        assert_eq!(ordered.to_vec(&a).unwrap(), [3; 1000]);
        let mut captured = gpu.stream().unwrap();
        let graph =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold(&mut b), 8)).unwrap();
        gpu.on(&stream).replay(&graph, (&mut b,)).unwrap();
        drop(b);
        drop(graph);
        // The bytes are those of the physical memory.
        let external = import(gpu, &memory);
        // SAFETY: 1. and 2. As above, and the others are gone or in another part.
        let b = unsafe { gpu.map_external_buffer::<u32>(&external, half, len) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&b).unwrap(), [8; 1000]);
    });
}

#[test]
fn mappings_lie_in_the_memory_of_their_context() {
    let (one, two) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut guard = stack.push(&one).unwrap();
    let (memory, bytes) = exported(&guard, 1);
    let detached = {
        let gpu = &guard;
        let external = import(gpu, &memory);
        let map = |offset, len| {
            // SAFETY: 1. and 2. Nothing uses the memory, and the mapping is dropped at once.
            unsafe { gpu.map_external_buffer::<u32>(&external, offset, len) }.map(|x| x.len())
        };
        assert_eq!(map(0, bytes / 4).unwrap(), bytes / 4);
        assert_eq!(map(bytes as u64, 0).unwrap(), 0);
        for (offset, len) in [(4, bytes / 4), (bytes as u64, 1), (u64::MAX, 1)] {
            assert!(matches!(map(offset, len), Err(Error::InvalidRange { .. })));
        }
        assert!(matches!(map(2, 1), Err(Error::InvalidArgument { .. })));
        assert!(matches!(map(0, usize::MAX), Err(Error::InvalidArgument { .. })));
        let text = format!("{external:?}");
        assert!(text.starts_with(&format!("ExternalMemory({bytes} bytes")), "{text}");
        external.detach()
    };
    // In the other context, the handle is refused.
    assert!(guard.push(&two).unwrap().attach(detached).is_err());
}

/// Under guards that leaked places give one brand.
#[test]
fn memory_of_another_context_is_not_mapped() {
    let [one, two] = [new_context(), new_context()].map(|one| &*Box::leak(Box::new(one)));
    let stack: &'static mut _ = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(one).unwrap()));
    let (memory, _) = exported(outer, 1);
    let external = import(outer, &memory);
    let gpu = outer.push(two).unwrap();
    // SAFETY: 1. and 2. It is not mapped.
    let mapped = unsafe { gpu.map_external_buffer::<u32>(&external, 0, 1) }.map(drop);
    let call = "cuExternalMemoryGetMappedBuffer";
    assert_eq!(mapped, Err(Error::OtherContext { call }));
}

#[test]
fn an_array_is_mapped_with_its_levels() {
    with_gpu(|gpu| {
        let (memory, _) = exported(gpu, 1);
        let stream = gpu.stream().unwrap();
        let external = import(gpu, &memory);
        let shape = ArrayShape::D2 { width: 64, height: 32 };
        let map = |levels| {
            // SAFETY: 1. to 3. Nobody else uses the memory, which holds such an image.
            unsafe {
                gpu.map_external_mipmapped_array::<[u8; 4]>(
                    &external,
                    0,
                    shape,
                    levels,
                    ArrayFlags::SURFACE,
                )
            }
        };
        assert!(matches!(map(0), Err(Error::InvalidArgument { .. })));
        assert!(matches!(map(8), Err(Error::InvalidArgument { .. })));
        let mut image = map(2).unwrap();
        assert_eq!((image.levels(), image.shape()), (2, shape));
        let texels: Vec<[u8; 4]> = (0..32 * 16).map(|i: u32| i.to_le_bytes()).collect();
        gpu.on(&stream).upload(&texels, &mut image.level_mut(1).unwrap()).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&image.level(1).unwrap()).unwrap(), texels);
        drop(image);
        // Mapped again, it holds the same texels.
        let image = map(2).unwrap();
        drop(external);
        assert_eq!(gpu.on(&stream).to_vec(&image.level(1).unwrap()).unwrap(), texels);
    });
}

#[test]
fn descriptors_of_no_memory_or_semaphore_are_refused_and_closed_once() {
    // Alone: other tests open files, too.
    fresh!(descriptors_of_no_memory_or_semaphore_are_refused_and_closed_once, {
        with_gpu(|gpu| {
            let file = || OwnedFd::from(File::open("/dev/null").unwrap());
            let import = |handle, bytes| {
                // SAFETY: 1. and 2. It is not imported.
                unsafe { gpu.import_external_memory(handle, bytes, MemoryFlags::empty()) }
            };
            refused(import(MemoryHandle::OpaqueFd(file()), 4096), ffi::CUDA_ERROR_UNKNOWN);
            let descriptor = file();
            let number = descriptor.as_raw_fd();
            refused(import(MemoryHandle::OpaqueFd(descriptor), 0), ffi::CUDA_ERROR_INVALID_VALUE);
            // The number is free again, for the next one that opens a file.
            assert_eq!(file().as_raw_fd(), number);
            refused(import(MemoryHandle::DmaBufFd(file()), 4096), ffi::CUDA_ERROR_NOT_SUPPORTED);
            for handle in [SemaphoreHandle::OpaqueFd(file()), SemaphoreHandle::TimelineFd(file())] {
                // SAFETY: 1. and 2. It is not imported.
                refused(unsafe { gpu.import_external_semaphore(handle) }, ffi::CUDA_ERROR_UNKNOWN);
            }
            assert_eq!(file().as_raw_fd(), number);
        });
    });
}

/// A descriptor belongs to the driver if that has taken it or closed it, and is closed otherwise.
#[test]
fn a_descriptor_is_closed_unless_the_driver_has_it() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    // Alone, as after a failure that the process does not survive.
    fresh!(a_descriptor_is_closed_unless_the_driver_has_it, {
        with_gpu(|gpu| {
            // The other end reads the end of the file then.
            let is_closed = |call, code, import: &dyn Fn(OwnedFd) -> Result<()>| {
                let (mut ours, theirs) = UnixStream::pair().unwrap();
                ours.set_nonblocking(true).unwrap();
                let fault = Fault { which: Which::Named(call), code, performed: false };
                refused(with_fault(fault, || import(theirs.into())).0, code);
                ours.read(&mut [0]).is_ok_and(|read| read == 0)
            };
            for (code, memory, semaphore) in [
                (ffi::CUDA_ERROR_INVALID_VALUE, true, true),
                (ffi::CUDA_ERROR_NOT_SUPPORTED, true, true),
                (ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, true, true),
                (ffi::CUDA_ERROR_OUT_OF_MEMORY, false, false),
                (ffi::CUDA_ERROR_UNKNOWN, false, true),
                (ffi::CUDA_ERROR_LAUNCH_FAILED, true, true),
            ] {
                let of_memory = is_closed("cuImportExternalMemory", code, &|file| {
                    let handle = MemoryHandle::OpaqueFd(file);
                    // SAFETY: 1. and 2. It is not imported.
                    unsafe { gpu.import_external_memory(handle, 4096, MemoryFlags::empty()) }
                        .map(drop)
                });
                let of_semaphore = is_closed("cuImportExternalSemaphore", code, &|file| {
                    // SAFETY: 1. and 2. It is not imported.
                    unsafe { gpu.import_external_semaphore(SemaphoreHandle::OpaqueFd(file)) }
                        .map(drop)
                });
                assert_eq!((of_memory, of_semaphore), (memory, semaphore), "{code:?}");
            }
        });
    });
}

#[test]
fn streams_wait_for_another_interface_and_signal_it() {
    needs_semaphores!();
    with_gpu(|gpu| {
        let (stream, timeline) = (gpu.stream().unwrap(), Timeline::new(0));
        let semaphore = timeline.import(gpu);
        let mut x = gpu.alloc::<u32>(64).unwrap();
        gpu.scope(|s| {
            let (run, mut x) = (s.on(&stream), s.hold(&mut x));
            for round in 0..3_u32 {
                let turn = u64::from(round) * 2;
                run.wait_semaphores(&[(&semaphore, turn + 1)])?;
                run.fill(&mut x, round)?;
                run.signal_semaphores(&[(&semaphore, turn + 2)])?;
                assert!(!run.query()?);
                assert_eq!(timeline.value(), turn);
                timeline.signal(turn + 1);
                run.synchronize()?;
                assert_eq!(timeline.value(), turn + 2);
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [2; 64]);
        // Blocking operations return when it is done.
        gpu.on(&stream).wait_semaphores(&[(&semaphore, 5)]).unwrap();
        gpu.on(&stream).signal_semaphores(&[(&semaphore, 9)]).unwrap();
        assert_eq!(timeline.value(), 9);
        gpu.on(&stream).signal_semaphores(&[]).unwrap();
        gpu.on(&stream).wait_semaphores(&[]).unwrap();
        assert!(format!("{semaphore:?}").starts_with("ExternalSemaphore(0x"));
    });
}

#[test]
fn a_wait_takes_the_signal_of_a_binary_semaphore() {
    needs_semaphores!();
    with_gpu(|gpu| {
        let (one, two) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut file, semaphore) = binary(gpu);
        file.write_all(&1_u64.to_ne_bytes()).unwrap();
        gpu.on(&one).wait_semaphores(&[(&semaphore, 0)]).unwrap();
        gpu.scope(|s| {
            let waits = s.on(&one);
            waits.wait_semaphores(&[(&semaphore, 0)])?;
            thread::sleep(Duration::from_millis(5));
            assert!(!waits.query()?); // the signal was taken
            s.on(&two).signal_semaphores(&[(&semaphore, 0)])?;
            waits.synchronize()?;
            s.on(&two).signal_semaphores(&[(&semaphore, 0)])
        })
        .unwrap();
        let mut number = [0; 8];
        file.read_exact(&mut number).unwrap();
        assert_eq!(u64::from_ne_bytes(number), 1);
    });
}

#[test]
fn the_drop_of_a_semaphore_waits_for_ordered_streams() {
    needs_semaphores!();
    with_gpu(|gpu| {
        for wait_first in [true, false] {
            let (ordered, timeline) = (gpu.ordered_stream().unwrap(), Timeline::new(0));
            let (wait, signal) = (timeline.import(gpu), timeline.import(gpu));
            ordered.wait_semaphores(&[(&wait, 1)]).unwrap();
            let x = ordered.from_slice(&[7_u32; 4]).unwrap();
            ordered.signal_semaphores(&[(&signal, 2)]).unwrap();
            assert_eq!(timeline.value(), 0);
            thread::scope(|threads| {
                threads.spawn(|| {
                    thread::sleep(Duration::from_millis(20));
                    timeline.signal(1);
                });
                let (first, second) = if wait_first { (wait, signal) } else { (signal, wait) };
                drop(first);
                assert_eq!(timeline.value(), 2);
                drop(second);
            });
            assert_eq!(ordered.to_vec(&x).unwrap(), [7; 4]);
        }
    });
}

/// The driver refuses to release them on its thread.
#[test]
fn imports_that_a_host_function_drops_are_released_later() {
    needs_semaphores!();
    fresh!(imports_that_a_host_function_drops_are_released_later, {
        with_gpu(|gpu| {
            let (memory, _) = exported(gpu, 1);
            let (worker, user) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
            let timeline = Timeline::new(0);
            let counted = || {
                let now = live();
                (now.external_memories, now.external_mappings, now.external_semaphores)
            };
            let (mapped, alone) = (import(gpu, &memory), import(gpu, &memory));
            // SAFETY: 1. and 2. Nobody uses the memory.
            let x = unsafe { gpu.map_external_buffer::<u32>(&mapped, 0, 4) }.unwrap();
            let (idle, in_flight) = (timeline.import(gpu), timeline.import(gpu));
            user.wait_semaphores(&[(&in_flight, 1)]).unwrap();
            assert_eq!(counted(), (2, 1, 2));
            let memories = (x.detach(), mapped.detach(), alone.detach());
            let semaphores = (idle.detach(), in_flight.detach());
            worker.host_function(move || drop((memories, semaphores))).unwrap();
            worker.synchronize().unwrap();
            assert_eq!(counted(), (2, 1, 2), "nothing is released there");
            // The semaphore in flight is waited for.
            timeline.signal(1);
            ContextStack::reentrant(|_| Ok(())).unwrap();
            assert_eq!(counted(), (0, 0, 0));
            user.synchronize().unwrap();
        });
    });
}

#[test]
fn graphs_signal_and_wait_at_each_replay() {
    needs_semaphores!();
    with_gpu(|gpu| {
        let (stream, timeline) = (gpu.stream().unwrap(), Timeline::new(0));
        let semaphore = timeline.import(gpu);
        let mut x = gpu.alloc::<u32>(4).unwrap();
        let (mut graph, (wait, signal, none, no_wait)) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                let wait = g.wait_semaphores(&[], &[(&semaphore, 1)])?;
                let fill = g.fill(&[wait.id()], &mut x, 6)?;
                let signal = g.signal_semaphores(&[fill.id()], &[(&semaphore, 2)])?;
                Ok((wait, signal, g.signal_semaphores(&[], &[])?, g.wait_semaphores(&[], &[])?))
            })
            .unwrap();
        let other = timeline.import(gpu);
        drop(semaphore); // the graph keeps it
        for round in 0..3 {
            gpu.scope(|s| {
                let (run, mut x) = (s.on(&stream), s.hold(&mut x));
                run.replay(&graph, (&mut x,))?;
                assert_eq!((run.query()?, timeline.value()), (false, 2 * round));
                timeline.signal(2 * round + 1);
                run.synchronize()
            })
            .unwrap();
            assert_eq!(timeline.value(), 2 * round + 2);
            graph.set_waits(wait, &[(&other, 2 * round + 3)]).unwrap();
            graph.set_signals(signal, &[(&other, 2 * round + 4)]).unwrap();
            let two = graph.set_signals(signal, &[(&other, 1), (&other, 2)]).unwrap_err();
            assert!(two.to_string().contains("2 semaphores were passed"), "{two}");
        }
        // Nodes of no semaphores do nothing, and have nothing to set.
        assert!(matches!(graph.set_signals(none, &[]), Err(Error::InvalidArgument { .. })));
        assert!(matches!(graph.set_waits(no_wait, &[]), Err(Error::InvalidArgument { .. })));
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [6; 4]);
    });
}

/// Of one brand, by guards whose place is leaked: what the compiler then lets through is refused at run time.
#[test]
fn semaphores_of_another_context_are_refused() {
    needs_semaphores!();
    let [a, b]: [&'static _; 2] =
        [new_context(), new_context()].map(|context| &*Box::leak(Box::new(context)));
    let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut PushedGuard<'static> = Box::leak(Box::new(stack.push(a).unwrap()));
    let (timeline, other) = (Timeline::new(9), Timeline::new(9));
    let theirs = other.import(outer);
    let gpu: PushedGuard<'static> = outer.push(b).unwrap();
    let (own, mut stream) = (timeline.import(&gpu), gpu.stream().unwrap());
    let ordered = gpu.ordered_stream().unwrap();
    let (signal, wait) = ("cuSignalExternalSemaphoresAsync", "cuWaitExternalSemaphoresAsync");
    // At each place of the list.
    for mixed in [[(&theirs, 1), (&own, 1)], [(&own, 1), (&theirs, 1)]] {
        let other = |call| Err(Error::OtherContext { call });
        assert_eq!(gpu.on(&stream).signal_semaphores(&mixed), other(signal));
        assert_eq!(gpu.on(&stream).wait_semaphores(&mixed), other(wait));
        assert_eq!(ordered.signal_semaphores(&mixed), other(signal));
        assert_eq!(ordered.wait_semaphores(&mixed), other(wait));
        gpu.scope(|s| {
            assert_eq!(s.on(&stream).signal_semaphores(&mixed), other(signal));
            assert_eq!(s.on(&stream).wait_semaphores(&mixed), other(wait));
            Ok(())
        })
        .unwrap();
        let captured = gpu.capture(&mut stream, |c| c.stream().signal_semaphores(&mixed));
        assert_eq!(captured.map(drop), other(signal));
        let captured = gpu.capture(&mut stream, |c| c.stream().wait_semaphores(&mixed));
        assert_eq!(captured.map(drop), other(wait));
        let built = gpu.build_graph(|g| g.signal_semaphores(&[], &mixed));
        assert_eq!(built.map(drop), other("cuGraphAddExternalSemaphoresSignalNode"));
        let built = gpu.build_graph(|g| g.wait_semaphores(&[], &mixed));
        assert_eq!(built.map(drop), other("cuGraphAddExternalSemaphoresWaitNode"));
        let (mut definition, (signals, waits)) = gpu
            .define_graph(|g| {
                let both = [(&own, 1), (&own, 1)];
                Ok((g.signal_semaphores(&[], &both)?, g.wait_semaphores(&[], &both)?))
            })
            .unwrap();
        let refused = definition.set_signals(signals, &mixed);
        assert_eq!(refused, other("cuGraphExternalSemaphoresSignalNodeSetParams"));
        let refused = definition.set_waits(waits, &mixed);
        assert_eq!(refused, other("cuGraphExternalSemaphoresWaitNodeSetParams"));
        let mut graph = definition.into_graph(&gpu).unwrap();
        let refused = graph.set_signals(signals, &mixed);
        assert_eq!(refused, other("cuGraphExecExternalSemaphoresSignalNodeSetParams"));
        let refused = graph.set_waits(waits, &mixed);
        assert_eq!(refused, other("cuGraphExecExternalSemaphoresWaitNodeSetParams"));
    }
    // Refused operations were not made.
    assert_eq!((timeline.value(), other.value()), (9, 9));
    gpu.pop().unwrap();
}

#[test]
fn a_graph_keeps_its_semaphores_until_it_ends() {
    needs_semaphores!();
    fresh!(a_graph_keeps_its_semaphores_until_it_ends, {
        with_gpu(|gpu| {
            let timeline = Timeline::new(0);
            let [waited, signalled, later] = [(); 3].map(|()| timeline.import(gpu));
            let (mut graph, (wait, signal)) = gpu
                .build_graph(|g| {
                    let wait = g.wait_semaphores(&[], &[(&waited, 0)])?;
                    Ok((wait, g.signal_semaphores(&[wait.id()], &[(&signalled, 1)])?))
                })
                .unwrap();
            drop((waited, signalled));
            assert_eq!(live().external_semaphores, 3);
            graph.set_signals(signal, &[(&later, 2)]).unwrap();
            drop(later);
            assert_eq!(live().external_semaphores, 3, "it keeps what it was changed to");
            for value in 3..common::fewer(1000, 6) as u64 {
                graph.set_signals(signal, &[(&timeline.import(gpu), value)]).unwrap();
                graph.set_waits(wait, &[(&timeline.import(gpu), 0)]).unwrap();
                assert_eq!(live().external_semaphores, 4, "and what copies use");
            }
            drop(graph);
            assert_eq!(live().external_semaphores, 0);

            let semaphore = timeline.import(gpu);
            let (mut definition, (wait, signal)) = gpu
                .define_graph(|g| {
                    let wait = g.wait_semaphores(&[], &[(&semaphore, 0)])?;
                    Ok((wait, g.signal_semaphores(&[wait.id()], &[(&semaphore, 1)])?))
                })
                .unwrap();
            drop(semaphore);
            for value in 1..common::fewer(1000, 6) as u64 {
                definition.set_signals(signal, &[(&timeline.import(gpu), value)]).unwrap();
                definition.set_waits(wait, &[(&timeline.import(gpu), 0)]).unwrap();
                assert_eq!(live().external_semaphores, 2);
            }
        });
    });
}

#[test]
fn definitions_change_what_their_graphs_signal() {
    needs_semaphores!();
    with_gpu(|gpu| {
        let (stream, timeline, other) = (gpu.stream().unwrap(), Timeline::new(5), Timeline::new(0));
        let (semaphore, second) = (timeline.import(gpu), other.import(gpu));
        let (mut definition, (wait, signal)) = gpu
            .define_graph(|g| {
                let wait = g.wait_semaphores(&[], &[(&semaphore, 1)])?;
                Ok((wait, g.signal_semaphores(&[wait.id()], &[(&semaphore, 6)])?))
            })
            .unwrap();
        let before = definition.instantiate(gpu).unwrap();
        definition.set_waits(wait, &[(&semaphore, 6)]).unwrap();
        definition.set_signals(signal, &[(&second, 8)]).unwrap();
        drop((semaphore, second)); // the definition keeps them
        let after = definition.into_graph(gpu).unwrap();
        gpu.on(&stream).replay(&before, ()).unwrap();
        assert_eq!((timeline.value(), other.value()), (6, 0));
        gpu.on(&stream).replay(&after, ()).unwrap();
        assert_eq!((timeline.value(), other.value()), (6, 8));
    });
}

#[test]
fn captures_keep_their_semaphores() {
    needs_semaphores!();
    fresh!(captures_keep_their_semaphores, {
        captured_semaphores();
    });
}

fn captured_semaphores() {
    with_gpu(|gpu| {
        let semaphores = || live().external_semaphores;
        let before = semaphores();
        let (mut stream, timeline) = (gpu.stream().unwrap(), Timeline::new(0));
        let mut x = gpu.alloc::<u32>(4).unwrap();
        let graph = {
            let (wait, signal) = (timeline.import(gpu), timeline.import(gpu));
            gpu.capture(&mut stream, |c| {
                let mut x = c.hold(&mut x);
                c.stream().wait_semaphores(&[(&wait, 1)])?;
                c.stream().fill(&mut x, 4)?;
                c.stream().signal_semaphores(&[(&signal, 2)])
            })
            .unwrap()
        };
        assert_eq!((timeline.value(), semaphores() - before), (0, 2));
        timeline.signal(1);
        gpu.on(&stream).replay(&graph, (&mut x,)).unwrap();
        assert_eq!((timeline.value(), gpu.on(&stream).to_vec(&x).unwrap()), (2, vec![4; 4]));
        drop(graph);
        let spoilt = gpu.capture(&mut stream, |c| {
            gpu.synchronize().expect_err("it spoils the capture");
            c.stream().signal_semaphores(&[(&timeline.import(gpu), 3)])
        });
        let error = spoilt.expect_err("it is spoilt").to_string();
        assert!(error.contains("spoilt the capture"), "{error}");
        assert_eq!((timeline.value(), semaphores()), (2, before));
    });
}

/// The driver itself may wait in the call that destroys one; nobody says that it does.
#[test]
fn the_drop_of_a_semaphore_waits_for_each_stream_that_used_it() {
    needs_semaphores!();
    with_gpu(|gpu| {
        let (ordered, timeline) = (gpu.ordered_stream().unwrap(), Timeline::new(1));
        let (wait, signal) = (timeline.import(gpu), timeline.import(gpu));
        ordered.wait_semaphores(&[(&wait, 1)]).unwrap();
        ordered.signal_semaphores(&[(&signal, 2)]).unwrap();
        for semaphore in [signal, wait] {
            let ((), calls) = record(|| drop(semaphore));
            assert!(calls.contains(&"cuStreamSynchronize"), "{calls:?}");
        }
    });
}

#[test]
fn a_semaphore_of_another_context_is_refused() {
    needs_semaphores!();
    let (one, two) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let timeline = Timeline::new(1);
    let detached = timeline.import(&stack.push(&one).unwrap()).detach();
    assert!(stack.push(&two).unwrap().attach(detached).is_err());
}

/// Nothing of an import is left, in whichever order its parts are dropped, and in whichever order the work runs.
#[test]
fn nothing_of_an_import_is_left() {
    needs_semaphores!();
    fresh!(nothing_of_an_import_is_left, {
        for seed in 0..8 {
            schedule::seed(seed);
            let context = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let before = live();
            {
                let ((memory, _), timeline) = (exported(&gpu, 1), Timeline::new(0));
                let (external, semaphore) = (import(&gpu, &memory), timeline.import(&gpu));
                // SAFETY: 1. and 2. Nothing else uses the memory.
                let x = unsafe { gpu.map_external_buffer::<u32>(&external, 0, 4) }.unwrap();
                let counts = live();
                assert_eq!(
                    (
                        counts.external_memories,
                        counts.external_mappings,
                        counts.external_semaphores
                    ),
                    (1, 1, 1)
                );
                let ordered = gpu.ordered_stream().unwrap();
                let mut x = ordered.adopt(x).unwrap();
                ordered.wait_semaphores(&[(&semaphore, 1)]).unwrap();
                ordered.fill(&mut x, 1).unwrap();
                ordered.signal_semaphores(&[(&semaphore, 2)]).unwrap();
                timeline.signal(1);
                if seed % 2 == 0 {
                    drop((semaphore, external, x));
                } else {
                    drop((x, external, semaphore));
                }
                assert_eq!(timeline.value(), 2);
            }
            assert_eq!(live(), before);
        }
        schedule::stop();
    });
}

#[test]
fn a_dma_buf_has_whole_pages_of_a_buffer() {
    with_gpu(|gpu| {
        const CALL: &str = "cuMemGetHandleForAddressRange";
        for buffer in [gpu.alloc::<u8>(0).unwrap(), gpu.alloc::<u8>((4 << 20) + 1).unwrap()] {
            let error = gpu.export_dma_buf(&buffer).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { call: CALL, .. }), "{error}");
        }
        let buffer = gpu.alloc::<u32>(1 << 20).unwrap();
        let exported = gpu.export_dma_buf(&buffer);
        let has = ffi::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED;
        if gpu.device().attribute(has).unwrap() == 0 {
            assert_eq!(exported.unwrap_err().code(), Some(ffi::CUDA_ERROR_NOT_SUPPORTED));
        } else {
            let bytes = File::from(exported.unwrap()).seek(SeekFrom::End(0)).unwrap();
            assert_eq!(bytes, 4 << 20);
        }
    });
}
