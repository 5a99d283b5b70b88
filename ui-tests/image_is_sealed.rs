//! Images are those of this crate, which checks them.
//!
//! **Why:** The driver is passed a pointer and reads to an end that the image itself states. Bytes of a type that
//! nobody checked could make it read behind them. It is a part of `signature-compared`.
//!
//! **Mend:** Turn your own type into a `Ptx`, `Cubin` or `Fatbin`. See `ui-tests/mended/image_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::Image;

struct Mine;

impl Image for Mine {}

fn main() {}
