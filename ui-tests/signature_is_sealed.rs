//! Signatures and parameters are those of this crate. Write a struct by value as `Value<Struct>`.

use cuscope::kernel::{Parameter, Signature};

struct Mine;

impl Signature for Mine {}

impl Parameter for Mine {}

fn main() {}
