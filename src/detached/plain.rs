//! Values without handles, beside handles.
#![allow(unsafe_code, reason = "vouches for types without a lifetime")]

use super::branded::{Branded, Key, Sealed};
use crate::context::Context;
use crate::launch::{Dim3, LaunchConfig};
use std::ops::{Deref, DerefMut};

/// A value without handles in a collection or struct of handles: a name, a size, or a
/// [`Detached`](super::Detached) handle of another context. Numbers, `bool`, `char`, `String`, [`Dim3`] and
/// [`LaunchConfig`] need no wrapper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plain<T: 'static>(pub T);

impl<T: 'static> Deref for Plain<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: 'static> DerefMut for Plain<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T: 'static> Sealed for Plain<T> {}
// SAFETY: 1. One type, without a lifetime. 2. It has no context that is to be compared.
unsafe impl<T: 'static> Branded for Plain<T> {
    type With<'b> = Plain<T>;
    #[inline]
    fn contexts(&self, _: &mut impl FnMut(&Context)) {}
    fn rebrand<'b>(self, _: Key) -> Self::With<'b> {
        self
    }
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => { $(
        #[diagnostic::do_not_recommend]
        impl Sealed for $name {}
        // SAFETY: 1. One type, without a lifetime. 2. It has no context.
        unsafe impl Branded for $name {
            type With<'b> = $name;
            #[inline]
            fn contexts(&self, _: &mut impl FnMut(&Context)) {}
            fn rebrand<'b>(self, _: Key) -> Self::With<'b> {
                self
            }
        }
    )* };
}
plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char, ());
plain!(String, Dim3, LaunchConfig);
