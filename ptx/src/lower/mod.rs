//! The syntax tree to the compact form: names, types and modifiers are
//! resolved, and whatever is not supported is refused.

mod bulk;
mod call;
mod contract;
mod control;
mod convert;
mod float;
mod hint;
mod hoist;
mod integer;
mod layout;
mod matrix;
mod mbarrier;
mod memory;
mod modifiers;
mod operand;
mod pair;
mod scope;
pub(super) mod table;
mod tensor;
mod texture;
mod uses;
mod video;
mod warp;
mod wgmma;
mod wmma;

use std::cell::RefCell;
use std::collections::HashMap;

use super::code::{self, FIRST, Instr, Op};
use super::error::{Diagnostic, ParseError, ParseErrorKind, report};
use super::tree::{Function, Instruction, Operand, Source, Statement, StatementKind, Variable};
use super::types::Type;
use super::{Global, Kernel, Module};
use layout::{Reached, Shared};
use modifiers::Modifiers;
use scope::{Entity, Scopes};
use table::Family;

/// Why an instruction is refused.
pub(super) enum Refusal {
    /// It, or one of its modifiers or types, is not supported.
    Unsupported,
    /// Something else is wrong.
    Message(String),
}

type Lowered<T> = Result<T, Refusal>;

/// An error with a message of its own.
fn refuse<T>(message: impl Into<String>) -> Lowered<T> {
    Err(Refusal::Message(message.into()))
}

/// The most registers that a function may use.
const MOST_SLOTS: u32 = 1 << 16;
/// The most local memory that a function may use, in bytes.
const MOST_LOCAL: u64 = 512 << 10;

/// The surroundings in which the functions of a kernel are lowered.
struct Scene<'a, 's> {
    source: &'a Source<'s>,
    /// Functions with a body, by name.
    functions: &'a HashMap<&'s str, usize>,
    /// Variables in device memory: their indices.
    globals: &'a Names<'s>,
    /// Where shared variables lie.
    shared: Shared<'s>,
    /// The constants of the kernel's instructions.
    constants: RefCell<code::Constants>,
}

/// A function that is being lowered.
struct Body<'a, 's> {
    scene: &'a Scene<'a, 's>,
    function: &'a Function<'s>,
    scopes: Scopes<'s>,
    slots: u32,
    local: u64,
    ops: Vec<Instr>,
    /// The line of each.
    lines: Vec<u32>,
    /// The line that is being lowered.
    line: u32,
    guard: Option<(code::Slot, bool)>,
    /// Instructions whose targets are labels: op, label's scope, name, line.
    branches: Vec<(usize, usize, Vec<&'s str>, u32)>,
    /// Calls: op and name of the function.
    calls: Vec<(usize, &'s str)>,
    /// Operations that may be fused, or are.
    notes: Vec<contract::Note>,
}

/// A function's code, not yet placed among the others'.
struct Piece<'s> {
    ops: Vec<Instr>,
    lines: Vec<u32>,
    slots: u32,
    local: u32,
    calls: Vec<(usize, &'s str)>,
    params: Vec<code::Place>,
    returns: Vec<code::Place>,
}

/// Lowers a module.
pub(crate) fn lower(source: &Source<'_>) -> Result<Module, ParseError> {
    module(source).map_err(|errors| report(ParseErrorKind::InvalidPtx, &errors))
}

fn module(source: &Source<'_>) -> Result<Module, Vec<Diagnostic>> {
    let one = |error| vec![error];
    let functions = layout::functions(source).map_err(one)?;
    let (globals, names) = layout::globals(source, &functions).map_err(one)?;
    let mut kernels = Vec::new();
    let mut errors = Vec::new();
    let mut reached_by_any = vec![false; source.functions.len()];
    for (index, function) in source.functions.iter().enumerate() {
        if !function.entry || function.body.is_none() {
            continue;
        }
        match kernel(source, &functions, &names, index, &mut reached_by_any) {
            Ok(kernel) => kernels.push(kernel),
            Err(mut some) => errors.append(&mut some),
        }
    }
    // Functions that no kernel calls are checked all the same.
    for (index, function) in source.functions.iter().enumerate() {
        if !function.entry && function.body.is_some() && !reached_by_any[index] {
            let checked = kernel(source, &functions, &names, index, &mut reached_by_any);
            errors.extend(checked.err().unwrap_or_default());
        }
    }
    errors.sort_by_key(|error| error.line);
    errors.dedup();
    if errors.is_empty() {
        let external = names.external.iter().map(|&name| name.to_owned()).collect();
        Ok(Module { target: source.target, kernels, globals, external, text: "".into() })
    } else {
        Err(errors)
    }
}

/// Lowers a function and all that it calls.
fn kernel<'s>(
    source: &Source<'s>,
    functions: &HashMap<&'s str, usize>,
    globals: &Names<'s>,
    index: usize,
    reached_by_any: &mut [bool],
) -> Result<Kernel, Vec<Diagnostic>> {
    let one = |error| vec![error];
    let Reached { order, names } = layout::reached(source, functions, index);
    let shared = layout::shared(source, &order, &names).map_err(one)?;
    let static_shared = shared.total;
    let scene = Scene { source, functions, globals, shared, constants: RefCell::default() };
    let mut pieces = Vec::new();
    let mut errors = Vec::new();
    for &index in &order {
        reached_by_any[index] = true;
        match Body::lower(&scene, &source.functions[index]) {
            Ok(piece) => pieces.push(piece),
            Err(mut some) => errors.append(&mut some),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let function = &source.functions[index];
    // Those of a function lie in its frame.
    let own: &[_] = if function.entry { &function.params } else { &[] };
    let (params, param_bytes) = layout::params(own).map_err(one)?;
    let slots = pieces.first().map_or(FIRST, |piece| piece.slots);
    let local = pieces.first().map_or(0, |piece| piece.local);
    let linked = call::link(source, &order, pieces).map_err(one)?;
    let hoisted = match linked.functions.len() {
        1 => hoist::hoist((linked.code, linked.lines), slots, param_bytes),
        _ => hoist::Hoisted::none((linked.code, linked.lines)),
    };
    let mut kernel = Kernel {
        name: function.name.to_owned(),
        params,
        param_bytes,
        static_shared: static_shared as usize,
        local_bytes: local as usize,
        block: function.block,
        registers: (slots - FIRST + 8).min(255),
        slots,
        dynamic_offset: static_shared.next_multiple_of(16) as usize,
        once: hoisted.once,
        code: hoisted.code,
        lines: hoisted.lines,
        zeroed: hoisted.zeroed,
        functions: linked.functions,
        constants: scene.constants.into_inner(),
    };
    if let Some(most) = function.block.max_registers {
        kernel.limit_registers(most);
    }
    Ok(kernel)
}

impl<'a, 's> Body<'a, 's> {
    fn lower(
        scene: &'a Scene<'a, 's>,
        function: &'a Function<'s>,
    ) -> Result<Piece<'s>, Vec<Diagnostic>> {
        let mut body = Self {
            scene,
            function,
            scopes: Scopes::new(),
            slots: FIRST,
            local: 0,
            ops: Vec::new(),
            lines: Vec::new(),
            line: function.line,
            guard: None,
            branches: Vec::new(),
            calls: Vec::new(),
            notes: Vec::new(),
        };
        let formal = body.formals().map_err(|error| vec![error]);
        let (params, returns) = formal?;
        let mut errors = Vec::new();
        for (at, statement) in function.body.iter().flatten().enumerate() {
            if let Err(refusal) = body.statement(at, statement) {
                errors.push(refused(statement, refusal));
                if errors.len() >= 100 {
                    break;
                }
            }
        }
        // A body that runs out returns.
        body.guard = None;
        body.push(Op::Ret);
        if errors.is_empty() {
            errors.extend(body.resolve_branches());
            if function.entry {
                // The assembler optimizes nothing that is to be debugged.
                if !scene.source.targets.contains(&"debug") {
                    contract::contract(&mut body.ops, &body.notes);
                }
                pair::pair(&mut body.ops, &body.notes);
            }
        }
        if body.slots > MOST_SLOTS {
            errors.push(Diagnostic::new(
                function.line,
                format!("Function '{}' uses too many registers", function.name),
            ));
        }
        if body.local > MOST_LOCAL {
            errors.push(Diagnostic::new(
                function.line,
                format!(
                    "Function '{}' uses too much local data ({:#x} bytes, {MOST_LOCAL:#x} max)",
                    function.name, body.local
                ),
            ));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Piece {
            ops: body.ops,
            lines: body.lines,
            slots: body.slots,
            local: body.local.next_multiple_of(16) as u32,
            calls: body.calls,
            params,
            returns,
        })
    }

    /// A slot of the frame.
    fn slot(&mut self) -> code::Slot {
        let slot = self.slots;
        self.slots = self.slots.saturating_add(1);
        slot
    }

    fn push(&mut self, op: Op) {
        self.ops.push(Instr { guard: self.guard, op });
        self.lines.push(self.line);
    }

    /// Notes what the last instruction is, for what is fused.
    fn note(&mut self, what: contract::What, ty: Type, modifiers: super::ops::Modifiers) {
        self.notes.push(contract::Note { at: self.ops.len() - 1, what, ty, modifiers });
    }

    fn statement(&mut self, at: usize, statement: &'a Statement<'s>) -> Lowered<()> {
        self.line = statement.line;
        match &statement.kind {
            StatementKind::Open => self.scopes.open(),
            StatementKind::Close => self.scopes.close(),
            StatementKind::Registers(ty, elements, names) => {
                for &(name, count) in names {
                    self.scopes.registers(name, (*ty, *elements), count)?;
                }
            }
            StatementKind::Variable(variable) => self.variable(variable, at)?,
            StatementKind::Location(..) | StatementKind::Pragma(_) => {}
            StatementKind::Label(name) => self.scopes.label(name, self.ops.len())?,
            StatementKind::Targets(name, labels) => {
                self.scopes.declare(name, Entity::Targets(labels.clone()))?;
                // They have to be there, whether or not a branch uses them.
                let targets = (usize::MAX, self.scopes.current(), labels.clone(), statement.line);
                self.branches.push(targets);
            }
            StatementKind::Prototype(name, returns, params) => {
                let entity = Entity::Prototype(returns.clone(), params.clone());
                self.scopes.declare(name, entity)?;
            }
            StatementKind::CallTargets(name, targets) => {
                let functions = &self.scene.source.functions;
                let mut found = targets.iter().map(|target| {
                    functions.iter().find(|function| function.name == *target && !function.entry)
                });
                let (Some(Some(function)), true) = (found.next(), found.all(|one| one.is_some()))
                else {
                    return refuse(format!("Unknown symbol in the targets '{name}'"));
                };
                let entity = Entity::Prototype(function.returns.clone(), function.params.clone());
                self.scopes.declare(name, entity)?;
            }
            StatementKind::Instruction(instruction) => {
                self.instruction(instruction, statement.line)?;
            }
        }
        Ok(())
    }

    /// A variable of the function's own, which is the statement of a number.
    fn variable(&mut self, variable: &Variable<'s>, at: usize) -> Lowered<()> {
        let entity = match variable.space {
            super::tree::Space::Shared => {
                let place = self.scene.shared.place(self.function.name, variable)?;
                Entity::Shared(place, variable.step())
            }
            super::tree::Space::Local | super::tree::Space::Param => self.allocate(variable)?,
            super::tree::Space::Global | super::tree::Space::Const => {
                let own = (self.function.name, at);
                let Some(&index) = self.scene.globals.own.get(&own) else {
                    return refuse(format!("Variable '{}' is not known", variable.name));
                };
                Entity::Global(index, variable.step())
            }
            super::tree::Space::Reg => return refuse("'.reg' is not allowed here"),
        };
        self.scopes.declare(variable.name, entity)
    }

    /// Room for a variable in the frame's local memory.
    fn allocate(&mut self, variable: &Variable<'s>) -> Lowered<Entity<'s>> {
        if !variable.init.is_empty() {
            return refuse(format!("Variable '{}' cannot have an initialiser", variable.name));
        }
        let Some(size) = variable.size else {
            return refuse(format!(
                "Non-external variable '{}' has incomplete type",
                variable.name
            ));
        };
        let offset = self.local.next_multiple_of(variable.align.max(1));
        self.local = offset.saturating_add(size);
        if self.local > MOST_LOCAL {
            return refuse(format!("Variable '{}' uses too much local data", variable.name));
        }
        Ok(Entity::Frame {
            offset: offset as u32,
            size: size as u32,
            step: variable.step(),
            param: variable.space == super::tree::Space::Param,
        })
    }

    /// Parameters and results: entries' lie in the launch's buffer, functions'
    /// in registers or the frame.
    fn formals(&mut self) -> Result<(Vec<code::Place>, Vec<code::Place>), Diagnostic> {
        let function = self.function;
        if function.entry {
            let (params, _) = layout::params(&function.params)?;
            for (variable, place) in function.params.iter().zip(&params) {
                let entity = Entity::Param(place.offset as u32);
                self.declare_formal(variable, entity)?;
            }
            return Ok((Vec::new(), Vec::new()));
        }
        let mut place = |variable: &Variable<'s>| {
            if variable.space == super::tree::Space::Reg {
                let elements = variable.elements();
                let slots: Vec<_> = (0..elements).map(|_| self.slot()).collect();
                self.scopes.vectors |= elements > 1;
                self.declare_formal(variable, scope::register(variable.ty, elements, slots[0]))?;
                let places = slots.into_iter().map(code::Src::register).map(code::Place::Value);
                return Ok(places.collect());
            }
            // An array without a size is what follows the other parameters.
            let sized = Variable { size: variable.size.or(Some(0)), ..variable.clone() };
            let entity = self
                .allocate(&sized)
                .map_err(|refusal| Diagnostic::new(variable.line, text(refusal)))?;
            let Entity::Frame { offset, size, .. } = entity else {
                return Err(Diagnostic::new(variable.line, "Invalid parameter"));
            };
            self.declare_formal(variable, entity)?;
            Ok(vec![code::Place::Local(offset, size)])
        };
        let params = function.params.iter().map(&mut place).collect::<Result<Vec<_>, _>>()?;
        let returns = function.returns.iter().map(&mut place).collect::<Result<Vec<_>, _>>()?;
        Ok((params.concat(), returns.concat()))
    }

    fn declare_formal(
        &mut self,
        variable: &Variable<'s>,
        entity: Entity<'s>,
    ) -> Result<(), Diagnostic> {
        self.scopes
            .declare(variable.name, entity)
            .map_err(|refusal| Diagnostic::new(variable.line, text(refusal)))
    }

    fn instruction(&mut self, instruction: &'a Instruction<'s>, line: u32) -> Lowered<()> {
        self.guard = match instruction.guard {
            Some((name, negated)) => Some((self.register(name, Type::PRED)?, negated)),
            None => None,
        };
        let mut modifiers = Modifiers::new(&instruction.opcode);
        let apart;
        let operands = if self.scopes.vectors {
            apart = self.apart(&instruction.operands);
            &apart
        } else {
            instruction.operands.as_slice()
        };
        let m = &mut modifiers;

        m.named()?;
        let discards = matches!(operands.first(), Some(Operand::Name("_") | Operand::Pair("_", _)));
        if discards && !["atom", "elect", "lop3", "mbarrier", "setp"].contains(&m.head) {
            return refuse(format!(
                "Result discard mode is not allowed for instruction '{}'",
                m.head
            ));
        }
        match table::family(m.head).ok_or(Refusal::Unsupported)? {
            Family::Integer => self.integer(m, operands),
            Family::Arithmetic => self.arithmetic(m, operands),
            Family::Float => self.float(m, operands),
            Family::Convert => self.convert(m, operands),
            Family::Memory => self.memory(m, operands),
            Family::CopyAsync => self.copy_async(m, operands),
            Family::TensorMap => self.tensormap(m, operands),
            Family::Hint => self.hints(m, operands),
            Family::MemoryBarrier => self.memory_barrier(m, operands),
            Family::Stack => self.stack(m, operands),
            Family::Warp => self.warp(m, operands),
            Family::Matrix => self.matrix(m, operands),
            Family::Barrier => self.barrier(m, operands),
            Family::Call => self.call(m, operands),
            Family::Control => self.control(m, operands, line),
            Family::Texture => self.texture(m, operands),
            Family::Video => self.video(m, operands),
        }
    }
}

/// A refusal's text, where there is no instruction to name.
fn text(refusal: Refusal) -> String {
    match refusal {
        Refusal::Unsupported => "Not supported".to_owned(),
        Refusal::Message(message) => message,
    }
}

fn refused(statement: &Statement<'_>, refusal: Refusal) -> Diagnostic {
    let message = match (&statement.kind, refusal) {
        (StatementKind::Instruction(instruction), Refusal::Unsupported) => {
            format!("Instruction '{}' is not supported", instruction.opcode)
        }
        (StatementKind::Instruction(instruction), Refusal::Message(message)) => {
            format!("{message} (instruction '{}')", instruction.opcode)
        }
        (_, refusal) => text(refusal),
    };
    Diagnostic::new(statement.line, message)
}

/// The variables in device memory: the indices in [`Module::globals`].
#[derive(Default)]
struct Names<'s> {
    /// Those of module scope, by name.
    module: HashMap<&'s str, u32>,
    /// Those of functions, by the function and the number of the statement.
    own: HashMap<(&'s str, usize), u32>,
    /// Which of them are constants.
    constants: Vec<bool>,
    /// Those of other texts, which were given memory here for want of these.
    external: Vec<&'s str>,
}

/// The variables of device memory, for [`Module::globals`].
type Globals<'s> = (Vec<Global>, Names<'s>);
