//! Only this crate says what is PTX text: it sees to the NUL that the driver reads up to. Turn your
//! own type into a `String`.

use cuscope::{Result, image::PtxText};
use std::borrow::Cow;
use std::ffi::CStr;

struct Mine;

impl<'p> PtxText<'p> for Mine {
    fn with_nul(self) -> Result<Cow<'p, CStr>> {
        todo!()
    }
}

fn main() {}
