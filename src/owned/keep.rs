//! Values that keep handles of other code alive.

use crate::driver::fork;
use crate::driver::release::drop_contained;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// A value of the program that keeps a handle of other code alive. Dropping it tells that this crate uses the handle no
/// more (invariant [`foreign-kept`](crate::soundness#foreign-kept)).
///
/// It is only ever reached exclusively. The mutex makes it `Sync`, whatever the value is.
pub(crate) struct Keep(Mutex<Option<Box<dyn Send>>>);

impl Keep {
    /// In a box, so that handles of this crate have no more than a null pointer for it.
    pub(crate) fn new(value: impl Send + 'static) -> Box<Keep> {
        Box::new(Keep(Mutex::new(Some(Box::new(value)))))
    }

    /// Leaks the value, because the device may still use what it keeps alive.
    #[cold]
    #[inline]
    pub(crate) fn leak(mut self) {
        mem::forget(self.take());
    }

    #[inline]
    fn take(&mut self) -> Option<Box<dyn Send>> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Keep {
    /// Runs code of the program. In the child of a fork the value is left to the parent, as handles are.
    #[cold]
    #[inline]
    fn drop(&mut self) {
        let value = self.take();
        if fork::is_child() {
            mem::forget(value);
        } else {
            drop_contained(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_value_is_dropped_once_or_leaked_and_its_panic_stays_here() {
        struct Panics {
            _kept: Arc<()>,
        }
        impl Drop for Panics {
            fn drop(&mut self) {
                if cfg!(panic = "unwind") {
                    panic!("in the drop of what keeps a handle")
                }
            }
        }
        let kept = Arc::new(());
        drop(Keep::new(Panics { _kept: kept.clone() }));
        assert_eq!(Arc::strong_count(&kept), 1);
        Keep::new(kept.clone()).leak();
        assert_eq!(Arc::strong_count(&kept), 2);
    }

    #[test]
    #[cfg(all(unix, not(loom)))]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    fn in_the_child_of_a_fork_a_value_is_left_to_the_parent() {
        let kept = Arc::new(());
        let keep = Keep::new(kept.clone());
        assert!(fork::is_true_in_child(|| {
            drop(keep);
            Arc::strong_count(&kept) == 2
        }));
    }
}
