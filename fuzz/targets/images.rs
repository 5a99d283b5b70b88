//! Images of every kind: what is whole loads or is refused with a reason, and nothing panics or reads outside of it.
#![no_main]

use cuscope::{Cubin, Fatbin, Ptx};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let refused = [Cubin::new(bytes).err(), Fatbin::new(bytes).err()];
    for error in refused.into_iter().flatten() {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = Ptx::new(text)
    {
        assert!(!error.to_string().is_empty());
    }
});
