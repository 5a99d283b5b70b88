//! Signatures, parameters, images and names are those of this crate.

use cuscope::{Image, Launchable, module::Name, kernel::{Parameter, Signature}};

struct Mine;
impl Signature for Mine {}
impl Parameter for Mine {}
impl Image for Mine {}
impl Name for Mine {}
impl Launchable<'_> for Mine {
    type Signature = ();
}

fn main() {}
