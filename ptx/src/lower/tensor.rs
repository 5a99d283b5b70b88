//! Copies of tensors.

use super::super::bulk::{BoxMove, Offsets, TensorOp, Told};
use super::super::code::{Address, Op, Space, Src};
use super::super::tree::Operand;
use super::super::types::Type;
use super::bulk::{COMPLETE, HINT, barrier_space, spaces};
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

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

    /// `cp.async.bulk.tensor`, and `cp.reduce.async.bulk.tensor`, behind these words.
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
