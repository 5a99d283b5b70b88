//! Accesses that have one check together: those of one address in straight code, which reads or writes around it, those of
//! addresses at equal steps, as an unrolled loop has them, and those of one argument that follow each other.
//!
//! If the first of them is made, all are, because nothing between them leads elsewhere. So if one is outside, the thread
//! fails in any case, and then none of them is made. Of one address, all bytes from the first one's to the last one's are
//! compared. Of equal steps, the first and the last are: a step is the product of 32 bits and a small number, so that the
//! way from the first to the last is far below the 2^62 bytes that no memory has, and does not wrap around.

use std::ops::Range;

use super::Rewrite;
use super::access::{Access, At};
use crate::AccessKind;
use crate::body::{Arg, Base, Ins, Item};
use crate::order::joins;
use crate::planted::{Mistake, planted};

/// Some accesses: the numbers of their items, in order.
#[derive(Debug)]
pub(super) struct Group {
    reg: usize,
    at: At,
    kind: AccessKind,
    pub(super) members: Vec<(usize, Access)>,
    /// How their addresses differ, if they are not one.
    pub(super) steps: Option<Steps>,
}

/// Addresses that are a first one plus 0 to `most` times a step, which is the product of an index of 32 bits and a number.
/// All need the same bytes, so that those between the first and the last are inside if these are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// The register of the step.
    step: usize,
    /// The index, the item that reads it, and whether it has a sign.
    pub(super) index: usize,
    pub(super) read: usize,
    pub(super) signed: bool,
    pub(super) by: i64,
    pub(super) most: i64,
    /// The register of the last address, and the item that accesses it.
    pub(super) last: (usize, usize),
}

/// A step of so many bytes, so many times, is far from wrapping around.
const MOST_BYTES: u64 = 1 << 16;
const MOST_STEPS: i64 = 1 << 8;

impl Group {
    /// One access of all bytes from the first to the last that is needed.
    pub(super) fn whole(&self) -> Option<Access> {
        let first = self.members.first()?.1;
        let parts = || self.members.iter().map(|(_, access)| access);
        let low = parts().map(|one| one.offset).min()?;
        let mut ends = parts().map(|one| one.offset.checked_add(one.need.into()));
        let end = match planted(Mistake::TogetherTooShort) {
            true => ends.next_back()??,
            false => ends.collect::<Option<Vec<_>>>()?.into_iter().max()?,
        };
        let need = u32::try_from(end.checked_sub(low)?).ok()?;
        let align = parts().map(|one| one.align).max()?;
        Some(Access { offset: low, bytes: need, need, align, ..first })
    }
}

impl Rewrite<'_> {
    /// Where accesses follow each other, with nothing but `.loc` between them, and none has an address that another reads.
    pub(super) fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut open = false;
        let mut written = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            match item {
                Item::Ins(ins) if joins(ins) => {
                    // All checks of a run are made before its first access.
                    open &= planted(Mistake::RunRewritten) || !written.contains(&address(ins));
                    match runs.last_mut().filter(|run| open && self.flow.together(run.start, at)) {
                        Some(run) => run.end = at + 1,
                        None => {
                            runs.push(at..at + 1);
                            written.clear();
                        }
                    }
                    open = true;
                    written.extend(ins.results().into_iter().map(Some));
                }
                Item::Location(..) => {}
                _ => open = false,
            }
        }
        runs
    }

    /// The accesses of each address that have one check. `described` has what each item accesses.
    pub(super) fn groups(&self, described: &[Option<Access>]) -> Vec<Group> {
        let mut open: Vec<Group> = Vec::new();
        let mut done = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            if at > 0 && !self.flow.together(at - 1, at) && !planted(Mistake::TogetherOfBlocks) {
                done.append(&mut open);
            }
            let Item::Ins(ins) = item else { continue };
            // What is called may end the thread.
            if ins.head() == "call" && !planted(Mistake::TogetherOverCalls) {
                done.append(&mut open);
            }
            if let Some(access) = described[at].filter(|_| joins(ins)) {
                if let Base::Reg(reg) = access.base {
                    let joined = open.iter_mut().any(|group| {
                        let mixed = group.kind == access.kind || planted(Mistake::TogetherMixed);
                        let joins = group.at == access.at && mixed;
                        joins && self.join(group, reg, at, access).is_some()
                    });
                    if !joined {
                        open.push(Group {
                            reg,
                            at: access.at,
                            kind: access.kind,
                            members: vec![(at, access)],
                            steps: None,
                        });
                    }
                }
            }
            if planted(Mistake::TogetherRewritten) {
                continue;
            }
            for written in ins.results() {
                while let Some(group) = open.iter().position(|one| one.reg == written) {
                    done.push(open.swap_remove(group));
                }
            }
        }
        done.append(&mut open);
        done.retain(|group| group.members.len() > 1);
        done
    }

    /// Adds an access to a group, if its address is that of the group, or some steps from it.
    fn join(&self, group: &mut Group, reg: usize, at: usize, access: Access) -> Option<()> {
        let alike = |one: &Access| {
            (one.offset, one.need, one.align) == (access.offset, access.need, access.align)
        };
        let alike = group.members.iter().all(|one| alike(&one.1)) || planted(Mistake::StepsDiffer);
        if reg != group.reg {
            group.steps = Some(self.steps(group, reg, at).filter(|_| alike)?);
        } else if group.steps.is_some() && !alike {
            return None;
        }
        group.members.push((at, access));
        Some(())
    }

    /// The steps of a group with a further address. Each register on the way is written once, on every path to its use.
    fn steps(&self, group: &Group, reg: usize, at: usize) -> Option<Steps> {
        let &(first, _) = group.members.first()?;
        // What is a constant from the begin is compared as that.
        if self.constant(first, group.reg) {
            return None;
        }
        let written = |reg: usize, before: usize| {
            self.flow.definition(reg).filter(|&def| self.flow.dominates(def, before))
        };
        let (mut here, mut place, mut count) = (reg, at, 0);
        let mut steps = group.steps;
        while here != group.reg && count < MOST_STEPS {
            place = written(here, place)?;
            let Item::Ins(Ins { opcode, args, .. }) = &self.items[place] else { return None };
            let ("add.s64" | "add.u64", [_, Arg::Reg(a), Arg::Reg(b)]) = (&opcode[..], &args[..])
            else {
                return None;
            };
            let step = |one: usize| {
                let own = self.step(one, written(one, first)?)?;
                match steps {
                    Some(known) if known.step == one || planted(Mistake::StepsOfOthers) => {
                        Some(known)
                    }
                    Some(_) => None,
                    None => Some(own),
                }
            };
            (here, steps) = match (step(*b), step(*a)) {
                (Some(step), _) => (*a, Some(step)),
                (None, step) => (*b, Some(step?)),
            };
            count += 1;
        }
        let known = written(group.reg, place).is_some() && written(group.reg, first).is_some();
        let steps = steps
            .filter(|steps| here == group.reg && known && written(steps.step, place).is_some())?;
        let farther = count > steps.most;
        Some(if farther { Steps { most: count, last: (reg, at), ..steps } } else { steps })
    }

    /// A step, which an item writes.
    fn step(&self, step: usize, def: usize) -> Option<Steps> {
        let Item::Ins(ins) = &self.items[def] else { return None };
        let (signed, [_, Arg::Reg(index), Arg::Int(by @ 1..=MOST_BYTES)]) =
            (ins.opcode == "mul.wide.s32", &ins.args[..])
        else {
            return None;
        };
        (signed || ins.opcode == "mul.wide.u32").then_some(Steps {
            step,
            index: *index,
            read: def,
            signed,
            by: *by as i64,
            most: 0,
            last: (step, def),
        })
    }
}

/// The register that an access has its address in.
fn address(ins: &Ins) -> Option<usize> {
    ins.args.iter().find_map(|arg| match arg {
        Arg::Address(Base::Reg(reg), _) => Some(*reg),
        _ => None,
    })
}
