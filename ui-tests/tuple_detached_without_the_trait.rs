//! A tuple has no method `detach` of its own: call `Detached::new`, or import the trait `Branded`.

use cuscope::{Detached, Event, PushedGuard, Result, Stream};

fn misuse(gpu: &PushedGuard<'_>) -> Result<Detached<(Stream<'static>, Event<'static>)>> {
    Ok((gpu.stream()?, gpu.event()?).detach())
}

fn main() {}
