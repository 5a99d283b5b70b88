//! Only this crate says which types can change their guard: another one could smuggle a handle into
//! another context (F34). Store the fields of a struct as `Detached`, or detach pairs and `Vec`s.

use cuscope::{Branded, Stream};

struct Mine<'ctx>(Stream<'ctx>);

unsafe impl<'ctx> Branded for Mine<'ctx> {
    type With<'b> = Stream<'b>;
}

fn main() {}
