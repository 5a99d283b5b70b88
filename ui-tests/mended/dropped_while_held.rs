//! The mend of `ui-tests/dropped_while_held.rs`. Drop it after the scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)?;
        Ok(())
    })?;
    drop(buffer);
    Ok(())
}

fn main() {}
