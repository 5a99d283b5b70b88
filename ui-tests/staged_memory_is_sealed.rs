//! Only this crate says what staged memory is: the device writes there. Use `s.stage` or `s.map`.

use cuscope::scope::StagedMemory;

struct Mine;

impl StagedMemory<'_, f32> for Mine {}

fn main() {}
