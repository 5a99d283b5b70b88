//! Operations of a whole warp.

use super::super::code::{Collective, Op, Redux, SINK, Shuffle, Src, Vote, WarpOp, ZERO};
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

/// An operation without operands.
fn blank(kind: Collective) -> WarpOp {
    WarpOp { kind, d: SINK, p: SINK, a: ZERO, b: ZERO, c: ZERO, members: None }
}

impl<'s> Body<'_, 's> {
    pub(super) fn warp(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let op = match m.head {
            "shfl" => self.shuffle(m, operands)?,
            "vote" => self.vote(m, operands)?,
            "match" => self.matching(m, operands)?,
            "redux" => self.redux(m, operands)?,
            "elect" => self.elect(m, operands)?,
            _ => {
                if m.end_type()? != Type::B32 {
                    return Err(Refusal::Unsupported);
                }
                let [d] = exactly(operands)?;
                let d = self.d(d, Type::B32)?;
                self.push(Op::ActiveMask { d });
                return Ok(());
            }
        };
        self.push(Op::Warp(Box::new(op)));
        Ok(())
    }

    /// The last operand of a `.sync` form, taken off the others.
    fn members<'o>(
        &mut self,
        sync: bool,
        operands: &'o [Operand<'s>],
    ) -> Lowered<(Option<Src>, &'o [Operand<'s>])> {
        match operands.split_last() {
            Some((members, rest)) if sync => Ok((Some(self.src(members, Type::U32)?), rest)),
            _ => Ok((None, operands)),
        }
    }

    /// Refuses forms without `.sync` where warps need not converge.
    fn synchronous(&self, sync: bool) -> Lowered<()> {
        let source = self.scene.source;
        if sync || source.target < 70 || source.version < 64 {
            return Ok(());
        }
        refuse("Not supported without '.sync' from .target sm_70 and .version 6.4 on")
    }

    fn shuffle(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<WarpOp> {
        let sync = m.take("sync");
        self.synchronous(sync)?;
        let mode = match m.take_any(&["up", "down", "bfly", "idx"]) {
            Some("up") => Shuffle::Up,
            Some("down") => Shuffle::Down,
            Some("bfly") => Shuffle::Bfly,
            Some(_) => Shuffle::Idx,
            None => return Err(Refusal::Unsupported),
        };
        if m.end_type()? != Type::B32 {
            return Err(Refusal::Unsupported);
        }
        let (members, operands) = self.members(sync, operands)?;
        let [d, a, b, c] = exactly(operands)?;
        let (d, p) = self.pair(d, Type::B32, Type::PRED)?;
        Ok(WarpOp {
            d,
            p,
            a: self.src(a, Type::B32)?,
            b: self.src(b, Type::B32)?,
            c: self.src(c, Type::B32)?,
            members,
            ..blank(Collective::Shuffle(mode))
        })
    }

    fn vote(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<WarpOp> {
        let sync = m.take("sync");
        let vote = match m.take_any(&["all", "any", "uni", "ballot"]) {
            Some("all") => Vote::All,
            Some("any") => Vote::Any,
            Some("uni") => Vote::Uni,
            Some(_) => Vote::Ballot,
            None => return Err(Refusal::Unsupported),
        };
        self.synchronous(sync)?;
        let ty = m.end_type()?;
        if ty != (if vote == Vote::Ballot { Type::B32 } else { Type::PRED }) {
            return Err(Refusal::Unsupported);
        }
        let (members, operands) = self.members(sync, operands)?;
        let [d, a] = exactly(operands)?;
        Ok(WarpOp {
            d: self.d(d, ty)?,
            a: self.src(a, Type::PRED)?,
            members,
            ..blank(Collective::Vote(vote))
        })
    }

    fn matching(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<WarpOp> {
        let kind = match m.take_any(&["any", "all"]) {
            Some("any") => Collective::MatchAny,
            Some(_) => Collective::MatchAll,
            None => return Err(Refusal::Unsupported),
        };
        let sync = m.take("sync");
        let ty = m.end_type()?;
        if !sync || ty.kind != Kind::Bits || ty.bytes < 4 {
            return Err(Refusal::Unsupported);
        }
        let (members, operands) = self.members(sync, operands)?;
        let [d, a] = exactly(operands)?;
        let (d, p) = match kind {
            Collective::MatchAll => self.pair(d, Type::U32, Type::PRED)?,
            _ => (self.d(d, Type::U32)?, SINK),
        };
        Ok(WarpOp { d, p, a: self.src(a, ty)?, members, ..blank(kind) })
    }

    fn redux(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<WarpOp> {
        if !m.take("sync") {
            return Err(Refusal::Unsupported);
        }
        let name = m.take_any(&["add", "min", "max", "and", "or", "xor"]);
        let name = name.ok_or(Refusal::Unsupported)?;
        let ty = m.end_type()?;
        let redux = match (name, ty) {
            ("add", Type::U32 | Type::S32) => Redux::Add,
            ("min", Type::U32) => Redux::MinU,
            ("max", Type::U32) => Redux::MaxU,
            ("min", Type::S32) => Redux::MinS,
            ("max", Type::S32) => Redux::MaxS,
            ("and", Type::B32) => Redux::And,
            ("or", Type::B32) => Redux::Or,
            ("xor", Type::B32) => Redux::Xor,
            _ => return Err(Refusal::Unsupported),
        };
        // No register of floats will do.
        let ty = Type::U32;
        if self.scene.source.target < 80 {
            return refuse("Feature 'redux.sync' requires .target sm_80 or higher");
        }
        let (members, operands) = self.members(true, operands)?;
        let [d, a] = exactly(operands)?;
        Ok(WarpOp {
            d: self.d(d, ty)?,
            a: self.src(a, ty)?,
            members,
            ..blank(Collective::Redux(redux))
        })
    }

    /// `elect`: the lowest lane of the members.
    fn elect(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<WarpOp> {
        if !m.take("sync") {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        self.requires("elect", 90)?;
        let (members, operands) = self.members(true, operands)?;
        let [Operand::Pair(d, p)] = exactly(operands)? else {
            return refuse("Arguments mismatch: two results are expected");
        };
        let d = self.d(&Operand::Name(d), Type::U32)?;
        let p = self.d(&Operand::Name(p), Type::PRED)?;
        Ok(WarpOp { d, p, members, ..blank(Collective::Elect) })
    }

    /// `bar.warp.sync`.
    pub(super) fn warp_barrier(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if !m.take("sync") {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        let [members] = exactly(operands)?;
        let members = Some(self.src(members, Type::U32)?);
        let op = WarpOp { members, ..blank(Collective::Barrier) };
        self.push(Op::Warp(Box::new(op)));
        Ok(())
    }
}
