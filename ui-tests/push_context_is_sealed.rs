//! Only this crate says what is a place on the stack.
//!
//! **Why:** Another type could hand out guards that nothing covers (F88). It is a part of `right-context`.
//!
//! **Mend:** Take `stack: &mut impl PushContext` instead of being one. See
//! `ui-tests/mended/push_context_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Context, PushContext, PushedGuard, Result};

struct Mine;

impl PushContext for Mine {
    fn push<'ctx>(&'ctx mut self, _: &Context) -> Result<PushedGuard<'ctx>> {
        todo!()
    }
}

fn main() {}
