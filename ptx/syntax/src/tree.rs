//! The syntax tree: what the text says, with no name resolved.

use super::types::Type;
use std::borrow::Cow;

/// A whole module.
#[derive(Debug, Default)]
pub struct Source<'s> {
    /// `.version`, in tenths.
    pub version: u32,
    /// `.target`'s number, such as 75.
    pub target: u32,
    /// Whether the target is one of a single architecture, such as `sm_90a`.
    pub specific: bool,
    /// The words of the first `.target`: the name, and options such as `debug`.
    pub targets: Vec<&'s str>,
    /// The files of `.file`, by number.
    pub files: Vec<(u64, &'s str)>,
    /// Variables of module scope, in order.
    pub variables: Vec<Variable<'s>>,
    /// Entries and functions, in order, declarations among them.
    pub functions: Vec<Function<'s>>,
}

/// A state space that variables are declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
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
pub enum Init<'s> {
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
pub struct Variable<'s> {
    /// Its name.
    pub name: &'s str,
    /// The line it is declared on.
    pub line: u32,
    /// Its place among the tokens of the text.
    pub at: usize,
    /// Where it lies.
    pub space: Space,
    /// Its alignment in bytes.
    pub align: u64,
    /// The type of an element.
    pub ty: Type,
    /// Its size in bytes; none for `[]`.
    pub size: Option<u64>,
    /// Whether it is an array, elements of which may be operands.
    pub array: bool,
    /// Its initialiser.
    pub init: Vec<Init<'s>>,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// `.visible`
    pub visible: bool,
    /// `.extern`
    pub external: bool,
    /// `.common`
    pub common: bool,
    /// The attributes that `.ptr` gives a parameter.
    pub pointer: Option<Pointer>,
}

/// `.ptr`: the memory that a parameter points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Its space; none if it is generic.
    pub space: Option<Space>,
    /// Its alignment, if it is given.
    pub align: Option<u64>,
}

impl Variable<'_> {
    /// How long an element is, if it is an array.
    pub fn step(&self) -> Option<u8> {
        self.array.then_some(self.ty.bytes)
    }

    /// How many elements a register has: more than one if it is a vector.
    pub fn elements(&self) -> u8 {
        self.size.map_or(1, |size| (size / u64::from(self.ty.bytes)) as u8)
    }
}

/// An `.entry` or `.func`.
#[derive(Debug)]
pub struct Function<'s> {
    /// Its name.
    pub name: &'s str,
    /// The line it is declared on.
    pub line: u32,
    /// Its place among the tokens of the text.
    pub at: usize,
    /// Whether it is `.visible` or `.weak`.
    pub visible: bool,
    /// Whether it is `.extern`.
    pub external: bool,
    /// Whether it is an `.entry`.
    pub entry: bool,
    /// The variables that it returns.
    pub returns: Vec<Variable<'s>>,
    /// Its parameters.
    pub params: Vec<Variable<'s>>,
    /// The blocks that it takes.
    pub block: BlockLimit,
    /// The directives between its parameters and its body, with their numbers.
    pub directives: Vec<(&'s str, Vec<u32>)>,
    /// Its statements; none for a declaration.
    pub body: Option<Vec<Statement<'s>>>,
}

/// A statement of a body, and its line.
#[derive(Debug)]
pub struct Statement<'s> {
    /// The line.
    pub line: u32,
    /// The statement.
    pub kind: StatementKind<'s>,
}

/// The kind of a statement.
#[derive(Debug)]
pub enum StatementKind<'s> {
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
    /// `.loc`: the number of a file, a line and a column of the source.
    Location(u64, u64, u64),
    /// `.pragma`: its texts.
    Pragma(Vec<&'s str>),
    /// An instruction.
    Instruction(Instruction<'s>),
}

/// An instruction.
#[derive(Debug)]
pub struct Instruction<'s> {
    /// `@p` or `@!p`: the predicate, and whether it is negated.
    pub guard: Option<(&'s str, bool)>,
    /// The opcode with its modifiers, without gaps.
    pub opcode: Cow<'s, str>,
    /// The operands.
    pub operands: Vec<Operand<'s>>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'s> {
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

/// The blocks that a kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockLimit {
    /// The product of `.maxntid`: no more threads than that.
    pub max_threads: Option<u32>,
    /// `.reqntid`: exactly this shape.
    pub required: Option<[u32; 3]>,
    /// `.maxnreg`: no more registers than that are reported.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: clusters of exactly this shape.
    pub cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch has to say how large its clusters are.
    pub explicit_cluster: bool,
}

impl BlockLimit {
    /// Whether it says how many registers a thread may have, in one way or the other.
    pub fn limits_registers(&self) -> bool {
        self.max_threads.is_some() || self.required.is_some() || self.max_registers.is_some()
    }
}
