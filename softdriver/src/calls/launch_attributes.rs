//! The driver functions about [`launch_attributes`](crate::model::launch_attributes).

use crate::entry::{self, Answer};
use crate::model::launch_attributes::{Attributes, Place};
use cuscope_sys::*;

/// Reads the attributes of a launch, the later of two of a kind; a bad one spoils no capture. Events are looked
/// at for the stream of a launch.
pub(crate) fn read_attributes(
    config: &CUlaunchConfig,
    place: Option<Place<'_>>,
) -> Answer<Attributes> {
    let mut read = Attributes::default();
    for i in 0..config.numAttrs as usize {
        entry::wanted(config.attrs)?;
        read.add(config.attrs.wrapping_add(i), place)?;
    }
    Ok(read)
}
