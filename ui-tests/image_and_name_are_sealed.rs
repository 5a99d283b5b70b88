//! Images and names are those of this crate, which checks them. Turn your own type into a `Ptx`, `Cubin`, `Fatbin` or
//! `String`.

use cuscope::{Image, module::Name};

struct Mine;

impl Image for Mine {}

impl Name for Mine {}

fn main() {}
