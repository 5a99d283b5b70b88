//! Instructions that only say how something is to be done, and how caches are to be used: checked, and of no effect.

use super::super::code::{Op, Space};
use super::super::tree::Operand;
use super::super::types::Type;
use super::memory::space;
use super::modifiers::Modifiers;
use super::operand::exactly;
use super::{Body, Lowered, Refusal, refuse};

const FIRST: &[&str] =
    &["L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"];
const SECOND: &[&str] = &["L2::evict_first", "L2::evict_unchanged"];

impl<'s> Body<'_, 's> {
    pub(super) fn hints(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        match m.head {
            "createpolicy" => return self.create_policy(m, operands),
            "applypriority" | "discard" => self.lines(m, operands)?,
            "griddepcontrol" => {
                // Kernels run one after another: nothing is left to wait for.
                m.take_any(&["launch_dependents", "wait"]).ok_or(Refusal::Unsupported)?;
                m.end()?;
                self.requires("griddepcontrol", 90)?;
                let [] = exactly(operands)?;
            }
            "setmaxnreg" => self.registers_of_warps(m, operands)?,
            _ => return Err(Refusal::Unsupported),
        }
        self.push(Op::Nop);
        Ok(())
    }

    fn registers_of_warps(
        &mut self,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        m.take_any(&["inc", "dec"]).ok_or(Refusal::Unsupported)?;
        if !(m.take("sync") && m.take("aligned")) || m.end_type()? != Type::U32 {
            return Err(Refusal::Unsupported);
        }
        self.specific()?;
        match exactly(operands)? {
            [Operand::Int(count)] if (24..=256).contains(count) && count % 8 == 0 => Ok(()),
            _ => refuse("Arguments mismatch: a multiple of 8 from 24 to 256 is expected"),
        }
    }

    /// A line of the cache.
    fn lines(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let constant = m.has("const");
        let space = space(m);
        let what = if m.head == "discard" { "L2" } else { "L2::evict_normal" };
        if constant || !matches!(space, Space::Global | Space::Generic) || !m.take(what) {
            return Err(Refusal::Unsupported);
        }
        m.end()?;
        self.requires(m.head, 80)?;
        let [address, Operand::Int(128)] = exactly(operands)? else {
            return refuse("Arguments mismatch: a size of 128 is expected");
        };
        self.place(address, space)?;
        Ok(())
    }

    fn create_policy(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let kind = m.take_any(&["fractional", "range", "cvt"]).ok_or(Refusal::Unsupported)?;
        self.requires("createpolicy", 80)?;
        let space = if kind == "range" { space(m) } else { Space::Generic };
        if !matches!(space, Space::Global | Space::Generic) {
            return Err(Refusal::Unsupported);
        }
        if kind == "cvt" {
            if !m.take("L2") {
                return Err(Refusal::Unsupported);
            }
        } else {
            m.take_any(FIRST).ok_or(Refusal::Unsupported)?;
            m.take_any(SECOND);
        }
        if m.end_type()? != Type::B64 {
            return Err(Refusal::Unsupported);
        }
        let d = match (kind, operands) {
            ("fractional", [d]) => d,
            ("fractional", [d, fraction]) => {
                let fraction = self.src(fraction, Type::F32)?;
                let value = self.scene.constants.borrow().value(fraction);
                if value.is_some_and(|bits| !(1..=1f32.to_bits().into()).contains(&bits)) {
                    return refuse("The fraction is out of range: more than 0 to 1 is expected");
                }
                d
            }
            ("range", [d, address, first, all]) => {
                self.place(address, space)?;
                self.src(first, Type::U32)?;
                self.src(all, Type::U32)?;
                d
            }
            ("cvt", [d, a]) => {
                self.src(a, Type::U64)?;
                d
            }
            _ => return refuse("Incorrect number of operands"),
        };
        let (d, a) = (self.d(d, Type::U64)?, self.constant(0));
        self.push(Op::Unary { f: &|a: u64| a, d, a });
        Ok(())
    }

    /// Refuses what only `sm_90a` has.
    pub(super) fn specific(&self) -> Lowered<()> {
        let source = self.scene.source;
        if source.target == 90 && source.specific {
            return Ok(());
        }
        refuse("This instruction requires .target sm_90a")
    }
}
