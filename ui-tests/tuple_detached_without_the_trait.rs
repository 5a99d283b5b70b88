//! A tuple has no method `detach` of its own.
//!
//! **Why:** A program uses a detached handle only through a guard that has checked that the handle belongs to its
//! context. This is `detached-unusable`.
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
