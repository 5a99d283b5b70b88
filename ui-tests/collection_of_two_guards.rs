//! A collection of handles belongs to one guard.
//!
//! **Why:** The guard of a handle is a part of its type, so that no handle of another context is taken from the
//! collection (F34). It is a part of `own-context`.
//!
//! **Mend:** Keep the handles detached. See `ui-tests/mended/collection_of_two_guards.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse(first: &PushedGuard<'_>, second: &PushedGuard<'_>) -> Result {
    let mut shares: Vec<DeviceBuffer<'_, f32>> = Vec::new();
    shares.push(first.alloc(16)?);
    shares.push(second.alloc(16)?);
    Ok(())
}

fn main() {}
