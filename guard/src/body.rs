//! A function with its names resolved: registers, labels and variables are numbers, so that nothing that the text names
//! stands in what is printed.

use std::collections::HashMap;

use cuscope_ptx_syntax::tree::{
    Function, Operand, Source, Space, Statement, StatementKind, Variable,
};
use cuscope_ptx_syntax::types::{Kind, Type};

use crate::planted::{Mistake, planted};
use crate::rules::is_special;

/// Why a function is refused: a line of the text, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl Reason {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A variable, by where it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Var {
    /// One of module scope, by its index in [`Source::variables`].
    Module(usize),
    /// One of the function, by its index in [`Body::variables`].
    Own(usize),
    /// A parameter of the function.
    Param(usize),
    /// A result of the function.
    Return(usize),
}

/// What the address in brackets begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Reg(usize),
    Var(Var),
    Nothing,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arg {
    Reg(usize),
    /// A special register, by its name.
    Special(String),
    /// `!p`
    Not(usize),
    /// `-r`
    Minus(usize),
    /// `a|b`
    Pair(Box<Arg>, Box<Arg>),
    Int(u64),
    F32(u32),
    F64(u64),
    /// The address of a variable, and an addend.
    AddressOf(Var, i64),
    /// A register and an addend.
    Sum(usize, i64),
    /// `[…]`
    Address(Base, i64),
    /// `[handle, {…}]`
    Object(usize, Vec<Arg>),
    Vector(Vec<Arg>),
    List(Vec<Arg>),
    Label(usize),
    /// A list of labels for `brx`.
    Targets(usize),
    /// A function of the module.
    Function(usize),
    /// `_`
    Sink,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Ins {
    pub(crate) line: u32,
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(usize, bool)>,
    pub(crate) opcode: String,
    pub(crate) args: Vec<Arg>,
}

impl Ins {
    /// The first part of the opcode.
    pub(crate) fn head(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// The parts behind the first.
    pub(crate) fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.opcode.split('.').skip(1)
    }

    /// Whether one of them is this.
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|one| one == modifier)
    }

    /// The registers that the first operand names, which hold the results if there are any.
    pub(crate) fn results(&self) -> Vec<usize> {
        fn gather(arg: &Arg, into: &mut Vec<usize>) {
            match arg {
                Arg::Reg(reg) => into.push(*reg),
                Arg::Pair(a, b) => {
                    gather(a, into);
                    gather(b, into);
                }
                Arg::Vector(list) | Arg::List(list) => {
                    list.iter().for_each(|one| gather(one, into));
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        if let Some(first) = self.args.first() {
            gather(first, &mut all);
        }
        all
    }

    /// All registers that an operand or the predicate names.
    pub(crate) fn mentioned(&self) -> Vec<usize> {
        fn gather(arg: &Arg, into: &mut Vec<usize>) {
            match arg {
                Arg::Reg(reg) | Arg::Not(reg) | Arg::Minus(reg) | Arg::Sum(reg, _) => {
                    into.push(*reg);
                }
                Arg::Address(Base::Reg(reg), _) => into.push(*reg),
                Arg::Pair(a, b) => {
                    gather(a, into);
                    gather(b, into);
                }
                Arg::Object(reg, list) => {
                    into.push(*reg);
                    list.iter().for_each(|one| gather(one, into));
                }
                Arg::Vector(list) | Arg::List(list) => {
                    list.iter().for_each(|one| gather(one, into));
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        self.args.iter().for_each(|arg| gather(arg, &mut all));
        all.extend(self.guard.map(|(reg, _)| reg));
        all
    }
}

/// A part of a body, in order.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Open,
    Close,
    /// The declaration of one of [`Body::variables`].
    Declare(usize),
    Label(usize),
    /// A list of labels: its number, and the labels.
    Targets(usize, Vec<usize>),
    Location(u64, u64, u64),
    Pragma(String),
    Ins(Ins),
}

/// A variable of a function.
#[derive(Clone, Debug)]
pub(crate) struct Own<'s> {
    pub(crate) variable: Variable<'s>,
}

/// A function's body.
#[derive(Debug)]
pub(crate) struct Body<'s> {
    /// The types of the registers.
    pub(crate) registers: Vec<Type>,
    pub(crate) variables: Vec<Own<'s>>,
    pub(crate) labels: usize,
    pub(crate) items: Vec<Item>,
    /// The registers of formal parameters and results in `.reg`, by their variables.
    pub(crate) formals: HashMap<Var, usize>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
enum Entity {
    Reg(usize),
    /// Registers from this number on, as many as the second says.
    Range(Type, u64),
    Var(Var),
    Label(usize),
    Targets(usize),
    /// A name that an instruction may not use.
    Other,
}

#[derive(Default)]
struct Scope<'s> {
    names: HashMap<&'s str, Entity>,
    numbered: HashMap<(&'s str, u64), usize>,
}

struct Resolver<'a, 's> {
    source: &'a Source<'s>,
    functions: &'a HashMap<&'s str, usize>,
    scopes: Vec<Scope<'s>>,
    body: Body<'s>,
    line: u32,
}

/// The most registers of a function.
const MOST_REGISTERS: usize = 1 << 17;

type Resolved<T> = Result<T, Reason>;

/// Resolves the names of a function.
pub(crate) fn resolve<'s>(
    source: &Source<'s>,
    functions: &HashMap<&'s str, usize>,
    function: &Function<'s>,
) -> Resolved<Body<'s>> {
    let body = Body {
        registers: Vec::new(),
        variables: Vec::new(),
        labels: 0,
        items: Vec::new(),
        formals: HashMap::new(),
    };
    let mut all =
        Resolver { source, functions, scopes: vec![Scope::default()], body, line: function.line };
    for (at, param) in function.params.iter().enumerate() {
        all.formal(param, Var::Param(at))?;
    }
    for (at, result) in function.returns.iter().enumerate() {
        all.formal(result, Var::Return(at))?;
    }
    let statements = function.body.as_deref().unwrap_or_default();
    all.scopes.push(Scope::default());
    all.labels(statements)?;
    for (at, statement) in statements.iter().enumerate() {
        all.statement(at, statement, statements)?;
    }
    Ok(all.body)
}

impl<'s> Resolver<'_, 's> {
    fn refuse<T>(&self, message: impl Into<String>) -> Resolved<T> {
        Err(Reason::new(self.line, message))
    }

    fn formal(&mut self, variable: &Variable<'s>, var: Var) -> Resolved<()> {
        let entity = if variable.space == Space::Reg {
            if variable.elements() > 1 {
                return self.refuse("a register that is a vector");
            }
            let reg = self.register(variable.ty)?;
            self.body.formals.insert(var, reg);
            Entity::Reg(reg)
        } else {
            Entity::Var(var)
        };
        self.declare(variable.name, entity)
    }

    fn register(&mut self, ty: Type) -> Resolved<usize> {
        if self.body.registers.len() >= MOST_REGISTERS {
            return self.refuse("too many registers");
        }
        self.body.registers.push(ty);
        Ok(self.body.registers.len() - 1)
    }

    fn declare(&mut self, name: &'s str, entity: Entity) -> Resolved<()> {
        let twice = match self.scopes.last_mut() {
            Some(scope) => scope.names.insert(name, entity).is_some(),
            None => true,
        };
        if twice {
            return self.refuse(format!("'{name}' is declared twice"));
        }
        Ok(())
    }

    /// Declares the labels of a block, which may be used before they come.
    fn labels(&mut self, statements: &[Statement<'s>]) -> Resolved<()> {
        let mut depth = 0u32;
        for statement in statements {
            self.line = statement.line;
            match &statement.kind {
                StatementKind::Open => depth += 1,
                StatementKind::Close if depth == 0 => break,
                StatementKind::Close => depth -= 1,
                StatementKind::Label(name) if depth == 0 => {
                    let label = self.body.labels;
                    self.body.labels += 1;
                    self.declare(name, Entity::Label(label))?;
                }
                StatementKind::Targets(name, _) if depth == 0 => {
                    let list = self.body.labels;
                    self.body.labels += 1;
                    self.declare(name, Entity::Targets(list))?;
                }
                StatementKind::Prototype(name, ..) | StatementKind::CallTargets(name, _)
                    if depth == 0 =>
                {
                    self.declare(name, Entity::Other)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn find(&mut self, name: &'s str) -> Resolved<Option<Entity>> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (stem, number) = name.split_at(name.len() - digits);
        let canonical = digits == 1 || (digits > 1 && !number.starts_with('0'));
        let number = number.parse::<u64>().ok().filter(|_| canonical);
        for at in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[at];
            match scope.names.get(name) {
                Some(Entity::Range(..)) | None => {}
                Some(&entity) => return Ok(Some(entity)),
            }
            let (Some(number), Some(&Entity::Range(ty, count))) = (number, scope.names.get(stem))
            else {
                continue;
            };
            if number < count {
                if let Some(&reg) = scope.numbered.get(&(stem, number)) {
                    return Ok(Some(Entity::Reg(reg)));
                }
                let reg = self.register(ty)?;
                self.scopes[at].numbered.insert((stem, number), reg);
                return Ok(Some(Entity::Reg(reg)));
            }
        }
        Ok(None)
    }

    /// The variable of a name.
    fn variable(&mut self, name: &'s str) -> Resolved<Option<Var>> {
        match self.find(name)? {
            Some(Entity::Var(var)) => Ok(Some(var)),
            Some(_) => Ok(None),
            None => {
                // A definition, or else the first declaration.
                let variables = &self.source.variables;
                let named = |external: bool| {
                    variables.iter().position(|one| one.name == name && one.external == external)
                };
                Ok(named(false).or_else(|| named(true)).map(Var::Module))
            }
        }
    }

    fn statement(
        &mut self,
        at: usize,
        statement: &Statement<'s>,
        all: &[Statement<'s>],
    ) -> Resolved<()> {
        self.line = statement.line;
        match &statement.kind {
            StatementKind::Open => {
                self.scopes.push(Scope::default());
                self.labels(&all[at + 1..])?;
                self.line = statement.line;
                self.body.items.push(Item::Open);
            }
            StatementKind::Close => {
                self.scopes.pop();
                self.body.items.push(Item::Close);
            }
            StatementKind::Registers(ty, elements, names) => {
                if *elements > 1 {
                    return self.refuse("a register that is a vector");
                }
                for &(name, count) in names {
                    if !name.starts_with('%')
                        && !name
                            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
                    {
                        return self.refuse(format!("the name '{name}'"));
                    }
                    let entity = match count {
                        Some(count) => Entity::Range(*ty, count),
                        None => Entity::Reg(self.register(*ty)?),
                    };
                    self.declare(name, entity)?;
                }
            }
            StatementKind::Variable(variable) => {
                let own = self.body.variables.len();
                self.body.variables.push(Own { variable: variable.clone() });
                self.declare(variable.name, Entity::Var(Var::Own(own)))?;
                self.body.items.push(Item::Declare(own));
            }
            StatementKind::Label(name) => {
                let Some(Entity::Label(label)) = self.find(name)? else {
                    return self.refuse(format!("the label '{name}'"));
                };
                self.body.items.push(Item::Label(label));
            }
            StatementKind::Targets(name, labels) => {
                let Some(Entity::Targets(list)) = self.find(name)? else {
                    return self.refuse(format!("the list '{name}'"));
                };
                let mut targets = Vec::new();
                for label in labels {
                    match self.find(label)? {
                        Some(Entity::Label(label)) => targets.push(label),
                        _ => return self.refuse(format!("'{label}' is no label")),
                    }
                }
                self.body.items.push(Item::Targets(list, targets));
            }
            StatementKind::Prototype(..) => {
                return self.refuse("a prototype: indirect calls are not guarded");
            }
            StatementKind::CallTargets(..) => {
                return self.refuse("a list of functions: indirect calls are not guarded");
            }
            StatementKind::Location(file, line, column) => {
                self.body.items.push(Item::Location(*file, *line, *column));
            }
            StatementKind::Pragma(texts) => {
                // The others are of no use to the result, and some move registers to shared memory.
                let known = texts
                    .iter()
                    .filter(|text| **text == "nounroll" || planted(Mistake::PragmaStays));
                let items = known.map(|text| Item::Pragma((*text).to_owned()));
                self.body.items.extend(items);
            }
            StatementKind::Instruction(instruction) => {
                let asserts =
                    |operand: &Operand<'_>| matches!(operand, Operand::Name("__assertfail"));
                let fails = instruction.opcode.split('.').next() == Some("call")
                    && instruction.operands.iter().take(2).any(asserts)
                    && !self.functions.contains_key("__assertfail");
                if fails {
                    let guard = self.predicate(instruction.guard)?;
                    let opcode = "trap".to_owned();
                    self.body.items.push(Item::Ins(Ins {
                        line: statement.line,
                        guard,
                        opcode,
                        args: Vec::new(),
                    }));
                    return Ok(());
                }
                let guard = self.predicate(instruction.guard)?;
                let opcode = instruction.opcode.to_string();
                let call = opcode.split('.').next() == Some("call");
                let mut args = Vec::new();
                for operand in &instruction.operands {
                    args.push(self.operand(operand, call)?);
                }
                self.body.items.push(Item::Ins(Ins { line: statement.line, guard, opcode, args }));
            }
        }
        Ok(())
    }

    fn predicate(&mut self, guard: Option<(&'s str, bool)>) -> Resolved<Option<(usize, bool)>> {
        let Some((name, negated)) = guard else { return Ok(None) };
        match self.find(name)? {
            Some(Entity::Reg(reg)) if self.body.registers[reg].kind == Kind::Pred => {
                Ok(Some((reg, negated)))
            }
            _ => self.refuse(format!("'{name}' is no predicate")),
        }
    }

    fn reg(&mut self, name: &'s str) -> Resolved<usize> {
        match self.find(name)? {
            Some(Entity::Reg(reg)) => Ok(reg),
            _ => self.refuse(format!("'{name}' is no register")),
        }
    }

    fn name(&mut self, name: &'s str, call: bool) -> Resolved<Arg> {
        if name == "_" {
            return Ok(Arg::Sink);
        }
        match self.find(name)? {
            Some(Entity::Reg(reg)) => return Ok(Arg::Reg(reg)),
            Some(Entity::Label(label)) => return Ok(Arg::Label(label)),
            Some(Entity::Targets(list)) => return Ok(Arg::Targets(list)),
            Some(Entity::Var(var)) => return Ok(Arg::AddressOf(var, 0)),
            Some(Entity::Other) => return self.refuse("an indirect call"),
            Some(Entity::Range(..)) => {
                return self.refuse(format!("'{name}' cannot be an operand"));
            }
            None => {}
        }
        if let Some(var) = self.variable(name)? {
            return Ok(Arg::AddressOf(var, 0));
        }
        if is_special(name) {
            return Ok(Arg::Special(name.to_owned()));
        }
        if call {
            return match self.functions.get(name) {
                Some(&function) => Ok(Arg::Function(function)),
                None => self.refuse(format!("a call of '{name}', which is not in the module")),
            };
        }
        if self.source.functions.iter().any(|one| one.name == name) {
            return self.refuse(format!("the address of the function '{name}'"));
        }
        self.refuse(format!("the name '{name}' is not known"))
    }

    fn list(&mut self, list: &[Operand<'s>], call: bool) -> Resolved<Vec<Arg>> {
        list.iter().map(|one| self.operand(one, call)).collect()
    }

    fn operand(&mut self, operand: &Operand<'s>, call: bool) -> Resolved<Arg> {
        Ok(match operand {
            Operand::Name(name) => self.name(name, call)?,
            Operand::Element(name, _) => {
                return self.refuse(format!("an element of '{name}'"));
            }
            Operand::Not(name) => Arg::Not(self.reg(name)?),
            Operand::Minus(name) => Arg::Minus(self.reg(name)?),
            Operand::Pair(a, b) => {
                Arg::Pair(Box::new(self.name(a, false)?), Box::new(self.name(b, false)?))
            }
            Operand::Int(value) => Arg::Int(*value),
            Operand::F32(bits) => Arg::F32(*bits),
            Operand::F64(bits) => Arg::F64(*bits),
            Operand::Sum(name, addend) => match self.name(name, false)? {
                Arg::Reg(reg) => Arg::Sum(reg, *addend),
                Arg::AddressOf(var, _) => Arg::AddressOf(var, *addend),
                _ => return self.refuse(format!("'{name}' with an addend")),
            },
            Operand::Index(name, index, at) => {
                let Some(var) = self.variable(name)? else {
                    return self.refuse(format!("an element of '{name}'"));
                };
                let step = self.declaration(var).and_then(Variable::step);
                let offset = step.and_then(|step| at.checked_mul(step.into()));
                match (index, offset) {
                    (None, Some(offset)) => Arg::Address(Base::Var(var), offset),
                    _ => return self.refuse(format!("an element of '{name}' by a register")),
                }
            }
            Operand::Address(None, offset) => Arg::Address(Base::Nothing, *offset),
            Operand::Address(Some(name), offset) => match self.name(name, false)? {
                Arg::Reg(reg) => Arg::Address(Base::Reg(reg), *offset),
                Arg::AddressOf(var, _) => Arg::Address(Base::Var(var), *offset),
                _ => return self.refuse(format!("'{name}' is no address")),
            },
            Operand::Object(name, place) => {
                let handle = self.reg(name)?;
                Arg::Object(handle, self.list(place, false)?)
            }
            Operand::Vector(list) => Arg::Vector(self.list(list, false)?),
            Operand::List(list) => Arg::List(self.list(list, false)?),
        })
    }

    /// The declaration of a variable of the module or of the function's own.
    fn declaration(&self, var: Var) -> Option<&Variable<'s>> {
        match var {
            Var::Module(at) => self.source.variables.get(at),
            Var::Own(at) => self.body.variables.get(at).map(|own| &own.variable),
            Var::Param(_) | Var::Return(_) => None,
        }
    }
}
