//! Resetting a primary context is `unsafe`.
//!
//! **Why:** It destroys what every other user of the context in the process still has. Events of it crash the driver
//! (F42, F89). It is a part of `ended-once`.
//!
//! **Mend:** Say in an `unsafe` block why nobody uses it. See `ui-tests/mended/reset_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Device, Result};

fn misuse(device: Device) -> Result {
    device.reset_primary_context()
}

fn main() {}
