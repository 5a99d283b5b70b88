//! Memory of an ordered stream is not taken out of its `Ordered`.
//!
//! **Why:** What takes memory without one does not follow the stream's work. `into_idle` waits and gives it back. It
//! is a part of `ordered-apart`.
//!
//! **Mend:** Call `into_idle`, which waits. See `ui-tests/mended/ordered_taken_apart.rs`.
//!
//! **Mistake** (E0616):

use cuscope::memory::DeviceSlice;
use cuscope::ordered::Ordered;

fn misuse<'b>(part: Ordered<DeviceSlice<'b, 'static, f32>>) -> DeviceSlice<'b, 'static, f32> {
    part.0
}

fn main() {}
