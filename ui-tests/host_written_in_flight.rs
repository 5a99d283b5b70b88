//! The host does not write what a transfer reads, until the scope ends.
//!
//! **Why:** The copy reads the slice when its turn comes. What the program has changed by then is copied changed
//! (F55), or half of it. It is a part of `scope-borrows`.
//!
//! **Mend:** Stage what is to be written in between, `s.stage(&mut host)`, and ask for it with `access`. See
//! `ui-tests/mended/host_written_in_flight.rs`.
//!
//! **Mistake** (E0506):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut host = [1.0; 64];
    gpu.scope(|s| {
        s.on(stream).upload(&host, &mut s.hold(buffer))?;
        host[0] = 2.0;
        Ok(())
    })
}

fn main() {}
