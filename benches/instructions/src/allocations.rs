//! Counts allocations: those of Rust code, as the driver that does nothing has none.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: hands everything to the system's allocator. `realloc` and `alloc_zeroed` come here too.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(at, layout) }
    }
}

/// How many `work` makes.
pub(crate) fn during(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.load(Relaxed);
    work();
    ALLOCATIONS.load(Relaxed) - before
}
