//! Streams, events and memory of other code: used as others are, never ended here, and kept alive until nothing of this
//! crate uses them.
#![allow(unsafe_code, reason = "plays other code that owns handles")]

use crate::common::gpu::{downloaded, kernel, new_context, with_gpu};
use crate::common::kernels::{SPIN, STORE};
use crate::common::{UNWINDS, longer};
use crate::{common, fresh, skip};
use cuscope::memory::BufferKind;
use cuscope::{
    ContextStack, DeviceBuffer, Error, LaunchConfig, OrderedStream, PushedGuard, StreamFlags, ffi,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEN: usize = 64;
/// For a kernel that is to be running still after some calls.
const LONG: Duration = longer(Duration::from_millis(200));

fn ok(code: ffi::CUresult) {
    assert_eq!(code, ffi::CUDA_SUCCESS);
}

/// Calls a function when it is dropped. It is `Send`, and not `Sync`.
struct Keep<F: FnMut()>(std::cell::RefCell<F>);

impl<F: FnMut()> Drop for Keep<F> {
    fn drop(&mut self) {
        self.0.get_mut()();
    }
}

fn keep(f: impl FnMut() + Send + 'static) -> Keep<impl FnMut() + Send + 'static> {
    Keep(std::cell::RefCell::new(f))
}

/// Counts its drops.
#[derive(Clone, Default)]
struct Drops(Arc<AtomicUsize>);

impl Drops {
    fn keep(&self) -> impl Send + 'static + use<> {
        let count = self.0.clone();
        keep(move || _ = count.fetch_add(1, Ordering::SeqCst))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A stream as other code creates it.
fn new_stream(flags: u32) -> ffi::CUstream {
    let mut raw = ptr::null_mut();
    // SAFETY: writes one handle to `raw`, which is valid for it; a context is current.
    ok(unsafe { ffi::cuStreamCreate(&raw mut raw, flags) });
    raw
}

fn destroy_stream(raw: ffi::CUstream) {
    // SAFETY: other code owns the stream, and this crate has no use for it any more.
    ok(unsafe { ffi::cuStreamDestroy_v2(raw) });
}

/// Memory as other code allocates it.
fn new_memory(bytes: usize) -> ffi::CUdeviceptr {
    let mut address = 0;
    // SAFETY: writes one address to `address`, which is valid for it; a context is current.
    ok(unsafe { ffi::cuMemAlloc_v2(&raw mut address, bytes) });
    address
}

/// Frees memory that is not freed: a second free would fail.
fn free(address: ffi::CUdeviceptr) {
    // SAFETY: other code owns the memory, and this crate has no use for it any more.
    ok(unsafe { ffi::cuMemFree_v2(address) });
}

/// A buffer of memory that other code frees when it is told to, with how often that was.
fn theirs<'ctx>(gpu: &PushedGuard<'ctx>) -> (DeviceBuffer<'ctx, u32>, Drops) {
    let (address, drops) = (new_memory(LEN * 4), Drops::default());
    let mut counted = Some(drops.keep());
    let end = keep(move || {
        free(address);
        drop(counted.take());
    });
    // SAFETY: 1. to 3. `end` frees the memory, on any thread; nothing else uses it.
    (unsafe { gpu.buffer_from_raw(address, LEN, end) }.unwrap(), drops)
}

#[test]
fn a_stream_of_other_code_is_used_and_not_destroyed() {
    with_gpu(|gpu| {
        for (bits, flags) in [(0, StreamFlags::empty()), (1, StreamFlags::NON_BLOCKING)] {
            let (raw, drops) = (new_stream(bits), Drops::default());
            // SAFETY: 1. It is destroyed below. 2. and 3. Nobody captures it, and `keep` counts.
            let stream = unsafe { gpu.stream_from_raw(raw, drops.keep()) }.unwrap();
            assert_eq!((stream.raw(), stream.flags().unwrap()), (raw, flags));
            let mut x = gpu.on(&stream).alloc::<u32>(LEN).unwrap();
            gpu.on(&stream).fill(&mut x, 7).unwrap();
            gpu.scope(|s| s.on(&stream).zero(&mut s.hold(&mut x))).unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [0; LEN]);
            let detached = stream.detach();
            assert_eq!(drops.count(), 0);
            drop(detached);
            assert_eq!(drops.count(), 0, "the buffer is freed in its order");
            drop(x);
            assert_eq!(drops.count(), 1);
            destroy_stream(raw);
        }
    });
}

#[test]
fn handles_that_are_no_streams_of_the_context_are_refused() {
    let other = new_context();
    with_gpu(|gpu| {
        let drops = Drops::default();
        for raw in [ptr::null_mut(), ffi::CU_STREAM_LEGACY, ffi::CU_STREAM_PER_THREAD] {
            // SAFETY: 1. One of those that are no streams.
            let refused = unsafe { gpu.stream_from_raw(raw, drops.keep()) }.unwrap_err();
            assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
            assert!(refused.to_string().contains("default stream"), "{refused}");
        }
        let raw = {
            let _other = gpu.push(&other).unwrap();
            new_stream(1)
        };
        // SAFETY: 1. It is destroyed below. 2. and 3. Nobody captures it, and `keep` counts.
        let refused = unsafe { gpu.stream_from_raw(raw, drops.keep()) }.unwrap_err();
        assert_eq!(refused, Error::OtherContext { call: "cuStreamGetCtx" });
        destroy_stream(raw);
        // SAFETY: 1. Null.
        let refused = unsafe { gpu.event_from_raw(ptr::null_mut(), drops.keep()) }.unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
        assert_eq!(drops.count(), 5, "what would have kept them is dropped");
    });
}

#[test]
fn memory_that_cannot_be_elements_is_refused() {
    with_gpu(|gpu| {
        let drops = Drops::default();
        let (there, on_the_host) = (gpu.alloc::<u32>(4).unwrap(), [0_u32; 4]);
        let freed = gpu.alloc::<u32>(4).unwrap().address();
        let pageable = on_the_host.as_ptr().addr() as ffi::CUdeviceptr;
        const ACCESS: ffi::CUdevice_attribute = ffi::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
        // A device that uses all memory of the host knows none of it.
        let unknown = gpu.device().attribute(ACCESS).unwrap() == 0;
        let unknown = [(freed, 4), (pageable, 4), (there.address(), 1 << 40)]
            .map(|(at, len)| if unknown { (at, len, "knows no memory") } else { (0, len, "null") });
        let other = [(0, 4, "null"), (4098, 4, "aligned"), (!0 - 7, 4, "end of the address space")];
        for (address, len, word) in other.into_iter().chain(unknown) {
            // SAFETY: refused before anything uses it.
            let refused = unsafe { gpu.buffer_from_raw::<u32>(address, len, drops.keep()) };
            let refused = refused.unwrap_err();
            assert_eq!(refused.call(), Some("PushedGuard::buffer_from_raw"));
            assert!(refused.to_string().contains(word), "{refused}");
        }
        // SAFETY: as above.
        assert!(unsafe { gpu.buffer_from_raw::<u64>(4096, usize::MAX / 4, drops.keep()) }.is_err());
        assert_eq!(drops.count(), 7);
    });
}

#[test]
fn a_capture_does_not_capture_a_stream_of_other_code() {
    with_gpu(|gpu| {
        let (raw, other) = (new_stream(1), new_stream(1));
        let drops = Drops::default();
        // SAFETY: 1. They are destroyed below. 2. and 3. Nobody else captures them, and `keep` counts.
        let [mut stream, mut side] =
            [raw, other].map(|raw| unsafe { gpu.stream_from_raw(raw, drops.keep()) }.unwrap());
        let (mut x, mut y) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(LEN).unwrap());
        let graph = gpu.capture(&mut stream, |c| {
            let side = c.fork(&mut side)?;
            side.fill(&mut c.hold(&mut x), 1)?;
            c.stream().fill(&mut c.hold(&mut y), 2)?;
            for raw in [raw, other] {
                let mut status = ffi::CU_STREAM_CAPTURE_STATUS_NONE;
                // SAFETY: the stream is alive; writes one status to `status`, which is valid for it.
                ok(unsafe { ffi::cuStreamIsCapturing(raw, &raw mut status) });
                assert_eq!(status, ffi::CU_STREAM_CAPTURE_STATUS_NONE);
            }
            Ok(())
        });
        gpu.on(&stream).replay(&graph.unwrap(), (&mut x, &mut y)).unwrap();
        assert_eq!(downloaded(gpu, &stream, &x), [1; LEN]);
        assert_eq!(downloaded(gpu, &side, &y), [2; LEN]);
        drop((stream, side));
        assert_eq!(drops.count(), 2);
        destroy_stream(raw);
        destroy_stream(other);
    });
}

#[test]
fn an_event_of_other_code_orders_work_and_is_not_destroyed() {
    with_gpu(|gpu| {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it; a context is current.
        ok(unsafe { ffi::cuEventCreate(&raw mut raw, 0) });
        let drops = Drops::default();
        // SAFETY: 1. It is destroyed below. 2. It is of the current context. 3. `keep` counts.
        let event = unsafe { gpu.event_from_raw(raw, drops.keep()) }.unwrap();
        let stream = gpu.stream().unwrap();
        gpu.on(&stream).record(&event).unwrap();
        gpu.on(&stream).wait(&event).unwrap();
        event.synchronize().unwrap();
        assert!(event.query().unwrap());
        let graph = gpu.build_graph(|b| b.record(&[], &event)).unwrap().0;
        drop(event);
        assert_eq!(drops.count(), 0, "the graph has it");
        drop(graph);
        assert_eq!(drops.count(), 1);
        // SAFETY: other code owns the event, and this crate has no use for it any more.
        ok(unsafe { ffi::cuEventDestroy_v2(raw) });
    });
}

#[test]
fn memory_of_other_code_is_used_and_freed_by_it_alone() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (mut x, drops) = theirs(gpu);
        assert_eq!(x.kind(), BufferKind::Foreign);
        gpu.on(&stream).fill(&mut x.slice_mut(1..).unwrap(), 7).unwrap();
        gpu.on(&stream).upload(&[9], &mut x.slice_mut(..1).unwrap()).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x.slice(..3).unwrap()).unwrap(), [9, 7, 7]);
        let graph = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 3)).unwrap();
        gpu.on(&stream).replay(&graph, (&mut x,)).unwrap();
        assert_eq!(downloaded(gpu, &stream, &x), [3; LEN]);
        let detached = x.detach();
        std::thread::spawn(move || drop(detached)).join().unwrap();
        assert_eq!(drops.count(), 0, "the graph has it");
        drop(graph);
        assert_eq!(drops.count(), 1);
    });
}

/// Keeps an ordered stream busy, and then writes the buffer.
fn busy<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    x: &mut cuscope::OrderedBuffer<u32>,
) {
    let spin = kernel(gpu, SPIN, "spin");
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { ordered.launch_unchecked(&spin, LaunchConfig::new(1, 1), (LONG.as_nanos() as u64,)) }
        .unwrap();
    ordered.fill(x, 5).unwrap();
}

#[test]
fn an_ordered_stream_gives_memory_back_when_the_device_is_done() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let other = gpu.ordered_stream().unwrap();
        let raw = ordered.raw() as usize;
        let done = Arc::new(Mutex::new(Vec::new()));
        let ask = || {
            let (address, done) = (new_memory(LEN * 4), done.clone());
            let end = keep(move || {
                // SAFETY: the stream is alive.
                done.lock().unwrap().push(unsafe { ffi::cuStreamQuery(raw as ffi::CUstream) });
                free(address);
            });
            // SAFETY: 1. to 3. `end` frees the memory, on any thread; nothing else uses it.
            unsafe { gpu.buffer_from_raw::<u32>(address, LEN, end) }.unwrap()
        };
        let mut dropped = ordered.adopt(ask()).unwrap();
        busy(gpu, &ordered, &mut dropped);
        drop(dropped);
        let mut shared = ordered.adopt(ask()).unwrap();
        busy(gpu, &ordered, &mut shared);
        let shared = shared.share();
        other.copy(&shared, &mut other.alloc(LEN).unwrap()).unwrap();
        drop(shared);
        let mut moved = ordered.adopt(ask()).unwrap();
        busy(gpu, &ordered, &mut moved);
        drop(other.hand_over(moved).unwrap());
        let mut idle = ordered.adopt(ask()).unwrap();
        busy(gpu, &ordered, &mut idle);
        let idle = idle.into_idle(gpu).unwrap();
        assert_eq!(idle.kind(), BufferKind::Foreign);
        assert_eq!(downloaded(gpu, ordered.stream(gpu).unwrap(), &idle), [5; LEN]);
        drop(idle);
        assert_eq!(*done.lock().unwrap(), [ffi::CUDA_SUCCESS; 4]);
        assert_eq!(ordered.usage().used, 0);
    });
}

#[test]
fn a_stream_of_other_code_owns_the_order_of_memory() {
    with_gpu(|gpu| {
        let (raw, drops) = (new_stream(1), Drops::default());
        // SAFETY: 1. It is destroyed below. 2. and 3. Nobody captures it, and `keep` counts.
        let stream = unsafe { gpu.stream_from_raw(raw, drops.keep()) }.unwrap();
        let ordered = gpu.ordered_stream_with(stream, &Default::default()).unwrap();
        let x = ordered.from_slice(&[1_u32, 2]).unwrap();
        assert_eq!(ordered.to_vec(&x).unwrap(), [1, 2]);
        drop(ordered);
        assert_eq!(drops.count(), 0);
        drop(x);
        assert_eq!(drops.count(), 1);
        destroy_stream(raw);
    });
}

#[test]
fn memory_whose_stream_cannot_be_waited_for_stays() {
    use cuscope_softdriver::faults::{Fault, Which, with_fault};
    fresh!(memory_whose_stream_cannot_be_waited_for_stays, {
        if !common::software() {
            skip!("only the software driver fails on demand");
        }
        static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
        cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.to_string()));
        with_gpu(|gpu| {
            let ordered = gpu.ordered_stream().unwrap();
            let (x, drops) = theirs(gpu);
            let address = x.address();
            let x = ordered.adopt(x).unwrap();
            let code = ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            let which = Which::Named("cuStreamSynchronize");
            let ((), failed) = with_fault(Fault { which, code, performed: false }, || drop(x));
            assert!(!failed.is_empty());
            assert_eq!((drops.count(), REPORTED.lock().unwrap().len()), (0, 1), "it is leaked");
            free(address);
        });
    });
}

#[test]
fn the_keeper_of_memory_may_panic_and_use_this_crate() {
    with_gpu(|gpu| {
        let context = gpu.context().clone();
        let (address, inside) = (new_memory(64), new_context());
        let ran = Drops::default();
        let count = ran.0.clone();
        let end = keep(move || {
            free(address);
            ContextStack::reentrant(|stack| stack.push(&inside)?.alloc::<u8>(1).map(drop)).unwrap();
            context.synchronize().unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            if UNWINDS {
                panic!("in the drop of what keeps memory")
            }
        });
        // SAFETY: 1. to 3. `end` frees the memory, on any thread; nothing else uses it.
        let x = unsafe { gpu.buffer_from_raw::<u8>(address, 64, end) }.unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        drop(ordered.adopt(x).unwrap());
        assert_eq!(ran.0.load(Ordering::SeqCst), 1);
        gpu.synchronize().unwrap();
    });
}

/// A handle of this crate, handed out and taken in again.
#[test]
fn a_detached_handle_keeps_itself() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (x, drops) = theirs(gpu);
        let (address, len) = (x.address(), x.len());
        // SAFETY: 1. to 3. The detached buffer is the owner of the memory, and nothing else uses it.
        let mut bytes = unsafe { gpu.buffer_from_raw::<u8>(address, len * 4, x.detach()) }.unwrap();
        gpu.on(&stream).fill(&mut bytes, 1).unwrap();
        assert_eq!(drops.count(), 0);
        drop(bytes);
        assert_eq!(drops.count(), 1);
    });
}

/// Fills the elements at an address, as another library would.
fn fill(stream: ffi::CUstream, address: ffi::CUdeviceptr, value: u32) {
    // SAFETY: the tests pass addresses of `LEN` elements, and streams that are alive.
    ok(unsafe { ffi::cuMemsetD32Async(address, value, LEN, stream) });
}

/// Copies elements, likewise.
fn copy(stream: ffi::CUstream, from: ffi::CUdeviceptr, to: ffi::CUdeviceptr) {
    // SAFETY: as above.
    ok(unsafe { ffi::cuMemcpyDtoDAsync_v2(to, from, LEN * 4, stream) });
}

#[test]
fn foreign_work_on_a_stream_is_complete_when_it_returns() {
    with_gpu(|gpu| {
        let (stream, spin) = (gpu.stream().unwrap(), kernel(gpu, SPIN, "spin"));
        let mut x = gpu.alloc::<u32>(LEN).unwrap();
        let on = gpu.on(&stream);
        let spinning = || {
            let time = (LONG.as_nanos() as u64,);
            // SAFETY: the kernel is spin(u64), and uses no memory.
            unsafe { on.launch_unscoped(&spin, LaunchConfig::new(1, 1), time) }.unwrap();
        };
        spinning();
        // SAFETY: 1. to 3. The work is one fill of the buffer, in the stream.
        let value = unsafe {
            on.foreign((&mut x, 7), |raw, (x, value)| {
                fill(raw, x, value as u32);
                value
            })
        };
        assert_eq!(value, Ok(7));
        assert!(stream.query().unwrap());
        spinning();
        // SAFETY: as above.
        let ended = catch_unwind(AssertUnwindSafe(|| unsafe {
            on.foreign((&mut x,), |raw, (x,)| {
                fill(raw, x, 8);
                if UNWINDS {
                    panic!("in the work of other code")
                }
            })
        }));
        assert!(ended.is_err() == UNWINDS && stream.query().unwrap(), "it waited");
        assert_eq!(on.to_vec(&x).unwrap(), [8; LEN]);
    });
}

#[test]
fn a_scope_orders_foreign_work_by_its_arguments() {
    with_gpu(|gpu| {
        let streams = [(); 3].map(|()| gpu.stream().unwrap());
        let (spin, store) = (kernel(gpu, SPIN, "spin"), kernel(gpu, STORE, "store"));
        let (mut x, mut y) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(LEN).unwrap());
        let mut pinned = gpu.pinned::<u32>(LEN).unwrap();
        let mut host = [0; LEN];
        gpu.scope(|s| {
            let [one, two, three] = [0, 1, 2].map(|at| s.on(&streams[at]));
            let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
            let mut pinned = s.map(&mut pinned);
            // SAFETY: the kernel is spin(u64), and uses no memory.
            unsafe {
                one.launch_unchecked(&spin, LaunchConfig::new(1, 1), (LONG.as_nanos() as u64,))
            }?;
            // SAFETY: 1. to 4. The work is one fill of the buffer, in the stream.
            unsafe { one.foreign((&mut x,), |raw, (x,)| fill(raw, x, 7)) }?;
            // SAFETY: 1. to 4. The work is one copy between the buffers, in the stream.
            unsafe {
                two.foreign((&x, &mut y, &mut pinned), |raw, (from, to, host)| {
                    copy(raw, from, to);
                    fill(raw, host, 4);
                })
            }?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { three.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut y, 9_u32)) }?;
            one.zero(&mut x)?;
            three.download(&y, &mut host)
        })
        .unwrap();
        assert_eq!((host[0], &host[1..]), (9, &[7; LEN - 1][..]));
        assert_eq!(pinned[..], [4; LEN]);
        // With one stream there is nothing to order after what it did with the memory.
        gpu.scope(|s| {
            let (one, mut x) = (s.on(&streams[0]), s.hold(&mut x));
            one.fill(&mut x, 1)?;
            // SAFETY: 1. to 4. The work is one fill of the buffer, in the stream.
            unsafe { one.foreign((&mut x,), |raw, (x,)| fill(raw, x, 8)) }?;
            one.download(&x, &mut host)
        })
        .unwrap();
        assert_eq!(host, [8; LEN]);
    });
}
