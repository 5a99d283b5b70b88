//! Work that a kernel need not do in each block: computing values that all blocks of a launch share, and zeroing
//! registers that it writes before it reads them.

use super::super::code::{Base, CARRY, Instr, Op, Order, SINK, Slot, Space};
use super::uses::Uses;

/// The most bits that are kept to find which registers are written before they are read.
const MOST_BITS: usize = 1 << 22;

/// A kernel's code, seen in this way.
#[derive(Debug)]
pub(super) struct Hoisted {
    /// The work of each warp once a launch.
    pub(super) once: Vec<Instr>,
    /// The work in each block.
    pub(super) code: Vec<Instr>,
    /// The line of each of these.
    pub(super) lines: Vec<u32>,
    /// The registers that have to be 0 at its beginning; none if all of its state does.
    pub(super) zeroed: Option<Vec<Slot>>,
}

impl Hoisted {
    /// All of the code, in each block.
    pub(super) fn none((code, lines): (Vec<Instr>, Vec<u32>)) -> Self {
        Self { once: Vec::new(), code, lines, zeroed: None }
    }
}

/// Splits the code of a kernel that has one function.
pub(super) fn hoist(
    (code, mut lines): (Vec<Instr>, Vec<u32>),
    slots: u32,
    param_bytes: usize,
) -> Hoisted {
    let uses = code.iter().map(Uses::of).collect::<Option<Vec<_>>>();
    let early = uses.as_ref().and_then(|uses| read_early(&code, uses, slots as usize));
    let (Some(uses), Some(early)) = (uses, early) else {
        return Hoisted::none((code, lines));
    };
    let mut writes = vec![0u32; slots as usize];
    uses.iter().flat_map(|uses| &uses.writes).for_each(|&slot| writes[slot as usize] += 1);
    let mut same = vec![false; slots as usize];
    let hoisted: Vec<bool> = code
        .iter()
        .zip(&uses)
        .map(|(instr, uses)| {
            let once = |&slot: &Slot| {
                let at = slot as usize;
                slot == SINK || slot != CARRY && writes[at] == 1 && !early[at]
            };
            let yes = instr.guard.is_none()
                && is_same(&instr.op, param_bytes)
                && uses.reads.iter().all(|&slot| same[slot as usize])
                && uses.writes.iter().all(once);
            if yes {
                uses.writes.iter().for_each(|&slot| same[slot as usize] = true);
            }
            yes
        })
        .collect();
    let zeroed = (0..slots).filter(|&slot| early[slot as usize]).collect();
    let (once, code) = split(code, &hoisted);
    let mut out = hoisted.into_iter();
    lines.retain(|_| out.next() == Some(false));
    Hoisted { once, code, lines, zeroed: Some(zeroed) }
}

/// Whether an operation gives the same in all blocks, if what it reads is the same, and cannot fault.
fn is_same(op: &Op, param_bytes: usize) -> bool {
    match op {
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Lop3 { .. }
        | Op::Bfi { .. }
        | Op::Video { .. }
        | Op::Convert { .. }
        | Op::Setp { .. }
        | Op::Set { .. }
        | Op::Pack { .. }
        | Op::Unpack { .. } => true,
        Op::Special { which, .. } => which.is_of_thread(),
        Op::Address { address, .. } => matches!(address.base, Base::Zero | Base::Global(_)),
        Op::Load { access, .. } => {
            let size = u64::from(access.bytes) * u64::from(access.count);
            let end = access.address.offset.cast_unsigned().checked_add(size);
            access.space == Space::Param
                && access.address.base == Base::Zero
                && access.order == Order::Weak
                && end.is_some_and(|end| end <= param_bytes as u64)
        }
        _ => false,
    }
}

/// Takes instructions out, and leads branches to where their targets then are.
fn split(code: Vec<Instr>, out: &[bool]) -> (Vec<Instr>, Vec<Instr>) {
    let mut places = Vec::with_capacity(out.len() + 1);
    let mut kept = 0;
    for &out in out {
        places.push(kept);
        kept += u32::from(!out);
    }
    places.push(kept);
    let place = |target: &mut u32| *target = places[(*target as usize).min(out.len())];
    let (mut once, mut rest) = (Vec::new(), Vec::new());
    for (mut instr, &out) in code.into_iter().zip(out) {
        match &mut instr.op {
            Op::Bra { target } => place(target),
            Op::BrxIdx { targets, .. } => targets.iter_mut().for_each(place),
            _ => {}
        }
        if out { once.push(instr) } else { rest.push(instr) }
    }
    (once, rest)
}

/// Whether the code goes on after an instruction.
fn goes_on(instr: &Instr) -> bool {
    let leaves =
        matches!(instr.op, Op::Bra { .. } | Op::BrxIdx { .. } | Op::Exit | Op::Ret | Op::Trap);
    !leaves || instr.guard.is_some()
}

/// Where a part of the code begins: where something leads to, and after what leads elsewhere.
pub(super) fn begins(code: &[Instr]) -> Vec<bool> {
    let mut begins = vec![false; code.len()];
    let mut begin = |at: usize| begins.get_mut(at).into_iter().for_each(|begins| *begins = true);
    begin(0);
    for (at, instr) in code.iter().enumerate() {
        match &instr.op {
            Op::Bra { target } => begin(*target as usize),
            Op::BrxIdx { targets, .. } => targets.iter().for_each(|&to| begin(to as usize)),
            Op::Exit | Op::Ret | Op::Trap => {}
            _ => continue,
        }
        begin(at + 1);
    }
    begins
}

/// For each register, whether the code may read it before it has written it; none if that is too much to find out.
fn read_early(code: &[Instr], uses: &[Uses], slots: usize) -> Option<Vec<bool>> {
    let begins = begins(code);
    let starts: Vec<usize> = (0..code.len()).filter(|&at| begins[at]).collect();
    let words = slots.div_ceil(64);
    if starts.len().checked_mul(words)? > MOST_BITS / 64 {
        return None;
    }
    let part_of = |at: u32| starts.binary_search(&(at as usize)).ok();
    // Registers that are written when a part begins, whichever way led there; parts that nothing has led to yet have all.
    let mut before = vec![vec![u64::MAX; words]; starts.len()];
    let mut early = vec![false; slots];
    let mut changed: Vec<usize> = Vec::new();
    if let Some(first) = before.first_mut() {
        first.fill(0);
        changed.push(0);
    }
    while let Some(part) = changed.pop() {
        let end = starts.get(part + 1).copied().unwrap_or(code.len());
        let mut written = before[part].clone();
        for (instr, uses) in code[starts[part]..end].iter().zip(&uses[starts[part]..end]) {
            for &slot in &uses.reads {
                early[slot as usize] |= written[slot as usize / 64] >> (slot % 64) & 1 == 0;
            }
            if instr.guard.is_none() {
                for &slot in &uses.writes {
                    written[slot as usize / 64] |= 1 << (slot % 64);
                }
            }
        }
        let last = &code[end - 1];
        let mut next: Vec<usize> = match &last.op {
            Op::Bra { target } => part_of(*target).into_iter().collect(),
            Op::BrxIdx { targets, .. } => targets.iter().filter_map(|&to| part_of(to)).collect(),
            _ => Vec::new(),
        };
        if goes_on(last) && end < code.len() {
            next.push(part + 1);
        }
        for to in next {
            let mut less = false;
            for (before, written) in before[to].iter_mut().zip(&written) {
                less |= *before & !written != 0;
                *before &= written;
            }
            if less {
                changed.push(to);
            }
        }
    }
    Some(early)
}
