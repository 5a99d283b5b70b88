//! Collections of handles.
#![allow(unsafe_code, reason = "vouches for collections whose parts change their phantom lifetime")]

use super::branded::{Branded, Key, Sealed};
use crate::context::Context;
use crate::tuples::tuples;

/// For collections of one type of handle: the ways to visit each and to map them.
macro_rules! collections {
    ($($name:ty [$($n:ident)?] => |$self:ident| $each:expr, |$owned:ident, $f:ident| $mapped:expr, $with:ty;)*) => { $(
        impl<H: Branded $(, const $n: usize)?> Sealed for $name {}
        // SAFETY: 1. and 2. element by element.
        unsafe impl<H: Branded $(, const $n: usize)?> Branded for $name {
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
    [H; N] [N] => |all| all.iter(), |all, f| all.map(f), [H::With<'b>; N];
}

macro_rules! handles {
    // No empty tuple: it would belong to no context.
    (() $(($($g:ident $second:ident)*))*) => { $(
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
tuples!(handles);
