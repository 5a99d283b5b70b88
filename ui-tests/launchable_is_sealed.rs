//! A launch takes a `Function` or a `Kernel`, which hold the handle that the driver gets.
//!
//! **Why:** A typed kernel has as many parameters as its signature. Each has the offset and the size that the
//! signature says, and a launch passes arguments of the signature. This is `signature-compared`.
//!
//! **Mend:** Launch the function that your type has. See `ui-tests/mended/launchable_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::Launchable;

struct Mine;

impl Launchable<'_> for Mine {
    type Signature = ();
}

fn main() {}
