//! The mend of `ui-tests/tuple_detached_without_the_trait.rs`. Call `Detached::new`, or import the trait `Branded`.

use cuscope::{Detached, Event, PushedGuard, Result, Stream};

fn right(gpu: &PushedGuard<'_>) -> Result<Detached<(Stream<'static>, Event<'static>)>> {
    Ok(Detached::new((gpu.stream()?, gpu.event()?)))
}

fn main() {}
