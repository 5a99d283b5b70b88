//! The mend of `ui-tests/event_recorded_on_peer_stream.rs`. Create the event under the guard of the stream.

use cuscope::{Event, PushedGuard, Result, Stream};

fn right<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, event: &Event<'b>) -> Result {
    gpu.scope(|s| s.on_peer(theirs).record(event))
}

fn main() {}
