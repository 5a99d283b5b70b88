//! The primary contexts of the devices.

use crate::model::context::Context;
use crate::model::device::{self, Device};
use std::sync::{Arc, LazyLock, Mutex};

/// The primary context of a device.
#[derive(Default)]
pub(crate) struct Primary {
    /// Made by the first retain; the handle stays the same from then on.
    pub(crate) context: Option<Arc<Context>>,
    /// Retains minus releases; a green context retains too (F135).
    pub(crate) count: usize,
    /// Green contexts that are alive.
    pub(crate) green_contexts: usize,
    /// The flags that it has or will have.
    pub(crate) flags: u32,
}

/// The primary context of a device, and how often that is retained (F18).
pub(crate) fn of(device: &Device) -> &'static Mutex<Primary> {
    static ALL: LazyLock<Vec<Mutex<Primary>>> =
        LazyLock::new(|| device::all().iter().map(|_| Mutex::default()).collect());
    &ALL[device.ordinal]
}
