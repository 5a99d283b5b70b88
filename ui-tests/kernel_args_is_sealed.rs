//! Only tuples are the arguments of a launch. Pass the fields of a struct as a tuple, or the struct
//! itself as one plain argument.

use cuscope::KernelArgs;

struct Mine;

impl KernelArgs<'_> for Mine {}

fn main() {}
