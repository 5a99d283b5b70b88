//! Two loads from shared memory whose values only one `fma` takes, as in each step of a product of matrices: they become one
//! instruction, which leaves the values out of registers. Those that pass a sum on run together.

use super::super::code::{Access, Base, Chain, Instr, Op, Order, Pair, Slot, Space};
use super::contract::{Note, Places, What};
use super::hoist::begins;
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
    let places = Places::of(code, &uses, &begins(code));
    let mut pairs = Vec::new();
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
            code[at].op = Op::Pair(Box::new(Pair {
                first,
                x,
                second,
                y,
                c,
                d,
                chain: Chain { apart: vec![[0; 2]], d },
            }));
            pairs.push(at);
        }
    }
    for at in pairs.into_iter().rev() {
        let Some(Op::Pair(next)) = code.get(at + 3).map(|instr| &instr.op) else { continue };
        let Op::Pair(pair) = &code[at].op else { continue };
        let takes = next.c.split() == Ok(pair.d);
        if takes
            && places.readers(pair.d, at + 2) == Some(&[at + 5][..])
            && let Some(chain) = chain(pair, next)
            && let Op::Pair(pair) = &mut code[at].op
        {
            pair.chain = chain;
        }
    }
}

/// How many pairs are a chain at most.
const MOST: usize = 16;
/// How far words of a chain are from those of its first pair at most.
const FAR: i64 = 1 << 16;

/// The chain of a pair and those of the next one, if they go on where the pair leads.
fn chain(pair: &Pair, next: &Pair) -> Option<Chain> {
    let apart = |from: &Access, to: &Access| {
        let bytes = to.address.offset.checked_sub(from.address.offset)?;
        let near = from.address.base == to.address.base && bytes % 4 == 0 && bytes.abs() < FAR;
        near.then_some((bytes / 4) as i32)
    };
    let step = [apart(&pair.first, &next.first)?, apart(&pair.second, &next.second)?];
    if next.chain.apart.len() >= MOST {
        return None;
    }
    let behind = next.chain.apart.iter().map(|apart| [step[0] + apart[0], step[1] + apart[1]]);
    Some(Chain { apart: std::iter::once([0; 2]).chain(behind).collect(), d: next.chain.d })
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
