//! Bulk copies (`cp.async.bulk` and its kin), and stores that tell a barrier.

use super::super::bulk::{BulkOp, Reduction, SendOp, Told};
use super::super::code::{Access, Op, Order, Space};
use super::super::ops;
use super::super::tree::Operand;
use super::super::types::{Kind, Type};
use super::memory::elements;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

pub(super) const COMPLETE: &str = "mbarrier::complete_tx::bytes";
pub(super) const HINT: &str = "L2::cache_hint";

/// The spaces that a copy goes to and comes from.
pub(super) fn spaces(m: &mut Modifiers<'_>) -> Lowered<(Space, Space)> {
    let names = &["global", "shared::cta", "shared::cluster"];
    let one = |m: &mut Modifiers<'_>| match m.take_any(names) {
        Some("global") => Ok(Space::Global),
        Some("shared::cta") => Ok(Space::Shared),
        Some(_) => Ok(Space::Cluster),
        None => Err(Refusal::Unsupported),
    };
    Ok((one(m)?, one(m)?))
}

/// How a copy says that it is complete.
fn completion(m: &mut Modifiers<'_>) -> &'static str {
    m.take_any(&[COMPLETE, "bulk_group"]).unwrap_or_default()
}

impl<'s> Body<'_, 's> {
    /// An access of so many bytes.
    pub(super) fn access_at(
        &mut self,
        operand: &Operand<'s>,
        space: Space,
        bytes: u8,
    ) -> Lowered<Access> {
        let (address, space) = self.place(operand, space)?;
        Ok(Access { space, address, bytes, count: 1, order: Order::Relaxed })
    }

    /// Takes a cache policy off the operands, if the opcode says that there is one.
    pub(super) fn without_policy<'o>(
        &mut self,
        m: &Modifiers<'_>,
        operands: &'o [Operand<'s>],
    ) -> Lowered<&'o [Operand<'s>]> {
        if !m.has(HINT) {
            return Ok(operands);
        }
        match operands.split_last() {
            Some((policy, rest)) => {
                self.src(policy, Type::B64)?;
                Ok(rest)
            }
            None => refuse("Incorrect number of operands"),
        }
    }

    /// `cp.async.bulk`, after these words.
    pub(super) fn bulk(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        self.requires("cp.async.bulk", 90)?;
        if m.take("commit_group") {
            m.end()?;
            let [] = exactly(operands)?;
            self.push(Op::Nop);
            return Ok(());
        }
        if m.take("wait_group") {
            m.take("read");
            m.end()?;
            let [Operand::Int(_)] = exactly(operands)? else {
                return refuse("Arguments mismatch: a constant is expected");
            };
            self.push(Op::Nop);
            return Ok(());
        }
        if m.take("prefetch") {
            return self.prefetch_bulk(m, operands);
        }
        if m.take("tensor") {
            return self.tensor(m, operands, false);
        }
        let operands = self.without_policy(m, operands)?;
        let (to, from) = spaces(m)?;
        let (told, multicast) = match (to, from, completion(m)) {
            (Space::Cluster | Space::Shared, Space::Global, COMPLETE) => {
                (true, to == Space::Cluster && m.take("multicast::cluster"))
            }
            (Space::Cluster, Space::Shared, COMPLETE) => (true, false),
            (Space::Global, Space::Shared, "bulk_group") => (false, false),
            _ => return Err(Refusal::Unsupported),
        };
        if from != Space::Shared || to == Space::Global {
            m.take(HINT);
        }
        m.end()?;
        self.copy_bulk((to, from), operands, (told, multicast), None)
    }

    fn copy_bulk(
        &mut self,
        (to, from): (Space, Space),
        operands: &[Operand<'s>],
        (told, multicast): (bool, bool),
        reduce: Option<Reduction>,
    ) -> Lowered<()> {
        let (first, rest) = match operands {
            [first, second, size, rest @ ..] => ((first, second, size), rest),
            _ => return refuse("Incorrect number of operands"),
        };
        let to = self.access_at(first.0, to, 16)?;
        let from = self.access_at(first.1, from, 16)?;
        let size = self.src(first.2, Type::U32)?;
        let told = match (told, multicast, rest) {
            (false, _, []) => None,
            (true, false, [barrier]) => {
                Some(Told { barrier: self.access_at(barrier, barrier_space(to), 8)?, blocks: None })
            }
            (true, true, [barrier, blocks]) => {
                let blocks = Some(self.src(blocks, Type::B16)?);
                Some(Told { barrier: self.access_at(barrier, barrier_space(to), 8)?, blocks })
            }
            _ => return refuse("Incorrect number of operands"),
        };
        self.push(Op::Bulk(Box::new(BulkOp { to, from, size, told, reduce })));
        Ok(())
    }

    /// A hint: checked, and then of no effect.
    fn prefetch_bulk(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if m.take("tensor") {
            return self.prefetch_tensor(m, operands);
        }
        let operands = self.without_policy(m, operands)?;
        if !(m.take("L2") && m.take("global")) {
            return Err(Refusal::Unsupported);
        }
        m.take(HINT);
        m.end()?;
        let [address, size] = exactly(operands)?;
        self.place(address, Space::Global)?;
        self.src(size, Type::U32)?;
        self.push(Op::Nop);
        Ok(())
    }

    /// `cp.reduce.async.bulk`
    pub(super) fn reduce_bulk(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        if !(m.take("async") && m.take("bulk")) {
            return Err(Refusal::Unsupported);
        }
        self.requires("cp.reduce.async.bulk", 90)?;
        if m.take("tensor") {
            return self.tensor(m, operands, true);
        }
        let operands = self.without_policy(m, operands)?;
        let (to, from) = spaces(m)?;
        let told = match (to, from, completion(m)) {
            (Space::Cluster, Space::Shared, COMPLETE) => true,
            (Space::Global, Space::Shared, "bulk_group") => false,
            _ => return Err(Refusal::Unsupported),
        };
        if !told {
            m.take(HINT);
        }
        let names = &["and", "or", "xor", "add", "inc", "dec", "min", "max"];
        let name = m.take_any(names).ok_or(Refusal::Unsupported)?;
        let unflushed = m.take("noftz");
        let ty = m.end_type()?;
        let small = ty == Type::F16 || ty == Type::BF16;
        let known = match (told, name) {
            (_, "and" | "or" | "xor") => ty == Type::B32 || ty == Type::B64 && !told,
            (_, "inc" | "dec") => ty == Type::U32,
            (true, "add") => [Type::U32, Type::S32, Type::U64].contains(&ty),
            (true, "min" | "max") => ty == Type::U32 || ty == Type::S32,
            (false, "add") => {
                small || [Type::U32, Type::S32, Type::U64, Type::F32, Type::F64].contains(&ty)
            }
            (false, "min" | "max") => [Type::U32, Type::S32, Type::U64, Type::S64].contains(&ty),
            _ => false,
        };
        if !known || unflushed != (small && name == "add") {
            return Err(Refusal::Unsupported);
        }
        let update = ops::atomic(name, ty).ok_or(Refusal::Unsupported)?;
        let reduce = Some((update, usize::from(ty.bytes)));
        self.copy_bulk((to, from), operands, (told, false), reduce)
    }

    /// `st.async` and `red.async`, after these words.
    pub(super) fn send(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        self.requires("st.async and red.async", 90)?;
        let reduces = m.head == "red";
        if reduces {
            if !(m.take("relaxed") && m.take("cluster")) {
                return Err(Refusal::Unsupported);
            }
        } else {
            m.take("weak");
        }
        // Generic addresses are those of shared memory, too.
        let space = if m.take("shared::cluster") { Space::Cluster } else { Space::Generic };
        if !m.take(COMPLETE) {
            return Err(Refusal::Unsupported);
        }
        let names = &["inc", "dec", "min", "max", "and", "or", "xor", "add"];
        let name = match reduces {
            true => Some(m.take_any(names).ok_or(Refusal::Unsupported)?),
            false => None,
        };
        let count = match m.take_any(&["v2", "v4"]).filter(|_| !reduces) {
            None => 1,
            Some("v2") => 2,
            Some(_) => 4,
        };
        let ty = m.end_type()?;
        let word = ty.is_declarable() && matches!(ty.bytes, 4 | 8);
        let plain =
            word && matches!(ty.kind, Kind::Bits | Kind::Unsigned | Kind::Signed | Kind::Float);
        if !plain || ty.bytes * count > 16 {
            return Err(Refusal::Unsupported);
        }
        let known = match name {
            None => true,
            Some("inc" | "dec") => ty == Type::U32,
            Some("min" | "max") => ty == Type::U32 || ty == Type::S32,
            Some("and" | "or" | "xor") => ty == Type::B32,
            Some("add") => [Type::U32, Type::S32, Type::U64].contains(&ty),
            _ => false,
        };
        if !known {
            return Err(Refusal::Unsupported);
        }
        let update =
            name.map(|name| ops::atomic(name, ty).ok_or(Refusal::Unsupported)).transpose()?;
        let [to, value, barrier] = exactly(operands)?;
        let values = elements(value, count)?.iter().map(|one| self.src(one, ty));
        let values = values.collect::<Lowered<_>>()?;
        let (address, place) = self.place(to, space)?;
        let to = Access { space: place, address, bytes: ty.bytes, count, order: Order::Relaxed };
        let barrier = self.access_at(barrier, space, 8)?;
        self.push(Op::Send(Box::new(SendOp { to, values, update, barrier })));
        Ok(())
    }
}

/// Where the barrier of a copy to shared memory is.
pub(super) fn barrier_space(to: Access) -> Space {
    if to.space == Space::Global { Space::Shared } else { to.space }
}
