//! The driver functions about [`pool`](crate::model::memory::pool).

use crate::model::driver::driver as state;

/// After a wait of the program: every pool gives back what it holds over its threshold (F173).
pub(crate) fn settle() {
    state().pools.all().iter().for_each(|pool| pool.trim_to_threshold());
}
