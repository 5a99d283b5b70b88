//! Images and names are those of this crate, which checks them.
//!
//! **Why:** The driver is passed a pointer and reads to an end that the image itself states. Bytes of a type that
//! nobody checked could make it read behind them. It is a part of `signature-compared`.
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
