//! Copies of tensors.

use super::super::bulk::{BoxMove, BulkOp, Offsets, ReplaceOp, TensorOp, Told};
use super::super::code::{Access, Address, Op, Order, Space, Src};
use super::super::tensor::Field;
use super::super::tree::Operand;
use super::super::types::Type;
use super::bulk::{COMPLETE, HINT, barrier_space, spaces};
use super::modifiers::{FIELDS, Modifiers};
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

/// The codes in a map of the types of elements that `tensormap.replace` numbers.
const KINDS: [u64; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12];

const DIMENSIONS: &[&str] = &["1d", "2d", "3d", "4d", "5d"];

/// Whether pixels are copied, in the way that a word says, or a box.
fn pixels(m: &mut Modifiers<'_>, way: &'static str, rank: &str) -> Lowered<bool> {
    let pixels = m.take_any(&["tile", way]) == Some(way);
    if pixels && matches!(rank, "1d" | "2d") {
        return refuse(format!("Modifier '.{rank}' cannot be combined with modifier '.{way}'"));
    }
    Ok(pixels)
}

impl<'s> Body<'_, 's> {
    /// The offsets of pixels, which are the first of the operands that are left.
    fn offsets<'o>(
        &mut self,
        pixels: bool,
        rank: &str,
        rest: &'o [Operand<'s>],
    ) -> Lowered<(Offsets, &'o [Operand<'s>])> {
        if !pixels {
            return Ok((None, rest));
        }
        let [Operand::Vector(list), rest @ ..] = rest else {
            return refuse("Arguments mismatch: the offsets of pixels are expected");
        };
        if DIMENSIONS.get(list.len() + 1).is_none_or(|&own| own != rank) {
            return refuse("Arguments mismatch: the vector's length");
        }
        let list = list.iter().map(|one| self.src(one, Type::B16)).collect::<Lowered<_>>()?;
        Ok((Some(list), rest))
    }

    /// `cp.async.bulk.prefetch.tensor`, a hint: checked, and then of no effect.
    pub(super) fn prefetch_tensor(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let operands = self.without_policy(m, operands)?;
        let rank = m.take_any(DIMENSIONS).ok_or(Refusal::Unsupported)?;
        if !(m.take("L2") && m.take("global")) {
            return Err(Refusal::Unsupported);
        }
        let pixels = pixels(m, "im2col", rank)?;
        m.take(HINT);
        m.end()?;
        let [place, rest @ ..] = operands else { return refuse("Incorrect number of operands") };
        self.tensor_place(place, rank)?;
        let (_, rest) = self.offsets(pixels, rank, rest)?;
        let [] = exactly(rest)?;
        self.push(Op::Nop);
        Ok(())
    }

    /// `tensormap.replace` and `tensormap.cp_fenceproxy`
    pub(super) fn tensormap(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        match m.next() {
            "replace" => self.replace(m, operands),
            "cp_fenceproxy" => self.copy_map(m, operands),
            _ => Err(Refusal::Unsupported),
        }
    }

    fn replace(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        if !m.take("tile") {
            return Err(Refusal::Unsupported);
        }
        let name = m.take_any(FIELDS).ok_or(Refusal::Unsupported)?;
        let space = match m.take_any(&["global", "shared::cta"]) {
            Some("global") => Space::Global,
            Some(_) => Space::Shared,
            None => Space::Generic,
        };
        let wide = matches!(name, "global_address" | "global_stride");
        let ty = if wide { Type::B64 } else { Type::B32 };
        if !m.take("b1024") || m.end_type()? != ty {
            return Err(Refusal::Unsupported);
        }
        self.specific()?;
        let number = |operand: &Operand<'s>, most: usize| match operand {
            Operand::Int(value) => match usize::try_from(*value) {
                Ok(value) if value <= most => Ok(value),
                _ => refuse(format!("Arguments mismatch: a constant from 0 to {most} is expected")),
            },
            _ => refuse("Arguments mismatch: a constant is expected"),
        };
        let (map, rest) = match operands {
            [map, rest @ ..] => (map, rest),
            [] => return refuse("Incorrect number of operands"),
        };
        let (field, value) = match (name, rest) {
            ("global_address", [value]) => (Field::Address, self.src(value, ty)?),
            ("rank", [value]) => (Field::Rank, self.src(value, ty)?),
            ("elemtype", [value]) => {
                let kind = KINDS[number(value, KINDS.len() - 1)?];
                (Field::Kind, self.constant(kind))
            }
            ("interleave_layout", [value]) => {
                (Field::Interleave, self.constant(number(value, 2)? as u64))
            }
            ("swizzle_mode", [value]) => (Field::Swizzle, self.constant(number(value, 3)? as u64)),
            ("fill_mode", [value]) => (Field::Fill, self.constant(number(value, 1)? as u64)),
            ("global_dim", [at, value]) => (Field::Extent(number(at, 4)?), self.src(value, ty)?),
            ("global_stride", [at, value]) => (Field::Stride(number(at, 4)?), self.src(value, ty)?),
            ("box_dim", [at, value]) => (Field::Box(number(at, 4)?), self.src(value, ty)?),
            ("element_stride", [at, value]) => (Field::Step(number(at, 4)?), self.src(value, ty)?),
            // Of later devices.
            ("swizzle_atomicity", _) => return Err(Refusal::Unsupported),
            _ => return refuse("Incorrect number of operands"),
        };
        let (address, space) = self.short_place(map, space)?;
        let map = Access { space, address, bytes: 64, count: 1, order: Order::Weak };
        self.push(Op::Replace(Box::new(ReplaceOp { map, field, value })));
        Ok(())
    }

    /// A copy of a map, with a fence that others see it after: all is seen at once here.
    fn copy_map(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let whole = spaces(m)? == (Space::Global, Space::Shared)
            && m.take("tensormap::generic")
            && m.take("release")
            && m.take_any(&["cta", "cluster", "gpu", "sys"]).is_some()
            && m.take("sync")
            && m.take("aligned");
        if !whole {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        self.requires("tensormap.cp_fenceproxy", 90)?;
        let [to, from, Operand::Int(128)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a size of 128 is expected");
        };
        let [to, from] = [(to, Space::Global), (from, Space::Shared)].map(|(operand, space)| {
            let (address, space) = self.short_place(operand, space)?;
            Ok(Access { space, address, bytes: 64, count: 1, order: Order::Relaxed })
        });
        let (to, from) = (to?, from?);
        let size = self.constant(128);
        self.push(Op::Bulk(Box::new(BulkOp { to, from, size, told: None, reduce: None })));
        Ok(())
    }

    /// The map and the place of `[map, {place}]`.
    fn tensor_place(
        &mut self,
        operand: &Operand<'s>,
        rank: &str,
    ) -> Lowered<(Address, Box<[Src]>)> {
        let Operand::Object(name, place) = operand else {
            return refuse("Arguments mismatch: a place in a tensor is expected");
        };
        let (address, space) = self.place(&Operand::Address(Some(*name), 0), Space::Generic)?;
        if space != Space::Generic && space != Space::Global {
            return refuse("State space mismatch between instruction and address");
        }
        if DIMENSIONS.get(place.len().wrapping_sub(1)).is_none_or(|&own| own != rank) {
            return refuse("Arguments mismatch: the vector's length");
        }
        let at = place.iter().map(|one| self.src(one, Type::S32)).collect::<Lowered<_>>()?;
        Ok((address, at))
    }

    /// `cp.async.bulk.tensor`, and `cp.reduce.async.bulk.tensor`, after these words.
    pub(super) fn tensor(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
        reduces: bool,
    ) -> Lowered<()> {
        let operands = self.without_policy(m, operands)?;
        let rank = m.take_any(DIMENSIONS).ok_or(Refusal::Unsupported)?;
        let (to, from) = spaces(m)?;
        if to == Space::Global {
            if from != Space::Shared {
                return Err(Refusal::Unsupported);
            }
            let update = match reduces {
                true => {
                    let names = &["add", "min", "max", "inc", "dec", "and", "or", "xor"];
                    Some(m.take_any(names).ok_or(Refusal::Unsupported)?)
                }
                false => None,
            };
            let offsets = pixels(m, "im2col_no_offs", rank)?.then(Box::default);
            if !m.take("bulk_group") {
                return Err(Refusal::Unsupported);
            }
            m.take(HINT);
            m.end()?;
            let [place, memory] = exactly(operands)?;
            let (map, at) = self.tensor_place(place, rank)?;
            let memory = self.access_at(memory, Space::Shared, 16)?;
            let what = BoxMove::Store(update);
            self.push(Op::Tensor(Box::new(TensorOp { map, at, offsets, memory, what })));
            return Ok(());
        }
        if reduces || from != Space::Global {
            return Err(Refusal::Unsupported);
        }
        let pixels = pixels(m, "im2col", rank)?;
        if !m.take(COMPLETE) {
            return Err(Refusal::Unsupported);
        }
        let multicast = to == Space::Cluster && m.take("multicast::cluster");
        m.take(HINT);
        m.end()?;
        let [memory, place, barrier, rest @ ..] = operands else {
            return refuse("Incorrect number of operands");
        };
        let (offsets, rest) = self.offsets(pixels, rank, rest)?;
        let blocks = match (multicast, rest) {
            (false, []) => None,
            (true, [blocks]) => Some(self.src(blocks, Type::B16)?),
            _ => return refuse("Incorrect number of operands"),
        };
        let (map, at) = self.tensor_place(place, rank)?;
        let memory = self.access_at(memory, to, 16)?;
        let barrier = self.access_at(barrier, barrier_space(memory), 8)?;
        let what = BoxMove::Load(Told { barrier, blocks });
        self.push(Op::Tensor(Box::new(TensorOp { map, at, offsets, memory, what })));
        Ok(())
    }
}
