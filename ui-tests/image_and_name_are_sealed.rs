//! Images and names are those of this crate, which checks them.
//!
//! **Why:** A typed kernel has as many parameters as its signature. Each has the offset and the size that the
//! signature says, and a launch passes arguments of the signature. This is `signature-compared`.
//!
//! **Mend:** Turn your own type into a `Ptx`, `Cubin`, `Fatbin` or `String`. See
//! `ui-tests/mended/image_and_name_are_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Image, module::Name};

struct Mine;

impl Image for Mine {}

impl Name for Mine {}

fn main() {}
