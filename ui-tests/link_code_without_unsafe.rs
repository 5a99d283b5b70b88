//! The linker takes machine code as it is, and dies of some: that it is a compiler's is the caller's word.

use cuscope::{Cubin, PushedGuard, Result, jit::JitOptions};

fn misuse(gpu: &PushedGuard<'_>, cubin: &Cubin) -> Result {
    gpu.linker(&JitOptions::new())?.add_code(cubin, "code").map(drop)
}

fn main() {}
