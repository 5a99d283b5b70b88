//! The host does not read what a transfer writes, until the scope ends.
//!
//! **Why:** The copy runs beside the program. It would read some elements from before the transfer and some from
//! after it, in a data race. It is a part of `scope-borrows`.
//!
//! **Mend:** Read it afterwards, or stage it, `s.stage(&mut host)`, and ask for it with `access`. See
//! `ui-tests/mended/host_read_in_flight.rs`.
//!
//! **Mistake** (E0503):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, f32>,
) -> Result<f32> {
    let mut host = [0.0; 64];
    gpu.scope(|s| {
        s.on(stream).download(buffer, &mut host)?;
        Ok(host[0])
    })
}

fn main() {}
