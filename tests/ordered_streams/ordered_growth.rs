//! Work without end on ordered streams takes no more memory than some of it.
#![allow(unsafe_code, reason = "counts allocations")]

use crate::common::fewer;
use crate::common::gpu::with_gpu;
use crate::{common, fresh, skip};
use cuscope::ordered::OrderedOptions;
use cuscope::{OrderedStream, PinnedBuffer, PushedGuard};
use cuscope_softdriver::control::live;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

/// Bytes of the heap that are in use.
static BYTES: AtomicIsize = AtomicIsize::new(0);

/// How many bytes of the heap are in use.
pub(crate) fn bytes() -> isize {
    BYTES.load(Ordering::Relaxed)
}

struct Counting;

// SAFETY: the system's allocator, with a count beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: the caller's obligations are those of this.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LEN: usize = 16;

/// Ten operations, of which none waits.
pub(crate) fn step(
    [one, two]: [&OrderedStream; 2],
    pinned: PinnedBuffer<u32>,
) -> PinnedBuffer<u32> {
    let x = one.from_slice(&[1_u32; LEN]).unwrap();
    let mut y = one.alloc::<u32>(LEN).unwrap();
    one.copy(&x, &mut y).unwrap();
    drop(x);
    let mut y = two.hand_over(y).unwrap();
    two.fill(&mut y.slice_mut(1..).unwrap(), 2).unwrap();
    let shared = y.share();
    let mut z = one.alloc::<u32>(LEN).unwrap();
    one.copy(&shared, &mut z).unwrap();
    drop(shared);
    one.download_owned(&z, pinned).unwrap().wait().unwrap()
}

/// Makes so many operations, after some that fill what the streams keep: the second one gets blocks of the first one
/// until it has enough. And returns how many bytes more are in use.
fn grown(gpu: &PushedGuard<'_>, keep: usize, operations: usize) -> isize {
    let options = OrderedOptions::new().keep(keep);
    let make = || gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
    let (one, two) = (make(), make());
    let mut pinned = gpu.pinned::<u32>(LEN).unwrap();
    let mut run = |steps| {
        let mut held = gpu.pinned::<u32>(LEN).unwrap();
        std::mem::swap(&mut held, &mut pinned);
        for _ in 0..steps {
            held = step([&one, &two], held);
        }
        assert_eq!(held[..2], [1, 2]);
        one.synchronize().unwrap();
        two.synchronize().unwrap();
        (bytes(), live())
    };
    let (before, live_before) = run(fewer(1000, 10));
    let (after, live_after) = run(operations / 10);
    assert_eq!(live_before, live_after);
    let high = one.usage().high_water.max(two.usage().high_water);
    assert!(high <= keep + 8 * 512, "{high} bytes");
    after - before
}

fn assert_constant(operations: usize) {
    with_gpu(|gpu| {
        for keep in [0, fewer(1 << 14, 2048)] {
            let more = grown(gpu, keep, operations);
            assert!(more < 16 << 10, "{operations} operations, keeping {keep}: {more} bytes more");
        }
    });
}

#[test]
fn many_operations_take_as_much_memory_as_few() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(many_operations_take_as_much_memory_as_few, {
        assert_constant(fewer(common::thorough(1_000_000), 50));
    });
}
