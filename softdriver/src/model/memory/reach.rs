//! Who may use memory: its device, and others that were given access.

use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind, Rights};
use crate::model::peer::PEERS;
use std::sync::Arc;

/// Whether calls in a context may work on the memory of another device: of a context to which it has access, or of a
/// pool to which its device has (F343).
pub(crate) fn may(life: &Arc<Life>, allocation: &Allocation) -> bool {
    if allocation.kind == Kind::Mapped {
        return allocation.rights(life.device) > Rights::None;
    }
    if matches!(allocation.kind, Kind::External | Kind::Graphics) {
        return life.home().is(&allocation.life); // F463
    }
    allocation.is_of(life.device)
        || match &allocation.pool {
            Some(pool) => pool.is_open_to(life.device),
            None => PEERS.enabled(&life.home(), &allocation.life),
        }
}

/// Whether a kernel on the device may touch an allocation (F84).
pub(crate) fn touchable(allocation: &Allocation, device: usize) -> bool {
    if allocation.kind == Kind::Mapped {
        return allocation.rights(device) > Rights::None;
    }
    allocation.is_of(device)
        || match &allocation.pool {
            Some(pool) => pool.is_open_to(device),
            None => PEERS.reaches(device, &allocation.life),
        }
}
