//! Memory of an ordered stream is not taken out of its `Ordered`: what takes memory without one does not follow the stream's
//! work. `into_idle` waits and gives it back.

use cuscope::memory::DeviceSlice;
use cuscope::ordered::Ordered;

fn misuse<'b>(part: Ordered<DeviceSlice<'b, 'static, f32>>) -> DeviceSlice<'b, 'static, f32> {
    part.0
}

fn main() {}
