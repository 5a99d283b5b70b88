//! A stream of another context takes kernels, events and memory of that context. The own streams of the scope take those of
//! its own. Between contexts, `copy_from_peer` copies.

use cuscope::{DeviceBuffer, Event, PushedGuard, Result, Stream};

fn read<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, x: &DeviceBuffer<'a, f32>, y: &mut DeviceBuffer<'b, f32>) -> Result {
    gpu.scope(|s| s.on_peer(theirs).copy(x, &mut s.hold_peer(y)))
}

fn held<'a, 'b>(gpu: &PushedGuard<'a>, y: &mut DeviceBuffer<'b, f32>) -> Result {
    gpu.scope(|s| {
        let _held = s.hold(y);
        Ok(())
    })
}

fn recorded<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, event: &Event<'a>) -> Result {
    gpu.scope(|s| s.on_peer(theirs).record(event))
}

fn main() {}
