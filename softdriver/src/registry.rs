//! Handles: values that stand for objects, known to be such by look-up and never dereferenced.

use crate::sync;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// The objects of one kind.
pub(crate) struct Registry<T> {
    inner: RwLock<Inner<T>>,
}

struct Inner<T> {
    objects: HashMap<usize, Arc<T>>,
    /// The next value that was never used.
    next: usize,
    /// Values to use again, the last one first; `None` where values are never used again.
    free: Option<Vec<usize>>,
}

impl<T> Registry<T> {
    /// A registry whose values are never used again.
    pub(crate) fn new(kind: u8) -> Self {
        Self::with(kind, None)
    }

    /// A registry that hands out a removed value with the next insertion (F105).
    pub(crate) fn reusing(kind: u8) -> Self {
        Self::with(kind, Some(Vec::new()))
    }

    /// Values have the kind in the top byte, which no mapped address has, and are multiples of 16.
    fn with(kind: u8, free: Option<Vec<usize>>) -> Self {
        let next = (usize::from(kind | 0x10) << 56) | 0x10;
        Self { inner: RwLock::new(Inner { objects: HashMap::new(), next, free }) }
    }

    /// Adds the object that `make` makes of its handle's value.
    pub(crate) fn insert(&self, make: impl FnOnce(usize) -> T) -> (usize, Arc<T>) {
        let mut inner = sync::write(&self.inner);
        let reused = inner.free.as_mut().and_then(Vec::pop);
        let handle = reused.unwrap_or_else(|| {
            let next = inner.next;
            inner.next += 0x10;
            next
        });
        let object = Arc::new(make(handle));
        inner.objects.insert(handle, object.clone());
        (handle, object)
    }

    /// The object of a handle.
    pub(crate) fn get(&self, handle: usize) -> Option<Arc<T>> {
        sync::read(&self.inner).objects.get(&handle).cloned()
    }

    /// Whether the value was ever handed out.
    pub(crate) fn knew(&self, handle: usize) -> bool {
        let next = sync::read(&self.inner).next;
        handle.is_multiple_of(0x10)
            && handle >> 56 == next >> 56
            && (handle << 8 != 0)
            && handle < next
    }

    /// Takes an object out.
    pub(crate) fn remove(&self, handle: usize) -> Option<Arc<T>> {
        let mut inner = sync::write(&self.inner);
        let object = inner.objects.remove(&handle)?;
        if let Some(free) = &mut inner.free {
            free.push(handle);
        }
        Some(object)
    }

    /// Takes every object out that `keep` does not want to keep.
    pub(crate) fn retain(&self, keep: impl Fn(&T) -> bool) {
        let mut dropped = Vec::new();
        let mut inner = sync::write(&self.inner);
        inner.objects.retain(|_, object| {
            let kept = keep(object);
            if !kept {
                dropped.push(object.clone());
            }
            kept
        });
        drop(inner);
        // The objects end here, outside the lock.
        drop(dropped);
    }

    /// All objects.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        sync::read(&self.inner).objects.values().cloned().collect()
    }

    /// How many objects `which` holds of.
    pub(crate) fn count(&self, which: impl Fn(&T) -> bool) -> usize {
        sync::read(&self.inner).objects.values().filter(|object| which(object)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_distinct_and_reused_only_on_request() {
        let once = Registry::new(1);
        let (a, _) = once.insert(|_| 'a');
        once.remove(a);
        assert_ne!(once.insert(|_| 'b').0, a);
        let again = Registry::reusing(2);
        let (a, _) = again.insert(|_| 'a');
        let (b, _) = again.insert(|_| 'b');
        assert_ne!(a, b);
        again.remove(a);
        assert_eq!(again.get(a), None);
        assert!(again.knew(a) && again.knew(b) && !once.knew(a));
        assert!(!again.knew(0) && !again.knew(b + 1) && !again.knew(b + 0x10));
        assert_eq!(again.insert(|_| 'c').0, a);
        assert_eq!(again.get(a).as_deref(), Some(&'c'));
    }
}
