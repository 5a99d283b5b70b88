//! What is not plain data cannot be allocated either: a download would make values of it from
//! whatever bytes the device left. Allocate `u8` for flags, indices for references.

use cuscope::PushedGuard;

fn misuse(gpu: &PushedGuard<'_>) {
    let _ = gpu.alloc::<bool>(16);
}

fn main() {}
