//! Calls of the driver, with good, stale, null and wild arguments: each is answered by a code.
#![no_main]

#[allow(unused, reason = "its tests are of the package of the software driver")]
#[path = "../../softdriver/tests/sequences.rs"]
mod sequences;

use libfuzzer_sys::fuzz_target;
use sequences::{Call, run};

fuzz_target!(|bytes: &[u8]| {
    let calls: Vec<_> = bytes.as_chunks::<8>().0.iter().take(64).map(call).collect();
    run(&calls, 1 + bytes.len() % 3).unwrap();
});

fn call(&[thread, which, picks @ ..]: &[u8; 8]) -> Call {
    Call { thread: thread.into(), which, picks }
}
