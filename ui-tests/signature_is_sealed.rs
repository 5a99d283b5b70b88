//! Signatures and parameters are those of this crate.
//!
//! **Why:** A typed kernel has as many parameters as its signature. Each has the offset and the size that the
//! signature says, and a launch passes arguments of the signature. This is `signature-compared`.
//!
//! **Mend:** Write a struct by value as `Value<Struct>`. See `ui-tests/mended/signature_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::kernel::{Parameter, Signature};

struct Mine;

impl Signature for Mine {}

impl Parameter for Mine {}

fn main() {}
