//! What a guarded kernel gets after its own arguments.

use super::sealed::Operands;
use crate::error::Result;
use crate::memory::access::Access;
use cuscope_guard::Bounds;
use ffi::{CUdeviceptr, CUfunction};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Memory of fewer bytes is as large as it is, for a kernel that [`is_quick`].
const QUICK: u64 = 1 << 30;

/// Returns whether there is nothing to look at for elements with this alignment in little memory.
pub(crate) fn is_quick(bounds: Bounds, align: usize) -> bool {
    align % bounds.begin as usize == 0 && bounds.most >= QUICK
}

/// What a guarded kernel gets after its own arguments, in one parameter: for some of them how many bytes may be read and
/// written there, then where the kernel notes a failure, and its tag.
#[derive(Clone, Copy)]
pub struct Hidden<'k> {
    /// The arguments that have extents, one bit each.
    with_extents: u32,
    tag: u32,
    record: CUdeviceptr,
    /// From so many bytes on, the bounds are looked at.
    quick: u64,
    bounds: &'k [Bounds],
}

impl<'k> Hidden<'k> {
    /// Creates what a launch of a kernel has. `quick` says that all its bounds [are](is_quick), for the elements of its arguments.
    #[inline]
    pub(crate) fn new(
        with_extents: u32,
        tag: u32,
        bounds: &'k [Bounds],
        quick: bool,
        record: CUdeviceptr,
    ) -> Self {
        let quick = if quick { QUICK } else { 0 };
        Hidden { with_extents, tag, record, quick, bounds }
    }

    /// Returns whether other arguments have extents than their types tell, or bounds have to be looked at.
    #[inline]
    pub(super) fn differs(self, likely: u32, bytes: u64) -> bool {
        bytes >= self.quick || self.with_extents != likely
    }

    /// Writes the extents, of all arguments with the addresses. Returns how many numbers there are then.
    #[inline]
    pub(super) fn put_all(
        self,
        all: &[([u64; 2], CUdeviceptr)],
        to: &mut [MaybeUninit<u64>],
    ) -> usize {
        put_all(self.with_extents, self.bounds, all, to)
    }

    /// Writes the rest.
    #[inline]
    pub(crate) fn put_rest(self, len: &mut usize, to: &mut [MaybeUninit<u64>]) {
        put([self.record, self.tag.into()], len, to);
    }
}

/// Writes the extents of the arguments that have some, one bit each.
#[cold]
#[inline(never)]
fn put_all(
    with_extents: u32,
    bounds: &[Bounds],
    all: &[([u64; 2], CUdeviceptr)],
    to: &mut [MaybeUninit<u64>],
) -> usize {
    let mut len = 0;
    for (index, (&(extents, address), bounds)) in all.iter().zip(bounds).enumerate() {
        if with_extents >> index & 1 == 1 {
            put(extents.map(|bytes| bounds.of(address, bytes)), &mut len, to);
        }
    }
    len
}

/// Writes two numbers after `len` others.
#[inline]
pub(super) fn put(numbers: [u64; 2], len: &mut usize, to: &mut [MaybeUninit<u64>]) {
    for number in numbers {
        to[*len].write(number);
        *len += 1;
    }
}

/// The arguments of a guarded kernel.
pub struct Guarded<'k, A> {
    pub(crate) args: A,
    pub(crate) hidden: Hidden<'k>,
}

#[diagnostic::do_not_recommend]
impl<A: Operands> Operands for Guarded<'_, A> {
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
    /// With what the guard has added.
    #[inline]
    fn count(&self) -> usize {
        self.args.count() + 1
    }
    #[inline(always)]
    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        self.args.with_guarded(self.hidden, f)
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "reads what pointers are to")]
mod tests {
    use super::*;

    const PLAIN: Bounds = Bounds { begin: 1, most: u64::MAX };

    /// What a kernel gets after two numbers of 8 bytes, one of 4 before the last.
    fn laid_out(with_extents: u32) -> Vec<u64> {
        let hidden = Hidden::new(with_extents, 7, &[PLAIN; 3], true, 0x1000);
        let guarded = Guarded { args: (1_u64, 2_u32, 3_u64), hidden };
        guarded.with_pointers(|all| {
            assert_eq!(all.len(), guarded.count());
            let read = |one: *mut c_void, at: usize, bytes: usize| {
                let mut value = [0; 8];
                let from = one.cast::<u8>().wrapping_add(8 * at);
                // SAFETY: the pointers are to values of so many bytes, the last to all that is hidden.
                unsafe { from.copy_to_nonoverlapping(value.as_mut_ptr(), bytes) };
                u64::from_ne_bytes(value)
            };
            let words = 2 * with_extents.count_ones() as usize + 2;
            let own = [8, 4, 8].into_iter().zip(&*all).map(|(bytes, one)| read(*one, 0, bytes));
            own.chain((0..words).map(|at| read(all[3], at, 8))).collect()
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
    fn bounds_are_looked_at_where_they_have_to_be() {
        let bounds =
            [Bounds { begin: 8, most: 1 << 31 }, PLAIN, Bounds { begin: 16, most: u64::MAX }];
        let all = [([1 << 32, 5], 24), ([20, 21], 1), ([30, 0], 24)];
        let hidden = |quick| Hidden::new(0b101, 7, &bounds, quick, 0);
        let mut to = [MaybeUninit::new(9); 4];
        assert_eq!(hidden(true).put_all(&all, &mut to), 4);
        // SAFETY: they had a value, and have another.
        let to = to.map(|one| unsafe { one.assume_init() });
        assert_eq!(to, [1 << 31, 5, 0, 0]);
        for (quick, likely, bytes, differs) in [
            (true, 0b101, 0, false),
            (true, 0b101, QUICK - 1, false),
            (true, 0b101, QUICK, true),
            (true, 0b100, 0, true),
            (false, 0b101, 0, true),
        ] {
            assert_eq!(hidden(quick).differs(likely, bytes), differs, "{quick} {likely} {bytes}");
        }
        for (begin, most, align, quick) in [
            (1, u64::MAX, 1, true),
            (4, u64::MAX, 4, true),
            (4, u64::MAX, 8, true),
            (4, u64::MAX, 2, false),
            (4, QUICK, 4, true),
            (4, QUICK - 1, 4, false),
        ] {
            assert_eq!(is_quick(Bounds { begin, most }, align), quick, "{begin} {most} {align}");
        }
    }
}
