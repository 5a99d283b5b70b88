//! A context is made for a device, as one of several kinds: no `new` guesses which.
//!
//! **Why:** The primary context is shared with all code of the process, and a created one is not. It is a part of
//! `right-context`.
//!
//! **Mend:** Write `Context::primary(Device::get(0)?)`. See `ui-tests/mended/context_by_number.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{Context, Result};

fn misuse() -> Result<Context> {
    Context::new(0)
}

fn main() {}
