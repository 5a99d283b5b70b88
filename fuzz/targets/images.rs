//! Images of every kind: cuscope takes what is whole and says what is wrong with the rest, and the driver loads or refuses
//! what cuscope took. Nothing panics, or reads outside of the image.
#![no_main]

use cuscope::{Context, ContextFlags, ContextStack, Cubin, Device, Error, Fatbin, Ptx};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

fn context() -> &'static Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap())
}

/// An error has a text.
fn explained(error: &Error) {
    assert!(!error.to_string().is_empty());
}

fuzz_target!(|bytes: &[u8]| {
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(context()).unwrap();
    match Cubin::new(bytes) {
        Ok(cubin) => drop(gpu.load(&cubin).inspect_err(explained)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match Fatbin::new(bytes) {
        Ok(fatbin) => drop(gpu.load(&fatbin).inspect_err(explained)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        match Ptx::new(text) {
            Ok(ptx) => drop(gpu.load(&ptx).inspect_err(explained)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    gpu.synchronize().unwrap();
});
