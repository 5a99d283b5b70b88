//! Only this crate says what is PTX text.
//!
//! **Why:** It sees to the NUL that the driver reads up to. It is a part of `text-ends`.
//!
//! **Mend:** Turn your own type into a `String`. See `ui-tests/mended/ptx_text_is_sealed.rs`.
//!
//! **Mistake** (E0277):

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
