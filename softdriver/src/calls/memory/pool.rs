//! The driver functions about [`pool`](crate::model::memory::pool).

use crate::model::memory::pool::POOLS;

/// After a wait of the program: every pool gives back what it holds over its threshold (F173).
pub(crate) fn settle() {
    POOLS.all.all().iter().for_each(|pool| pool.trim_to_threshold());
}
