//! Calls, and putting functions together into a kernel's code.

use std::collections::HashMap;

use super::super::code::{CallOp, Instr, Op, Place};
use super::super::error::Diagnostic;
use super::super::tree::{Operand, Source, Space, Variable};
use super::modifiers::Modifiers;
use super::scope::Entity;
use super::{Body, Lowered, Piece, refuse};

impl<'s> Body<'_, 's> {
    pub(super) fn call(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        m.take("uni");
        m.end()?;
        let (results, name, arguments): (&[_], _, &[_]) = match operands {
            [Operand::Name(name)] => (&[], *name, &[]),
            [Operand::List(results), Operand::Name(name)] => (results, *name, &[]),
            [Operand::Name(name), Operand::List(arguments)] => (&[], *name, arguments),
            [Operand::List(results), Operand::Name(name), Operand::List(arguments)] => {
                (results, *name, arguments)
            }
            _ => return refuse("Indirect calls are not supported"),
        };
        let Some(&index) = self.scene.functions.get(name) else {
            return self.no_function(name);
        };
        let function = &self.scene.source.functions[index];
        if function.entry {
            return refuse(format!("Entry '{name}' cannot be called"));
        }
        if function.params.len() != arguments.len() || function.returns.len() != results.len() {
            return refuse(format!("Incorrect number of arguments in the call of '{name}'"));
        }
        let mut op = CallOp {
            target: 0,
            caller_slots: 0,
            caller_local: 0,
            slots: 0,
            local: 0,
            arguments: Vec::new(),
            results: Vec::new(),
        };
        for (formal, actual) in function.params.iter().zip(arguments) {
            op.arguments.push((self.actual(formal, actual, true)?, Place::Imm(0)));
        }
        for (formal, actual) in function.returns.iter().zip(results) {
            op.results.push((Place::Imm(0), self.actual(formal, actual, false)?));
        }
        self.calls.push((self.ops.len(), name));
        self.push(Op::Call(Box::new(op)));
        Ok(())
    }

    fn no_function(&mut self, name: &'s str) -> Lowered<()> {
        if matches!(self.find(name), Some(Entity::Register(..))) {
            return refuse("Indirect calls are not supported");
        }
        if self.scene.source.functions.iter().any(|function| function.name == name) {
            return refuse(format!("Unresolved extern function '{name}'"));
        }
        refuse(format!("Unknown symbol '{name}'"))
    }

    /// The caller's place for a parameter or result.
    fn actual(
        &mut self,
        formal: &Variable<'s>,
        actual: &Operand<'s>,
        constant: bool,
    ) -> Lowered<Place> {
        let mismatch = || refuse(format!("Arguments mismatch: '{}'", formal.name));
        if let (&Operand::Name(name), Space::Param) = (actual, formal.space) {
            return match self.find(name) {
                Some(Entity::Frame { offset, size }) if formal.size == Some(u64::from(size)) => {
                    Ok(Place::Local(offset, size))
                }
                _ => mismatch(),
            };
        }
        if formal.space != Space::Reg {
            return mismatch();
        }
        match self.src(actual, formal.ty)? {
            super::code::Src::Reg(slot) => Ok(Place::Reg(slot)),
            super::code::Src::Imm(value) if constant => Ok(Place::Imm(value)),
            _ => mismatch(),
        }
    }
}

/// Puts a kernel's functions one after the other, and resolves what is
/// relative to them.
pub(super) fn link(
    source: &Source<'_>,
    order: &[usize],
    pieces: Vec<Piece<'_>>,
) -> Result<Vec<Instr>, Diagnostic> {
    let mut starts = HashMap::new();
    let mut at = 0usize;
    for (position, (&index, piece)) in order.iter().zip(&pieces).enumerate() {
        starts.insert(source.functions[index].name, (at, position));
        at += piece.ops.len();
    }
    if at >= 1 << 31 {
        return Err(Diagnostic::new(0, "The code is too long"));
    }
    // What a call must know of each function.
    let shapes: Vec<_> = pieces
        .iter()
        .map(|piece| (piece.slots, piece.local, piece.params.clone(), piece.returns.clone()))
        .collect();
    let mut code = Vec::with_capacity(at);
    for mut piece in pieces {
        let start = code.len() as u32;
        for (at, name) in &piece.calls {
            let (Op::Call(call), Some(&(target, position))) =
                (&mut piece.ops[*at].op, starts.get(name))
            else {
                continue;
            };
            let (slots, local, params, returns) = &shapes[position];
            call.target = target as u32;
            call.caller_slots = piece.slots;
            call.caller_local = piece.local;
            call.slots = *slots;
            call.local = *local;
            for (argument, place) in call.arguments.iter_mut().zip(params) {
                argument.1 = *place;
            }
            for (result, place) in call.results.iter_mut().zip(returns) {
                result.0 = *place;
            }
        }
        for instr in &mut piece.ops {
            match &mut instr.op {
                Op::Bra { target } => *target += start,
                Op::BrxIdx { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target += start);
                }
                _ => {}
            }
        }
        code.append(&mut piece.ops);
    }
    Ok(code)
}
