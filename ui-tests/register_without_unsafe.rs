//! Registering memory by `register` is `unsafe`.
//!
//! **Why:** A registration that is leaked goes on when its memory is gone (F168). It is a part of `pinned-is-rusts`.
//!
//! **Mend:** Use `with_registered` or `pinned`, or write an `unsafe` block that says why the registration is
//! dropped. See `ui-tests/mended/register_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>, data: &mut [f32]) -> Result {
    let registered = gpu.register(data)?;
    std::mem::forget(registered);
    Ok(())
}

fn main() {}
