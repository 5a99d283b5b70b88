//! A stream of another context records events of that context.
//!
//! **Why:** The driver refuses to record an event on a stream of another context (F36). The program would find out
//! only where it runs, and the wait for the event would order nothing. It is a part of `own-context`.
//!
//! **Mend:** Create the event under the guard of the stream. See `ui-tests/mended/event_recorded_on_peer_stream.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Event, PushedGuard, Result, Stream};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, theirs: &Stream<'b>, event: &Event<'a>) -> Result {
    gpu.scope(|s| s.on_peer(theirs).record(event))
}

fn main() {}
