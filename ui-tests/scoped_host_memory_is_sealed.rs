//! Only this crate says what staged memory is.
//!
//! **Why:** The device writes there. It is a part of `scope-borrows`.
//!
//! **Mend:** Use `s.stage` or `s.map`. See `ui-tests/mended/scoped_host_memory_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::scope::ScopedHostMemory;

struct Mine;

impl ScopedHostMemory<'_, f32> for Mine {}

fn main() {}
