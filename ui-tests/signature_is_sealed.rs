//! Signatures and parameters are those of this crate.
//!
//! **Why:** A typed kernel compares each type's size and kind with what the image says. A type of the program could
//! state a size that its values do not have. It is a part of `signature-compared`.
//!
//! **Mend:** Write a struct by value as `Value<Struct>`. See `ui-tests/mended/signature_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::kernel::{Parameter, Signature};

struct Mine;

impl Signature for Mine {}

impl Parameter for Mine {}

fn main() {}
