//! Collections of handles.
#![allow(unsafe_code, reason = "vouches for collections whose parts change their phantom lifetime")]

use super::branded::{Branded, Key, Sealed};
use crate::context::Context;
use crate::tuples::tuples;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

/// For collections of one type of handle: the ways to visit each and to map them.
macro_rules! collections {
    ($($name:ty [$($generics:tt)*] => |$self:ident| $each:expr, |$owned:ident, $f:ident| $mapped:expr, $with:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<H: Branded, $($generics)*> Sealed for $name {}
        // SAFETY: 1. and 2. handle by handle. Keys and hashers of maps have no lifetime, and no context.
        unsafe impl<H: Branded, $($generics)*> Branded for $name {
            type With<'b> = $with;
            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&Context)) {
                let $self = self;
                $each.for_each(|handle| handle.contexts(see));
            }
            fn rebrand<'b>(self, key: Key) -> $with {
                let ($owned, $f) = (self, |handle: H| handle.rebrand(key));
                $mapped
            }
        }
    )* };
}
collections! {
    Vec<H> [] => |all| all.iter(), |all, f| all.into_iter().map(f).collect(), Vec<H::With<'b>>;
    Option<H> [] => |all| all.iter(), |all, f| all.map(f), Option<H::With<'b>>;
    [H; N] [const N: usize] => |all| all.iter(), |all, f| all.map(f), [H::With<'b>; N];
    Box<H> [] => |all| std::iter::once(&**all), |all, f| Box::new(f(*all)), Box<H::With<'b>>;
    BTreeMap<K, H> [K: Ord + 'static] => |all| all.values(),
        |all, f| all.into_iter().map(|(name, handle)| (name, f(handle))).collect(),
        BTreeMap<K, H::With<'b>>;
    HashMap<K, H, S> [K: Eq + Hash + 'static, S: BuildHasher + Clone + 'static] => |all| all.values(),
        |all, f| {
            let mut map = HashMap::with_capacity_and_hasher(all.len(), all.hasher().clone());
            map.extend(all.into_iter().map(|(name, handle)| (name, f(handle))));
            map
        },
        HashMap<K, H::With<'b>, S>;
}

#[diagnostic::do_not_recommend]
impl<H: Branded> Sealed for Arc<H> {}
// SAFETY: 1. and 2. as the shared handle.
unsafe impl<H: Branded> Branded for Arc<H> {
    type With<'b> = Arc<H::With<'b>>;
    #[inline]
    fn contexts(&self, see: &mut impl FnMut(&Context)) {
        (**self).contexts(see);
    }
    /// Owners of one handle may have different brands, as references from [`bind`](crate::PushedGuard::bind) may.
    fn rebrand<'b>(self, _: Key) -> Arc<H::With<'b>> {
        // SAFETY: the pointer comes from `into_raw`, and the types are one up to a phantom lifetime (`Branded` 1).
        // Whoever has the only owner takes the handle out under the brand of that owner.
        unsafe { Arc::from_raw(Arc::into_raw(self).cast()) }
    }
}

macro_rules! handles {
    // No empty tuple: it would belong to no context.
    (() $(($($g:ident $second:ident)*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($g: Branded),*> Sealed for ($($g,)*) {}
        // SAFETY: 1. and 2. field by field.
        unsafe impl<$($g: Branded),*> Branded for ($($g,)*) {
            type With<'b> = ($($g::With<'b>,)*);
            #[allow(non_snake_case, reason = "a field is named as its type")]
            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&Context)) {
                let ($($g,)*) = self;
                $($g.contexts(see);)*
            }
            #[allow(non_snake_case, reason = "a field is named as its type")]
            fn rebrand<'b>(self, key: Key) -> ($($g::With<'b>,)*) {
                let ($($g,)*) = self;
                ($($g.rebrand(key),)*)
            }
        }
    )* };
}
tuples!(handles to 12);
