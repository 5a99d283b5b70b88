//! A tuple has no method `detach` of its own.
//!
//! **Why:** Rust allows no methods on types of the standard library, except those of a trait. The error looks like a
//! missing feature, and is a missing import. It is a part of `detached-unusable`.
//!
//! **Mend:** Call `Detached::new`, or import the trait `Branded`. See
//! `ui-tests/mended/tuple_detached_without_the_trait.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{Detached, Event, PushedGuard, Result, Stream};

fn misuse(gpu: &PushedGuard<'_>) -> Result<Detached<(Stream<'static>, Event<'static>)>> {
    Ok((gpu.stream()?, gpu.event()?).detach())
}

fn main() {}
