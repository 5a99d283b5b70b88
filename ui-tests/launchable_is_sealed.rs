//! A launch takes a `Function` or a `Kernel`, which hold the handle that the driver gets.

use cuscope::Launchable;

struct Mine;

impl Launchable<'_> for Mine {
    type Signature = ();
}

fn main() {}
