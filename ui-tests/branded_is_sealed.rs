//! Only this crate says which types can change their guard: another one could smuggle a handle into
//! another context (F34). Declare a struct of handles with `cuscope::handles!`, which checks its fields.

use cuscope::{Stream, detached::Branded};

struct Mine<'ctx>(Stream<'ctx>);

unsafe impl<'ctx> Branded for Mine<'ctx> {
    type With<'b> = Stream<'b>;
}

fn main() {}
