//! Only this crate says what is a name or PTX text.
//!
//! **Why:** It sees to the NUL that the driver reads up to. It is a part of `text-ends`.
//!
//! **Mend:** Turn your own type into a `String`. See `ui-tests/mended/text_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::module::Text;

struct Mine;

impl Text for Mine {}

fn main() {}
