//! Calls, and putting functions together into a kernel's code.

use std::collections::HashMap;

use super::super::code::{CallOp, Callable, Callee, Instr, Op, Place, SINK, Slot, Src, System};
use super::super::error::Diagnostic;
use super::super::tree::{Operand, Source, Space, Variable};
use super::modifiers::Modifiers;
use super::scope::Entity;
use super::{Body, Lowered, Piece, refuse};

/// The functions of the device's runtime, with their arguments and results.
pub(super) const SYSTEM: &[(&str, System, usize, usize)] = &[
    ("vprintf", System::Print, 2, 1),
    ("__assertfail", System::Assert, 5, 0),
    ("malloc", System::Allocate, 1, 1),
    ("free", System::Free, 1, 0),
    ("cudaGraphSetConditional", System::SetNumber, 2, 0),
];

/// How the names of functions with which kernels launch others begin.
const LAUNCHES: &[&str] =
    &["cudaLaunchDevice", "cudaGetParameterBuffer", "cudaDeviceSynchronize", "__cudaCDP2"];

impl<'s> Body<'_, 's> {
    pub(super) fn call(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        m.take("uni");
        m.end()?;
        let (results, operands): (&[_], &[_]) = match operands {
            [Operand::List(results), rest @ ..] => (results, rest),
            _ => (&[], operands),
        };
        let (name, arguments, prototype): (_, &[_], _) = match operands {
            [Operand::Name(name)] => (*name, &[], None),
            [Operand::Name(name), Operand::List(arguments)] => (*name, arguments, None),
            [Operand::Name(name), Operand::Name(prototype)] => (*name, &[], Some(*prototype)),
            [Operand::Name(name), Operand::List(arguments), Operand::Name(prototype)] => {
                (*name, arguments, Some(*prototype))
            }
            _ => return refuse("Arguments mismatch: a function is expected"),
        };
        let found = self.find(name);
        if let Some(Entity::Register(ty, slot)) = found {
            if !matches!(ty.bytes, 4 | 8) || !ty.is_integer() {
                return refuse(format!("Arguments mismatch: type of '{name}'"));
            }
            let Some(Entity::Prototype(returns, params)) =
                prototype.and_then(|prototype| self.find(prototype))
            else {
                return refuse("Arguments mismatch: a prototype is expected");
            };
            let callee = Callee::Address(Src::register(slot));
            return self.call_with(callee, &returns, &params, results, arguments);
        }
        if prototype.is_some() {
            return refuse("Arguments mismatch: a register is expected with a prototype");
        }
        if let Some(&index) = self.scene.functions.get(name) {
            let function = &self.scene.source.functions[index];
            if function.entry {
                return refuse(format!("Entry '{name}' cannot be called"));
            }
            self.calls.push((self.ops.len(), name));
            let callee = Callee::Function(0);
            return self.call_with(callee, &function.returns, &function.params, results, arguments);
        }
        let declared = self.scene.source.functions.iter().find(|function| function.name == name);
        let Some(function) = declared else {
            return refuse(format!("Unknown symbol '{name}'"));
        };
        let system = SYSTEM.iter().find(|&&(own, _, params, returns)| {
            // Taichi declares `vprintf` without a result, which nobody wants.
            own == name && function.params.len() == params && function.returns.len() <= returns
        });
        match system {
            Some(&(_, which, ..)) => {
                let callee = Callee::System(which);
                self.call_with(callee, &function.returns, &function.params, results, arguments)
            }
            None if LAUNCHES.iter().any(|start| name.starts_with(start)) => {
                refuse(format!("Launches by the device are not supported: function '{name}'"))
            }
            None => refuse(format!("Unresolved extern function '{name}'")),
        }
    }

    fn call_with(
        &mut self,
        callee: Callee,
        returns: &[Variable<'s>],
        params: &[Variable<'s>],
        results: &[Operand<'s>],
        arguments: &[Operand<'s>],
    ) -> Lowered<()> {
        if params.len() != arguments.len() || returns.len() != results.len() {
            return refuse("Incorrect number of arguments in a call");
        }
        let arguments =
            params.iter().zip(arguments).map(|(formal, actual)| self.actual(formal, actual, true));
        let arguments = arguments.collect::<Lowered<Vec<_>>>()?.concat();
        let results =
            returns.iter().zip(results).map(|(formal, actual)| self.actual(formal, actual, false));
        let results = results.collect::<Lowered<Vec<_>>>()?.concat();
        let op = CallOp { callee, caller_slots: 0, arguments, results };
        // The code that the operands needed came before.
        if let Some(last) = self.calls.last_mut().filter(|_| callee == Callee::Function(0)) {
            last.0 = self.ops.len();
        }
        self.push(Op::Call(Box::new(op)));
        Ok(())
    }

    /// The caller's places for a parameter or result: several for a vector.
    fn actual(
        &mut self,
        formal: &Variable<'s>,
        actual: &Operand<'s>,
        constant: bool,
    ) -> Lowered<Vec<Place>> {
        let mismatch = || refuse(format!("Arguments mismatch: '{}'", formal.name));
        if let (&Operand::Name(name), Space::Param) = (actual, formal.space) {
            return match self.find(name) {
                Some(Entity::Frame { offset, size, .. })
                    if formal.size == Some(u64::from(size)) =>
                {
                    Ok(vec![Place::Local(offset, size)])
                }
                _ => mismatch(),
            };
        }
        if formal.space != Space::Reg {
            return mismatch();
        }
        let elements = formal.elements();
        if let (&Operand::Name(name), 2..) = (actual, elements) {
            return match self.find(name) {
                Some(Entity::Vector(ty, own, slot)) if own == elements && formal.ty.agrees(ty) => {
                    let slots = slot..slot + Slot::from(elements);
                    Ok(slots.map(|slot| Place::Value(Src::register(slot))).collect())
                }
                _ => mismatch(),
            };
        }
        let src = match actual {
            Operand::Name("_") if !constant => Src::register(SINK),
            _ => self.src(actual, formal.ty)?,
        };
        match src.split() {
            Err(_) if !constant => mismatch(),
            _ => Ok(vec![Place::Value(src)]),
        }
    }
}

/// A kernel's functions, put one after the other.
pub(super) struct Linked {
    pub(super) code: Vec<Instr>,
    /// The line of each instruction.
    pub(super) lines: Vec<u32>,
    pub(super) functions: Vec<Callable>,
}

/// Puts a kernel's functions one after the other, and resolves what is
/// relative to them.
pub(super) fn link(
    source: &Source<'_>,
    order: &[usize],
    pieces: Vec<Piece<'_>>,
) -> Result<Linked, Diagnostic> {
    let mut positions = HashMap::new();
    let mut functions = Vec::new();
    let mut at = 0usize;
    for (position, (&index, piece)) in order.iter().zip(&pieces).enumerate() {
        positions.insert(source.functions[index].name, position as u32);
        functions.push(Callable {
            index: index as u32,
            start: at as u32,
            slots: piece.slots,
            local: piece.local,
            params: piece.params.clone(),
            returns: piece.returns.clone(),
        });
        at += piece.ops.len();
    }
    if at >= 1 << 31 {
        return Err(Diagnostic::new(0, "The code is too long"));
    }
    let (mut code, mut lines) = (Vec::with_capacity(at), Vec::with_capacity(at));
    for mut piece in pieces {
        let start = code.len() as u32;
        for (at, name) in &piece.calls {
            if let (Op::Call(call), Some(&position)) = (&mut piece.ops[*at].op, positions.get(name))
            {
                call.callee = Callee::Function(position);
            }
        }
        for instr in &mut piece.ops {
            match &mut instr.op {
                Op::Bra { target } => *target += start,
                Op::BrxIdx { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target += start);
                }
                Op::Call(call) => call.caller_slots = piece.slots,
                _ => {}
            }
        }
        code.append(&mut piece.ops);
        lines.append(&mut piece.lines);
    }
    Ok(Linked { code, lines, functions })
}
