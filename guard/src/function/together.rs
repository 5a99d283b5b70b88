//! Accesses that have one check together: those of one address in straight code, which reads or writes around it, and those of
//! one argument that follow each other.
//!
//! If the first of them is made, all are, because nothing between them leads elsewhere. So if one is outside, the thread
//! fails in any case, and then none of them is made. Of one address, all bytes from the first one's to the last one's are
//! compared.

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
}

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
                    let same = |one: &&mut Group| {
                        let mixed = one.kind == access.kind || planted(Mistake::TogetherMixed);
                        one.reg == reg && one.at == access.at && mixed
                    };
                    match open.iter_mut().find(same) {
                        Some(group) => group.members.push((at, access)),
                        None => open.push(Group {
                            reg,
                            at: access.at,
                            kind: access.kind,
                            members: vec![(at, access)],
                        }),
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
}

/// The register that an access has its address in.
fn address(ins: &Ins) -> Option<usize> {
    ins.args.iter().find_map(|arg| match arg {
        Arg::Address(Base::Reg(reg), _) => Some(*reg),
        _ => None,
    })
}
