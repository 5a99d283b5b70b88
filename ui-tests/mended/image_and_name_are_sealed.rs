//! The mend of `ui-tests/image_and_name_are_sealed.rs`. Turn your own type into a `Ptx`, `Cubin`, `Fatbin` or
//! `String`.

use cuscope::{Image, Ptx, module::Name};

struct Mine(Ptx, String);

fn image(mine: &Mine) -> impl Image {
    &mine.0
}

fn name(mine: &Mine) -> impl Name {
    &*mine.1
}

fn main() {}
