//! What a guarded kernel gets behind its own arguments.

use super::sealed::Operands;
use crate::error::Result;
use crate::memory::access::Access;
use ffi::{CUdeviceptr, CUfunction};
use std::ffi::c_void;

/// What is behind the arguments of a guarded kernel: for some of them how many bytes may be read and written there, then
/// where the kernel notes a failure, and its tag.
#[derive(Clone, Copy)]
pub struct Hidden {
    /// The arguments that have extents, one bit each.
    pub(crate) with_extents: u32,
    pub(crate) tag: u32,
    pub(crate) record: CUdeviceptr,
}

impl Hidden {
    /// Lays out pointers to all values in the order of the parameters. Returns their number.
    #[inline]
    pub(crate) fn lay_out(
        &self,
        own: &[*mut c_void],
        extents: &mut [[u64; 2]],
        all: &mut [*mut c_void],
    ) -> usize {
        let mut len = own.len();
        all[..len].copy_from_slice(own);
        for (index, [read, written]) in extents.iter_mut().enumerate() {
            if self.with_extents >> index & 1 == 1 {
                all[len] = (&raw mut *read).cast();
                all[len + 1] = (&raw mut *written).cast();
                len += 2;
            }
        }
        // The driver only reads what they point to.
        all[len] = (&raw const self.record).cast_mut().cast();
        all[len + 1] = (&raw const self.tag).cast_mut().cast();
        len + 2
    }
}

/// The arguments of a guarded kernel.
pub struct Guarded<A> {
    pub(crate) args: A,
    pub(crate) hidden: Hidden,
}

#[diagnostic::do_not_recommend]
impl<A: Operands> Operands for Guarded<A> {
    const COMPARES: bool = A::COMPARES;

    #[inline]
    fn all(&self, is: impl Fn(&Access<'_>) -> bool) -> bool {
        self.args.all(is)
    }
    #[inline]
    fn fit(&self, call: &'static str, function: CUfunction) -> Result {
        self.args.fit(call, function)
    }
    #[inline]
    fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
        self.args.with_accesses(f)
    }
    /// With those that the guard has behind them.
    #[inline]
    fn count(&self) -> usize {
        self.with_pointers(|pointers| pointers.len())
    }
    #[inline]
    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        self.args.with_guarded(&self.hidden, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_behind_the_arguments_that_have_them() {
        let (mut a, mut b, mut c) = (1_u64, 2_u32, 3_u64);
        let own = [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast()];
        let hidden = Hidden { with_extents: 0b101, tag: 7, record: 0x1000 };
        let (mut extents, mut all) = ([[10, 11], [20, 21], [30, 31]], [std::ptr::null_mut(); 11]);
        let [first, _, third] = &extents;
        let expected =
            [&first[0], &first[1], &third[0], &third[1]].map(|one| (&raw const *one).addr());
        let len = hidden.lay_out(&own, &mut extents, &mut all);
        let addresses: Vec<_> = all[..len].iter().map(|one| one.addr()).collect();
        assert_eq!(addresses[..3], own.map(|one: *mut c_void| one.addr()));
        assert_eq!(addresses[3..7], expected);
        let tail = [(&raw const hidden.record).addr(), (&raw const hidden.tag).addr()];
        assert_eq!(addresses[7..], tail);
    }
}
