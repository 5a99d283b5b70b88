//! Only this crate says what is a place on the stack: another type could hand out guards that nothing
//! covers (F88). Take `stack: &mut impl PushContext` instead of being one.

use cuscope::{Context, PushContext, PushedGuard, Result};

struct Mine;

impl PushContext for Mine {
    fn push<'ctx>(&'ctx mut self, _: &Context) -> Result<PushedGuard<'ctx>> {
        todo!()
    }
}

fn main() {}
