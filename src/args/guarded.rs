//! The parameters of a guarded kernel after its own ones.

use super::sealed::Operands;
use crate::error::Result;
use crate::memory::access::Access;
use ffi::{CUdeviceptr, CUfunction};
use std::ffi::c_void;

/// The parameters after those of a guarded kernel: for some of them how many bytes may be read and written there, then
/// where the kernel notes a failure, and its tag.
#[derive(Clone, Copy)]
pub struct Hidden {
    /// The arguments that have extents, one bit each.
    pub(crate) with_extents: u32,
    pub(crate) tag: u32,
    pub(crate) record: CUdeviceptr,
}

/// Puts pointers to the extents of the arguments that have some, one bit each, behind `len` others. Returns how many there are
/// then. This is for arguments that have other extents than their types tell.
#[cold]
#[inline(never)]
pub(super) fn put_all(
    with_extents: u32,
    extents: &mut [[u64; 2]],
    mut len: usize,
    all: &mut [*mut c_void],
) -> usize {
    for (index, extents) in extents.iter_mut().enumerate() {
        if with_extents >> index & 1 == 1 {
            put(extents, len, all);
            len += 2;
        }
    }
    len
}

/// Puts pointers to two values behind `len` others. The driver only reads what they point to.
#[inline]
pub(super) fn put([first, second]: &mut [u64; 2], len: usize, all: &mut [*mut c_void]) {
    all[len] = (&raw mut *first).cast();
    all[len + 1] = (&raw mut *second).cast();
}

/// Puts pointers to where the kernel notes a failure, and to its tag, behind `len` others. Returns how many there are then.
#[inline]
pub(crate) fn put_rest(
    record: &mut CUdeviceptr,
    tag: &mut u32,
    len: usize,
    all: &mut [*mut c_void],
) -> usize {
    all[len] = (&raw mut *record).cast();
    all[len + 1] = (&raw mut *tag).cast();
    len + 2
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
        self.args.count() + 2 * self.hidden.with_extents.count_ones() as usize + 2
    }
    #[inline(always)]
    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        self.args.with_guarded(&self.hidden, f)
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "reads what pointers are to")]
mod tests {
    use super::*;

    /// What a kernel gets behind arguments of 8, 4 and 8 bytes.
    fn laid_out(with_extents: u32) -> Vec<u64> {
        let hidden = Hidden { with_extents, tag: 7, record: 0x1000 };
        let guarded = Guarded { args: (1_u64, 2_u32, 3_u64), hidden };
        let count = guarded.count();
        guarded.with_pointers(|all| {
            assert_eq!(all.len(), count);
            let read = |one: &*mut c_void, bytes: usize| {
                let mut value = [0; 8];
                // SAFETY: the pointers are to values of so many bytes.
                unsafe { one.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr(), bytes) };
                u64::from_ne_bytes(value)
            };
            let sizes = (0..all.len()).map(|at| if at == 1 || at + 1 == all.len() { 4 } else { 8 });
            all.iter().zip(sizes).map(|(one, bytes)| read(one, bytes)).collect()
        })
    }

    #[test]
    fn extents_are_behind_the_arguments_that_have_them() {
        // As the types tell, and otherwise. Numbers have extents of 0.
        assert_eq!(laid_out(0b101), [1, 2, 3, 0, 0, 0, 0, 0x1000, 7]);
        assert_eq!(laid_out(0b001), [1, 2, 3, 0, 0, 0x1000, 7]);
        assert_eq!(laid_out(0b111), [1, 2, 3, 0, 0, 0, 0, 0, 0, 0x1000, 7]);
        assert_eq!(laid_out(0), [1, 2, 3, 0x1000, 7]);
    }

    #[test]
    fn extents_are_in_order() {
        let (mut extents, mut all) = ([[10, 11], [20, 21], [30, 31]], [std::ptr::null_mut(); 6]);
        let [first, _, third] = &extents;
        let expected =
            [&first[0], &first[1], &third[0], &third[1]].map(|one| (&raw const *one).addr());
        assert_eq!(put_all(0b101, &mut extents, 1, &mut all), 5);
        assert_eq!([1, 2, 3, 4].map(|at| all[at].addr()), expected);
        assert!(all[0].is_null() && all[5].is_null());
    }
}
