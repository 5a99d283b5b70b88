//! What a scope takes, only this crate says.
//!
//! **Why:** That its uses are noted is what orders the streams. It is a part of `scope-ordered`.
//!
//! **Mend:** Pass the memory that your type has. See `ui-tests/mended/scope_traits_are_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{KernelArg, KernelArgs, memory::InScope};

struct Mine;

impl<'s, 'ctx> KernelArg<'ctx, InScope<'s>> for Mine {}

impl<'s, 'ctx> KernelArgs<'ctx, InScope<'s>> for Mine {}

fn main() {}
