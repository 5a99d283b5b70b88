//! Two loads from shared memory whose values only one `fma` takes, as in each step of a product of matrices: they become one
//! instruction, which leaves the values out of registers.

use super::super::code::{Access, Base, Instr, Op, Order, Pair, Slot, Space};
use super::contract::{Note, Places, What};
use super::uses::Uses;

/// Puts such instructions in the place of the first loads. The others stay where they are, for lanes that do not run all
/// together.
pub(super) fn pair(code: &mut [Instr], notes: &[Note]) {
    let sums: Vec<usize> =
        notes.iter().filter(|note| note.what == What::Fused).map(|note| note.at).collect();
    if sums.is_empty() {
        return;
    }
    let Some(uses) = code.iter().map(Uses::of).collect::<Option<Vec<_>>>() else { return };
    let places = Places::of(code, &uses);
    for at in sums.into_iter().filter_map(|at| at.checked_sub(2)) {
        let parts = &code[at..at + 3];
        if !places.together(at, at + 2) || parts.iter().any(|one| one.guard.is_some()) {
            continue;
        }
        let (Some((first, x)), Some((second, y))) = (plain(&code[at]), plain(&code[at + 1])) else {
            continue;
        };
        let Op::Ternary { d, a, b, c, .. } = code[at + 2].op else { continue };
        let takes = [a.split(), b.split()];
        let both = takes == [Ok(x), Ok(y)] || takes == [Ok(y), Ok(x)];
        // The second address and the third operand are what they were before the loads.
        let apart = x != y
            && second.address.base != Base::Reg(x)
            && c.split() != Ok(x)
            && c.split() != Ok(y);
        let alone = |slot, from| places.readers(slot, from) == Some(&[at + 2][..]);
        if both && apart && alone(x, at) && alone(y, at + 1) {
            let (first, second) = (*first, *second);
            code[at].op = Op::Pair(Box::new(Pair { first, x, second, y, c, d }));
        }
    }
}

/// A load of a word of four bytes from shared memory, and its register.
fn plain(instr: &Instr) -> Option<(&Access, Slot)> {
    let Op::Load { access, d, extend: 0 } = &instr.op else { return None };
    let shape = (access.space, access.order, access.bytes, access.count);
    let plain = shape == (Space::Shared, Order::Weak, 4, 1);
    match (&d[..], access.address.base) {
        (&[d], Base::Reg(_)) if plain => Some((access, d)),
        _ => None,
    }
}
