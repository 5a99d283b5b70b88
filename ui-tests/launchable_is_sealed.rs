//! A launch takes a `Function` or a `Kernel`, which hold the handle that the driver gets.
//!
//! **Why:** The driver follows the handle without a check. A type of the program could give one that was destroyed,
//! or a signature that its kernel does not have. It is a part of `signature-compared`.
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
