//! A stream of another context records events of that context: create the event under the guard of the stream.

use cuscope::{Event, PushedGuard, Result, Stream};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, event: &Event<'a>) -> Result {
    gpu.scope(|s| s.on_peer(theirs).record(event))
}

fn main() {}
