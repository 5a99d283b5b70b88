//! Only this crate says what staged memory is: the device writes there. Use `s.stage` or `s.map`.

use cuscope::scope::ScopedHostMemory;

struct Mine;

impl ScopedHostMemory<'_, f32> for Mine {}

fn main() {}
