//! The syntax tree: what the text says, with no name resolved.

use super::BlockLimit;
use super::types::Type;
use std::borrow::Cow;

/// A whole module.
#[derive(Debug, Default)]
pub(crate) struct Source<'s> {
    /// `.version`, in tenths.
    pub(crate) version: u32,
    /// `.target`'s number, such as 75.
    pub(crate) target: u32,
    /// Whether the target is one of a single architecture, such as `sm_90a`.
    pub(crate) specific: bool,
    /// Variables of module scope, in order.
    pub(crate) variables: Vec<Variable<'s>>,
    /// Entries and functions, in order, declarations among them.
    pub(crate) functions: Vec<Function<'s>>,
}

/// A state space that variables are declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.param`
    Param,
    /// `.reg`, for a function's parameters.
    Reg,
}

/// One item of an initialiser.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Init<'s> {
    /// An integer, as two's complement.
    Int(u64),
    /// The bits of an f32.
    F32(u32),
    /// The bits of an f64.
    F64(u64),
    /// The address of a variable, and an addend, or one of a variable or function without either.
    Address(&'s str, Option<i64>),
    /// A byte of the address of a variable: its number.
    AddressByte(&'s str, i64, u32),
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable<'s> {
    /// Its name.
    pub(crate) name: &'s str,
    /// The line it is declared on.
    pub(crate) line: u32,
    /// Its place among the tokens of the text.
    pub(crate) at: usize,
    /// Where it lies.
    pub(crate) space: Space,
    /// Its alignment in bytes.
    pub(crate) align: u64,
    /// The type of an element.
    pub(crate) ty: Type,
    /// Its size in bytes; none for `[]`.
    pub(crate) size: Option<u64>,
    /// Whether it is an array, elements of which may be operands.
    pub(crate) array: bool,
    /// Its initialiser.
    pub(crate) init: Vec<Init<'s>>,
    /// `.attribute(.managed)`
    pub(crate) managed: bool,
    /// `.visible`
    pub(crate) visible: bool,
    /// `.extern`
    pub(crate) external: bool,
}

impl Variable<'_> {
    /// How long an element is, if it is an array.
    pub(crate) fn step(&self) -> Option<u8> {
        self.array.then_some(self.ty.bytes)
    }

    /// How many elements a register has: more than one if it is a vector.
    pub(crate) fn elements(&self) -> u8 {
        self.size.map_or(1, |size| (size / u64::from(self.ty.bytes)) as u8)
    }
}

/// An `.entry` or `.func`.
#[derive(Debug)]
pub(crate) struct Function<'s> {
    /// Its name.
    pub(crate) name: &'s str,
    /// The line it is declared on.
    pub(crate) line: u32,
    /// Its place among the tokens of the text.
    pub(crate) at: usize,
    /// Whether it is `.visible` or `.weak`.
    pub(crate) visible: bool,
    /// Whether it is `.extern`.
    pub(crate) external: bool,
    /// Whether it is an `.entry`.
    pub(crate) entry: bool,
    /// What it returns.
    pub(crate) returns: Vec<Variable<'s>>,
    /// Its parameters.
    pub(crate) params: Vec<Variable<'s>>,
    /// What blocks it takes.
    pub(crate) block: BlockLimit,
    /// Its statements; none for a declaration.
    pub(crate) body: Option<Vec<Statement<'s>>>,
}

/// A statement of a body, and its line.
#[derive(Debug)]
pub(crate) struct Statement<'s> {
    /// The line.
    pub(crate) line: u32,
    /// The statement.
    pub(crate) kind: StatementKind<'s>,
}

/// What a statement is.
#[derive(Debug)]
pub(crate) enum StatementKind<'s> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `.reg`: the type, how many of it a register has, the names, and the count of `<count>`.
    Registers(Type, u8, Vec<(&'s str, Option<u64>)>),
    /// A variable of the block.
    Variable(Variable<'s>),
    /// `name:`
    Label(&'s str),
    /// `name: .branchtargets a, b;`
    Targets(&'s str, Vec<&'s str>),
    /// `name: .callprototype (…) _ (…);`: results and parameters.
    Prototype(&'s str, Vec<Variable<'s>>, Vec<Variable<'s>>),
    /// `name: .calltargets a, b;`
    CallTargets(&'s str, Vec<&'s str>),
    /// An instruction.
    Instruction(Instruction<'s>),
}

/// An instruction.
#[derive(Debug)]
pub(crate) struct Instruction<'s> {
    /// `@p` or `@!p`: the predicate, and whether it is negated.
    pub(crate) guard: Option<(&'s str, bool)>,
    /// The opcode with its modifiers, without gaps.
    pub(crate) opcode: Cow<'s, str>,
    /// The operands.
    pub(crate) operands: Vec<Operand<'s>>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'s> {
    /// A register, variable, label, function or special register.
    Name(&'s str),
    /// An element of a register that is a vector, which the text names as a whole.
    Element(&'s str, u8),
    /// `!name`
    Not(&'s str),
    /// `-name`
    Minus(&'s str),
    /// `a|b`
    Pair(&'s str, &'s str),
    /// An integer, as two's complement.
    Int(u64),
    /// The bits of an f32.
    F32(u32),
    /// The bits of an f64.
    F64(u64),
    /// `name+offset`, without brackets.
    Sum(&'s str, i64),
    /// `name[index]` or `name[register+index]`: an element of a variable.
    Index(&'s str, Option<&'s str>, i64),
    /// `[name+offset]`, or `[offset]`.
    Address(Option<&'s str>, i64),
    /// `[name, {a, b}]`, or `[name, a]`: an object, and the place in it.
    Object(&'s str, Vec<Operand<'s>>),
    /// `{a, b}`
    Vector(Vec<Operand<'s>>),
    /// `(a, b)`
    List(Vec<Operand<'s>>),
}
