//! Work that outlives the function that starts it: memory that belongs to a stream, whatever the program does with it.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SAXPY, SPIN, STORE};
use crate::common::{UNWINDS, fewer, longer, until};
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::memory::Location;
use cuscope::ordered::OrderedOptions;
use cuscope::{
    ContextStack, Detached, Device, Error, Function, LaunchConfig, MemoryPool, OrderedBuffer,
    OrderedStream, PushContext, PushedGuard, Result, SharedBuffer, ffi,
};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

const LEN: usize = 64;
/// For a kernel that is to be running still after some calls.
const LONG: Duration = longer(Duration::from_millis(300));

/// Keeps a stream busy.
fn spin<'ctx>(ordered: &OrderedStream, kernel: &Function<'ctx>, time: Duration) -> Result {
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (time.as_nanos() as u64,)) }
}

/// Starts `y = a * x + y`, and frees `x`.
fn saxpy<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    a: f32,
    x: OrderedBuffer<f32>,
    y: &mut OrderedBuffer<f32>,
) -> Result {
    let n = x.len() as u32;
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over `n` elements.
    unsafe {
        ordered.launch_unchecked(kernel, LaunchConfig::new(n.div_ceil(32), 32), (n, a, &x, y))
    }
}

#[test]
fn memory_is_dropped_moved_and_used_while_work_on_it_is_in_flight() {
    with_gpu(|gpu| {
        let (saxpy_kernel, spinner) = (kernel(gpu, SAXPY, "saxpy"), kernel(gpu, SPIN, "spin"));
        let ordered = gpu.ordered_stream().unwrap();
        let start = Instant::now();
        spin(&ordered, &spinner, LONG).unwrap();
        let mut y = ordered.from_slice(&[1.0_f32; LEN]).unwrap();
        for step in 0..8 {
            let x = ordered.from_slice(&[step as f32; LEN]).unwrap();
            saxpy(&ordered, &saxpy_kernel, 2.0, x, &mut y).unwrap();
        }
        let moved = Box::new(y);
        let waited = start.elapsed() >= LONG;
        assert!(waited || !ordered.query().unwrap() || start.elapsed() >= LONG);
        assert_eq!(ordered.to_vec(&*moved).unwrap(), [57.0; LEN]);
        assert!(start.elapsed() >= LONG / 2, "the download waits");
    });
}

#[test]
fn parts_and_rows_are_those_of_buffers() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let mut x = ordered.zeroed::<u32>(8).unwrap();
        {
            let (mut low, mut high) = x.split_at_mut(4).unwrap();
            ordered.fill(&mut high, 7).unwrap();
            ordered.copy(&high.slice(..2).unwrap(), &mut low.slice_mut(1..3).unwrap()).unwrap();
        }
        for mut chunk in x.chunks_mut(7).unwrap().skip(1) {
            ordered.fill(&mut chunk, 9).unwrap();
        }
        assert_eq!(ordered.to_vec(&x).unwrap(), [0, 7, 7, 0, 7, 7, 7, 9]);
        assert_eq!(ordered.to_vec(&x.slice(6..).unwrap()).unwrap(), [7, 9]);
        assert_eq!((x.len(), x.is_empty()), (8, false));
        assert!(x.slice(3..3).unwrap().is_empty());
        assert_eq!(x.chunks(3).unwrap().map(|chunk| chunk.len()).collect::<Vec<_>>(), [3, 3, 2]);

        let mut rows = ordered.alloc_pitched::<u32>((3, 2)).unwrap();
        assert_eq!((rows.pitch(), rows.len(), rows.extent().height), (512, 6, 2));
        ordered.upload(&[1, 2, 3, 4, 5, 6], &mut rows).unwrap();
        ordered.fill(&mut rows.part_mut(1..2, .., ..).unwrap(), 0).unwrap();
        assert_eq!(ordered.to_vec(&rows).unwrap(), [1, 0, 3, 4, 0, 6]);
        ordered.copy(&rows.part(.., 1.., ..).unwrap(), &mut x.slice_mut(..3).unwrap()).unwrap();
        assert_eq!(ordered.to_vec(&x.slice(..3).unwrap()).unwrap(), [4, 0, 6]);
        let refused = x.slice(3..9).err();
        assert_eq!(refused.and_then(|error| error.call()), Some("DeviceBuffer::slice"));
    });
}

#[test]
fn memory_of_another_stream_is_refused_until_it_is_handed_over() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (one, two) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let mut x = one.zeroed::<u32>(LEN).unwrap();
        let refused = |result: Result| matches!(result, Err(Error::OtherStream { .. }));
        assert!(refused(two.fill(&mut x, 1)));
        assert!(refused(two.download(&x, &mut [0; LEN])));
        assert!(refused(two.copy(&x, &mut two.alloc(LEN).unwrap())));
        spin(&one, &spinner, LONG / 4).unwrap();
        one.fill(&mut x, 5).unwrap();
        let mut x = two.hand_over(x).unwrap();
        assert!(refused(one.fill(&mut x, 1)), "it left");
        assert_eq!(two.to_vec(&x).unwrap(), [5; LEN], "behind the fill");
        assert_eq!((one.usage().used, two.usage().used), (0, 512));
        drop(x);
        assert_eq!((one.usage().kept, two.usage().kept), (0, 1024), "kept where it was last");
        let x = two.hand_over(two.zeroed::<u32>(1).unwrap()).unwrap();
        assert_eq!(two.to_vec(&x).unwrap(), [0], "to its own stream");
    });
}

#[test]
fn several_streams_read_shared_memory_behind_what_wrote_it() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let home = gpu.ordered_stream().unwrap();
        let readers = [(); 3].map(|()| gpu.ordered_stream().unwrap());
        // Its memory goes back to the pool, or is the next buffer's at once.
        for keep in [0, 4096] {
            home.keep(keep);
            spin(&home, &spinner, LONG / 4).unwrap();
            let shared = home.from_slice(&[1_u32, 2, 3, 4]).unwrap().share();
            let copies: Vec<_> = (0..)
                .zip(&readers)
                .map(|(at, reader)| {
                    let mut copy = reader.alloc::<u32>(2).unwrap();
                    reader.copy(&shared.slice(1..3).unwrap(), &mut copy).unwrap();
                    // The last one reads the longest.
                    spin(reader, &spinner, LONG / 16 * (1 + at)).unwrap();
                    reader.copy(&shared.slice(2..).unwrap(), &mut copy).unwrap();
                    copy
                })
                .collect();
            let shared = shared.try_unwrap().expect("its only owner");
            drop(shared);
            let _other = home.from_slice(&[9_u32; 4]).unwrap();
            for (reader, copy) in readers.iter().zip(&copies) {
                assert_eq!(reader.to_vec(copy).unwrap(), [3, 4]);
            }
        }
    });
}

#[test]
fn shared_memory_is_its_streams_again_once_it_has_one_owner() {
    with_gpu(|gpu| {
        let (home, reader) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let shared = home.from_slice(&[1_u32; LEN]).unwrap().share();
        let part: SharedBuffer<u32> = shared.slice(..1).unwrap();
        let shared = shared.try_unwrap().expect_err("the part is an owner too");
        assert_eq!((shared.len(), shared.is_empty()), (LEN, false));
        assert_eq!((part.len(), part.slice(1..).unwrap().is_empty()), (1, true));
        drop(part);
        assert_eq!(reader.to_vec(&shared).unwrap(), [1; LEN]);
        let mut x = shared.try_unwrap().unwrap();
        home.fill(&mut x, 2).unwrap();
        assert_eq!(home.to_vec(&x).unwrap(), [2; LEN]);
    });
}

#[test]
fn a_buffer_is_adopted_and_comes_back_idle() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let pool = MemoryPool::create(gpu.device()).unwrap();
        let plain = gpu.alloc::<u32>(LEN).unwrap();
        let pooled = gpu.on(&stream).alloc_from::<u32>(&pool, LEN).unwrap();
        for buffer in [plain, pooled] {
            let kind = buffer.kind();
            let mut buffer = ordered.adopt(buffer).unwrap();
            ordered.fill(&mut buffer, 3).unwrap();
            let buffer = buffer.into_idle(gpu).unwrap();
            assert_eq!(buffer.kind(), kind);
            assert_eq!(gpu.on(&stream).to_vec(&buffer).unwrap(), [3; LEN]);
            drop(ordered.adopt(buffer).unwrap());
        }
        ordered.synchronize().unwrap();
        assert_eq!(pool.usage().unwrap().used, 0);
        let none = ordered.alloc::<u32>(0).unwrap().into_idle(gpu).unwrap();
        let ((), calls) = record(|| drop(none));
        assert!(calls.is_empty(), "there is nothing to free: {calls:?}");
        let mut own = ordered.from_slice(&[4_u32; LEN]).unwrap().into_idle(gpu).unwrap();
        gpu.on(&stream).fill(&mut own, 5).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&own).unwrap(), [5; LEN]);
        let mut rows = ordered.alloc_pitched::<u32>((4, 2)).unwrap();
        ordered.fill(&mut rows, 6).unwrap();
        let rows = rows.into_idle(gpu).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&rows).unwrap(), [6; 8]);
        assert_eq!(ordered.usage().used, 0);
    });
}

#[test]
fn adopted_memory_is_freed_and_an_idle_buffer_keeps_its_pool() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(adopted_memory_is_freed_and_an_idle_buffer_keeps_its_pool, {
        with_gpu(|gpu| {
            let ordered = gpu.ordered_stream().unwrap();
            let plain = gpu.alloc::<u32>(LEN).unwrap();
            let before = live().allocations;
            drop(ordered.adopt(plain).unwrap());
            assert_eq!(live().allocations, before - 1);

            let pool = MemoryPool::create(gpu.device()).unwrap();
            let options = OrderedOptions::new().pool(&pool);
            let pooled = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            // Memory of another pool is not one of the blocks that a stream keeps.
            let moved = pooled.alloc::<u32>(LEN).unwrap();
            let moved = ordered.hand_over(moved).map_err(drop).unwrap();
            drop(moved);
            assert_eq!(ordered.usage().kept, 0);

            let idle = pooled.alloc::<u32>(LEN).unwrap().into_idle(gpu).unwrap();
            drop((pooled, options, pool));
            assert_eq!(live().pools, 1);
            drop(idle);
            assert_eq!(live().pools, 0);
        });
    });
}

#[test]
fn host_memory_moves_into_an_operation_and_comes_back() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let ordered = gpu.ordered_stream().unwrap();
        let mut x = ordered.alloc::<u32>(LEN).unwrap();
        spin(&ordered, &spinner, LONG).unwrap();
        let up = ordered.upload_owned(gpu.pinned_from(&[7; LEN]).unwrap(), &mut x).unwrap();
        let mut down = ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
        if !ordered.query().unwrap() {
            // Asked in this order, since the device goes on meanwhile.
            let early = down.try_get().unwrap();
            assert!(early.is_none() || ordered.query().unwrap());
            if let Some(early) = early {
                assert_eq!(early[..], [7; LEN]);
                return;
            }
        }
        drop(x);
        assert_eq!(up.wait().unwrap()[..], [7; LEN]);
        let down = down.wait().unwrap();
        assert_eq!(down[..], [7; LEN]);
        let mut again = ordered.download_owned(&ordered.zeroed::<u32>(LEN).unwrap(), down).unwrap();
        ordered.synchronize().unwrap();
        assert_eq!(again.try_get().unwrap().unwrap()[..], [0; LEN]);
        assert!(again.try_get().unwrap().is_none(), "it came back");
        let refused =
            ordered.upload_owned(gpu.pinned::<u32>(3).unwrap(), &mut ordered.alloc(4).unwrap());
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::LengthMismatch { from: 3, to: 4, .. }));
        assert_eq!(refused.value.unwrap().len(), 3, "nothing is lost");
    });
}

/// The end of page-locked memory of a pool waits for nothing itself.
#[test]
fn a_value_that_is_dropped_in_flight_waits_for_the_device() {
    let has = ffi::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED;
    if Device::get(0).unwrap().attribute(has).unwrap_or(0) == 0 {
        skip!("no pools of the host");
    }
    let pool = MemoryPool::create(Location::Host).unwrap();
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let ordered = gpu.ordered_stream().unwrap();
        let x = ordered.from_slice(&[5_u32; LEN]).unwrap();
        let pinned = gpu.on(&gpu.stream().unwrap()).alloc_pinned_from(&pool, LEN).unwrap();
        ordered.synchronize().unwrap();
        let start = Instant::now();
        spin(&ordered, &spinner, LONG).unwrap();
        let pending = ordered.download_owned(&x, pinned).unwrap();
        drop(pending);
        assert!(ordered.query().unwrap() && start.elapsed() >= LONG / 2);
    });
}

#[test]
fn more_values_are_pending_than_a_stream_has_events() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let pending: Vec<_> = (0..40_u32)
            .map(|value| {
                let x = ordered.from_slice(&[value; 4]).unwrap();
                ordered.download_owned(&x, gpu.pinned(4).unwrap()).unwrap()
            })
            .collect();
        for (value, pending) in pending.into_iter().enumerate() {
            assert_eq!(pending.wait().unwrap()[..], [value as u32; 4]);
        }
    });
}

#[test]
fn freed_blocks_are_kept_up_to_the_limit_and_used_again() {
    with_gpu(|gpu| {
        let options = OrderedOptions::new().keep(4096);
        let ordered = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
        let first = ordered.alloc::<u8>(1000).unwrap();
        let address = first.address();
        assert_eq!(ordered.usage().used, 1024);
        drop(first);
        let again = ordered.alloc::<u8>(900).unwrap();
        assert_eq!(again.address(), address, "of the same class");
        let others: Vec<_> = (0..8).map(|_| ordered.alloc::<u8>(1024).unwrap()).collect();
        drop(again);
        drop(others);
        assert_eq!(ordered.usage().kept, 4096);
        assert_eq!(ordered.usage().high_water, 9 * 1024);
        // The most that the device had to hold: what is kept counts, too.
        let large = ordered.alloc::<u8>(6 * 1024).unwrap();
        assert_eq!(ordered.usage().high_water, 10 * 1024);
        drop(large);
        ordered.trim(1024);
        assert_eq!(ordered.usage().kept, 1024);
        ordered.keep(0);
        assert_eq!(ordered.usage().kept, 0);
        drop(ordered.alloc::<u8>(1000).unwrap());
        assert_eq!((ordered.usage().used, ordered.usage().kept), (0, 0));
    });
}

#[test]
fn memory_that_runs_out_is_given_back_by_all_streams_of_the_device() {
    // It takes what the streams of other tests keep.
    fresh!(memory_that_runs_out_is_given_back_by_all_streams_of_the_device, {
        with_gpu(|gpu| {
            const MIB: usize = 1 << 20;
            let pool = MemoryPool::create_with_limit(gpu.device(), 64 * MIB).unwrap();
            let options = OrderedOptions::new().pool(&pool).staging(0);
            let make = || gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            let (one, two) = (make(), make());
            let kept = one.alloc::<u8>(48 * MIB).unwrap();
            // The stream's remaining work is waited for.
            let spinner = kernel(gpu, SPIN, "spin");
            spin(&one, &spinner, LONG).unwrap();
            drop(kept);
            assert_eq!(one.usage().kept, 48 * MIB);
            let large = two.alloc::<u8>(40 * MIB).expect("what the other stream keeps comes back");
            assert_eq!(one.usage().kept, 0);
            let none = two.alloc::<u8>(40 * MIB).expect_err("it is used");
            assert_eq!(none.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
            drop(large);
        });
    });
}

#[test]
fn the_ring_is_filled_while_the_device_has_read_none_of_it() {
    with_gpu(|gpu| {
        let options = OrderedOptions::new().staging(64);
        let make = || gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
        let (ordered, rowed) = (make(), make());
        // The second of them does not fit in the segment of the first, and the third needs two.
        let pieces = [vec![1_u8; 1], vec![2; 16], vec![3; 32]];
        let mut all: Vec<_> =
            pieces.iter().map(|piece| ordered.alloc::<u8>(piece.len()).unwrap()).collect();
        // Rows that just fit in a segment.
        let mut rows = rowed.alloc_pitched::<u8>((4, 4)).unwrap();
        // The streams are held here, so nothing of this can wait.
        let go = [&ordered, &rowed].map(|stream| {
            let (go, waits) = channel::<()>();
            stream.host_function(move || waits.recv().unwrap()).unwrap();
            go
        });
        for (from, to) in pieces.iter().zip(&mut all) {
            ordered.upload(from, to).unwrap();
        }
        rowed.upload(&[5; 16], &mut rows).unwrap();
        go.into_iter().for_each(|go| go.send(()).unwrap());
        assert_eq!(rowed.to_vec(&rows).unwrap(), [5; 16]);
        for (from, to) in pieces.iter().zip(&all) {
            assert_eq!(ordered.to_vec(to).unwrap(), *from);
        }
    });
}

#[test]
fn only_memory_that_runs_out_is_asked_for_twice() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    // It takes what the streams of other tests keep.
    fresh!(only_memory_that_runs_out_is_asked_for_twice, {
        with_gpu(|gpu| {
            let ordered = gpu.ordered_stream().unwrap();
            for (code, times) in [(ffi::CUDA_ERROR_OUT_OF_MEMORY, 2), (ffi::CUDA_ERROR_UNKNOWN, 1)]
            {
                let which = Which::Named("cuMemAllocAsync");
                let fault = Fault { which, code, performed: false };
                let (failed, calls) = with_fault(fault, || ordered.alloc::<u32>(LEN).map(drop));
                assert_eq!((failed.unwrap_err().code(), calls.len()), (Some(code), times));
            }
        });
    });
}

#[test]
fn uploads_go_through_the_ring_whatever_their_size() {
    with_gpu(|gpu| {
        for staging in [0, 64, 1024, 1 << 16] {
            let options = OrderedOptions::new().staging(staging);
            let ordered = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            for len in [1, 15, 16, 17, 255, 257, fewer(5000, 700)] {
                let from: Vec<u32> = (0..len as u32).collect();
                let x = ordered.from_slice(&from).unwrap();
                let y = ordered.from_slice(&[from.as_slice(), &from].concat()).unwrap();
                assert_eq!(ordered.to_vec(&x).unwrap(), from, "{len} through {staging}");
                assert_eq!(ordered.to_vec(&y.slice(len..).unwrap()).unwrap(), from);
            }
            let mut rows = ordered.alloc_pitched::<u32>((5, 3)).unwrap();
            let from: Vec<u32> = (0..15).collect();
            ordered.upload(&from, &mut rows).unwrap();
            assert_eq!(ordered.to_vec(&rows).unwrap(), from);
            let short = ordered.upload(&from, &mut ordered.alloc(16).unwrap());
            assert!(matches!(short, Err(Error::LengthMismatch { from: 15, to: 16, .. })));
        }
    });
}

#[test]
fn a_host_function_runs_behind_the_work_and_its_panic_comes_up_in_a_wait() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        ordered.host_function(move || send.send(7).unwrap()).unwrap();
        assert_eq!(receive.recv().unwrap(), 7);
        if !UNWINDS {
            return;
        }
        ordered.host_function(|| panic!("first")).unwrap();
        ordered.host_function(|| panic!("second")).unwrap();
        let waited = catch_unwind(AssertUnwindSafe(|| ordered.synchronize()));
        assert_eq!(*waited.unwrap_err().downcast::<&str>().unwrap(), "first");
        ordered.synchronize().unwrap();
    });
}

/// Panics that nobody asks for end where they are, and so do those of their destructors.
#[test]
fn the_destructors_of_panics_may_panic() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::panic_any(Bomb)
        }
    }
    needs_unwinding!("the panics come up in a wait");
    let bomb = || std::panic::panic_any(Bomb);
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        ordered.host_function(bomb).unwrap();
        ordered.host_function(bomb).unwrap();
        let waited = catch_unwind(AssertUnwindSafe(|| ordered.synchronize()));
        std::mem::forget(waited.unwrap_err().downcast::<Bomb>().unwrap());
        ordered.synchronize().unwrap();
        // This one ends with the stream.
        ordered.host_function(bomb).unwrap();
        until("the function is over", || ordered.query().unwrap());
        let ended = catch_unwind(AssertUnwindSafe(|| drop(ordered)));
        assert_eq!(ended.map_err(std::mem::forget), Ok(()));
    });
}

cuscope::handles! {
    /// The state that a struct keeps between calls.
    struct Model<'ctx> {
        ordered: OrderedStream,
        weights: SharedBuffer<f32>,
        state: OrderedBuffer<f32>,
        saxpy: Function<'ctx>,
    }
}

/// One call of a model, from any thread.
fn advance(stack: &mut impl PushContext, model: &mut Detached<Model<'static>>) -> Result {
    let context = model.context().expect("it has handles");
    let gpu = stack.push(&context)?;
    let Model { ordered, weights, state, saxpy } = gpu.bind_mut(model)?;
    let n = state.len() as u32;
    // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over `n` elements.
    unsafe {
        ordered.launch_unchecked(saxpy, LaunchConfig::new(n, 1), (n, 1.0_f32, &*weights, state))
    }
}

#[test]
fn a_struct_keeps_stream_weights_and_state_across_calls_and_threads() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut model = {
        let gpu = stack.push(&context).unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let weights = ordered.from_slice(&[2.0; LEN]).unwrap().share();
        let state = ordered.zeroed(LEN).unwrap();
        let saxpy = kernel(&gpu, SAXPY, "saxpy");
        Model { ordered, weights, state, saxpy }.detach()
    };
    advance(&mut stack, &mut model).unwrap();
    let model = thread::spawn(move || {
        let mut stack = ContextStack::current_thread().unwrap();
        for _ in 0..3 {
            advance(&mut stack, &mut model).unwrap();
        }
        model
    });
    let mut model = model.join().unwrap();
    advance(&mut stack, &mut model).unwrap();
    let gpu = stack.push(&context).unwrap();
    let model = gpu.attach(model).unwrap();
    assert_eq!(model.ordered.to_vec(&model.state).unwrap(), [10.0; LEN]);
}

#[test]
fn threads_interleave_their_work_on_one_stream() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let shared = ordered.from_slice(&[1_u32; LEN]).unwrap().share();
        thread::scope(|threads| {
            for value in 0..4_u32 {
                let (ordered, shared) = (&ordered, &shared);
                threads.spawn(move || {
                    for _ in 0..fewer(50, 3) {
                        let mut x = ordered.from_slice(&[value; LEN]).unwrap();
                        let mut y = ordered.zeroed::<u32>(LEN).unwrap();
                        ordered.copy(&x, &mut y).unwrap();
                        ordered.copy(shared, &mut x).unwrap();
                        assert_eq!(ordered.to_vec(&y).unwrap(), [value; LEN]);
                        assert_eq!(ordered.to_vec(&x).unwrap(), [1; LEN]);
                    }
                });
            }
        });
    });
}

#[test]
fn work_goes_on_while_another_context_is_current() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let start = |stack: &mut ContextStack, context| {
        let gpu: PushedGuard<'_> = stack.push(context).unwrap();
        let (store, spinner) = (kernel(&gpu, STORE, "store"), kernel(&gpu, SPIN, "spin"));
        let ordered = gpu.ordered_stream().unwrap();
        let mut x = ordered.zeroed::<u32>(1).unwrap();
        spin(&ordered, &spinner, LONG / 8).unwrap();
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { ordered.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut x, 7_u32)) }
            .unwrap();
        ordered.download_owned(&x, gpu.pinned(1).unwrap()).unwrap()
    };
    let first = start(&mut stack, &a);
    let second = start(&mut stack, &b);
    drop((a, b));
    assert_eq!(second.wait().unwrap()[..], [7]);
    assert_eq!(first.wait().unwrap()[..], [7]);
}

#[test]
fn everything_may_end_in_any_order_with_work_in_flight() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    for order in 0..fewer(6, 3) {
        let gpu = stack.push(&context).unwrap();
        let spinner = kernel(&gpu, SPIN, "spin");
        let ordered = gpu.ordered_stream().unwrap();
        spin(&ordered, &spinner, LONG / 16).unwrap();
        let x = ordered.from_slice(&[order as u32; LEN]).unwrap();
        let shared = ordered.from_slice(&[1_u32; LEN]).unwrap().share();
        let other = gpu.ordered_stream().unwrap();
        let mut copy = other.alloc::<u32>(LEN).unwrap();
        other.copy(&shared, &mut copy).unwrap();
        let pending = ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
        drop(gpu);
        match order {
            0 => drop((ordered, x, shared, other, copy)),
            1 => drop((x, shared, ordered, copy, other)),
            2 => drop((other, shared, copy, ordered, x)),
            3 => drop((copy, shared, x, other, ordered)),
            4 => drop((shared, other, copy, x, ordered)),
            _ => std::mem::forget((x, copy, other, ordered, shared)),
        }
        assert_eq!(pending.wait().unwrap()[..], [order as u32; LEN]);
    }
}

#[test]
fn a_pool_of_another_device_and_a_stream_of_another_context_are_refused() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let stream = stack.push(&a).unwrap().stream().unwrap().detach();
    let gpu = stack.push(&b).unwrap();
    assert!(gpu.attach(stream).is_err());
    if let [_, other, ..] = cuscope::Device::all().unwrap()[..] {
        let pool = MemoryPool::create(other).unwrap();
        let options = OrderedOptions::new().pool(&pool);
        let refused = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
    }
}

#[test]
fn a_scope_holds_memory_that_belongs_to_a_stream_behind_its_work() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (ordered, other) = (gpu.ordered_stream().unwrap(), gpu.stream().unwrap());
        let mut x = ordered.alloc::<u32>(LEN).unwrap();
        let mut rows = ordered.alloc_pitched::<u32>((4, 2)).unwrap();
        for first in [&other, ordered.stream(gpu).unwrap()] {
            let mut host = [[0; 8]; 2];
            spin(&ordered, &spinner, LONG / 8).unwrap();
            ordered.fill(&mut x, 5).unwrap();
            ordered.fill(&mut rows, 6).unwrap();
            let (x, [low, high]) = (&mut x, &mut host);
            let (rows, ordered) = (&mut rows, &ordered);
            gpu.scope(|s| {
                let x = s.hold_ordered(x)?;
                let mut rows = s.hold_ordered(rows)?;
                s.on(first).copy(x.slice(..8)?, &mut rows)?;
                s.on(ordered.stream(gpu)?).download(&rows, low)?;
                s.on(&other).fill(&mut rows, 9)?;
                s.on(first).download(&rows, high)
            })
            .unwrap();
            assert_eq!(host, [[5; 8], [9; 8]]);
            ordered.copy(&*rows, &mut x.slice_mut(..8).unwrap()).unwrap();
            assert_eq!(
                ordered.to_vec(&x.slice(..9).unwrap()).unwrap(),
                [9, 9, 9, 9, 9, 9, 9, 9, 5]
            );
        }
    });
}

#[test]
fn a_graph_replays_in_the_order_of_the_stream_and_only_with_its_memory() {
    with_gpu(|gpu| {
        let mix = kernel(gpu, STORE, "store");
        let (ordered, other) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let mut stream = gpu.stream().unwrap();
        let (mut x, mut y) = (ordered.zeroed::<u32>(4).unwrap(), ordered.zeroed::<u32>(4).unwrap());
        let mut graph = gpu
            .capture(&mut stream, |c| {
                let (mut x, mut y) = (c.hold_ordered(&mut x), c.hold_ordered(&mut y));
                c.stream().copy(&x, &mut y)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    c.stream().launch_unchecked(&mix, LaunchConfig::new(1, 1), (&mut x, 3_u32))
                }?;
                c.stream().copy(&x, &mut y)
            })
            .unwrap();
        ordered.fill(&mut x, 8).unwrap();
        ordered.replay(&graph, (&mut x, &mut y)).unwrap();
        ordered.fill(&mut x, 1).unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [3, 8, 8, 8]);
        assert!(graph.is_idle().unwrap(), "the stream has nothing left to do");
        ordered.replay(&graph, (&mut x, &mut y)).unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [3, 1, 1, 1]);

        let refused = ordered.replay(&graph, (&mut x,)).unwrap_err();
        assert!(matches!(refused, Error::GraphBuffers { captured: 2, named: 1, .. }));
        let refused = ordered.replay(&graph, (&x, &mut y)).unwrap_err();
        assert!(matches!(refused, Error::GraphBuffers { captured: 2, named: 2, .. }));
        let refused = other.replay(&graph, (&mut x, &mut y)).unwrap_err();
        assert!(matches!(refused, Error::OtherStream { .. }));
        let (mut x, mut y) = (other.hand_over(x).unwrap(), other.hand_over(y).unwrap());
        other.fill(&mut x, 5).unwrap();
        other.replay(&graph, (&mut x, &mut y)).unwrap();
        // Changed and dropped while it may run: both wait.
        let node = graph.list_nodes().unwrap()[0];
        graph
            .set_enabled(node, false)
            .map_or_else(|error| assert!(error.call().is_some()), |()| ());
        other.replay(&graph, (&mut x, &mut y)).unwrap();
        drop(graph);
        assert_eq!(other.to_vec(&y).unwrap(), [3, 5, 5, 5]);
    });
}

#[test]
fn a_graph_reads_memory_that_is_passed_by_a_shared_reference() {
    with_gpu(|gpu| {
        let (ordered, mut stream) = (gpu.ordered_stream().unwrap(), gpu.stream().unwrap());
        let mut x = ordered.from_slice(&[1_u32, 2]).unwrap();
        let mut rows = ordered.alloc_pitched::<u32>((2, 2)).unwrap();
        ordered.fill(&mut rows, 3).unwrap();
        let mut y = ordered.zeroed::<u32>(6).unwrap();
        let graph = gpu.capture(&mut stream, |c| {
            let (x, rows) = (c.hold_ordered(&mut x), c.hold_ordered(&mut rows));
            let (mut low, mut high) = c.hold_ordered(&mut y).split_at(2)?;
            c.stream().copy(&x, &mut low)?;
            c.stream().copy(&rows, &mut high)
        });
        let graph = graph.unwrap();
        ordered.replay(&graph, (&x, &mut y, &rows)).unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [1, 2, 3, 3, 3, 3]);
        ordered.upload(&[8, 9], &mut x).unwrap();
        ordered.replay(&graph, (&rows, &x, &mut y)).unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [8, 9, 3, 3, 3, 3]);
    });
}

#[test]
fn memory_that_a_graph_names_is_not_kept_for_others_while_the_graph_lives() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let mut stream = gpu.stream().unwrap();
        let mut x = ordered.zeroed::<u32>(4).unwrap();
        let graph = gpu
            .capture(&mut stream, |c| {
                let mut x = c.hold_ordered(&mut x);
                c.stream().fill(&mut x, 7)
            })
            .unwrap();
        let address = x.address();
        drop(x);
        assert_eq!(ordered.usage().kept, 0);
        let y = ordered.alloc::<u32>(4).unwrap();
        assert_ne!(y.address(), address);
        drop(graph);
        assert_eq!(ordered.usage().kept, 512);
    });
}

#[test]
fn foreign_work_is_ordered_as_that_of_the_stream() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let (ordered, other) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let shared = other.from_slice(&[4_u32; LEN]).unwrap().share();
        let mut x = ordered.alloc::<u32>(LEN).unwrap();
        let mut not_mine = other.alloc::<u32>(LEN).unwrap();
        spin(&ordered, &spinner, LONG / 8).unwrap();
        let copy = |stream, (to, from, len): (_, _, usize)| {
            // SAFETY: of all three, 1. to 3.: the work is a copy in the stream, within the buffers.
            unsafe { cuscope::ffi::cuMemcpyDtoDAsync_v2(to, from, 4 * len, stream) }
        };
        // SAFETY: as above.
        let copied = unsafe { ordered.foreign((&mut x, &shared, LEN), copy) };
        assert_eq!(copied.unwrap(), cuscope::ffi::CUDA_SUCCESS);
        // SAFETY: as above; it is not called.
        let refused = unsafe { ordered.foreign((&mut not_mine,), |_, _| panic!("not called")) };
        assert!(matches!(refused, Err(Error::OtherStream { .. })));
        assert_eq!(ordered.to_vec(&x).unwrap(), [4; LEN]);
    });
}
