//! Where addresses come from. This only chooses what an address is compared with: a wrong answer refuses a right program,
//! and lets no wrong one through. What is said of alignment holds for every value that a register may have.

use cuscope_ptx_syntax::tree::{Source, Space, Variable};

use crate::body::{Arg, Base, Body, Ins, Item, Var};

/// Memory that an address may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Region {
    /// What a parameter of 64 bits points to.
    Param(usize),
    /// A variable in global, constant or local memory.
    Variable(Var),
    /// The bytes of a parameter of an entry.
    Bytes(usize),
    /// All shared memory.
    Shared,
    /// The workspace of a cooperative launch.
    Workspace,
}

/// A set of regions, by their numbers.
pub(crate) type Set = u128;

/// Numbers of regions that a [`Set`] has no place for are in none.
const MOST: usize = 120;

/// The regions of a function.
pub(crate) struct Regions {
    pub(crate) list: Vec<Region>,
    /// The space of each; none for what a parameter points to.
    pub(crate) spaces: Vec<Option<Space>>,
}

impl Regions {
    pub(crate) fn bit(&self, region: Region) -> Option<Set> {
        let at = self.list.iter().position(|one| *one == region)?;
        (at < MOST).then(|| 1 << at)
    }

    /// The numbers in a set.
    pub(crate) fn numbers(&self, set: Set) -> Vec<usize> {
        (0..self.list.len().min(MOST)).filter(|at| set >> at & 1 == 1).collect()
    }
}

/// The declaration of a variable.
pub(crate) fn declaration<'a, 's>(
    source: &'a Source<'s>,
    body: &'a Body<'s>,
    var: Var,
) -> Option<&'a Variable<'s>> {
    match var {
        Var::Module(at) => source.variables.get(at),
        Var::Own(at) => body.variables.get(at).map(|own| &own.variable),
        Var::Param(_) | Var::Return(_) => None,
    }
}

/// What is known of the value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The regions that it may be an address in.
    pub(crate) regions: Set,
    /// Whether it may be any other address.
    pub(crate) unknown: bool,
    /// Whether a half of the address of the workspace is in it.
    pub(crate) workspace: bool,
    /// If all addresses of these regions are multiples of a power of two that is not above 2 to the `zeros`, then so is
    /// the value. Powers up to 2^16 are meant: no access needs more, and half a register may hold no more.
    pub(crate) aligned: Set,
    pub(crate) zeros: u8,
}

impl Value {
    /// The value of a register before it is written, which is 0.
    const ZERO: Self = Self { regions: 0, unknown: false, workspace: false, aligned: 0, zeros: 64 };
    /// A number that is no address.
    pub(crate) const NUMBER: Self =
        Self { regions: 0, unknown: false, workspace: false, aligned: 0, zeros: 0 };
    /// Any address.
    const UNKNOWN: Self =
        Self { regions: 0, unknown: true, workspace: false, aligned: 0, zeros: 0 };

    fn constant(value: u64) -> Self {
        Self { zeros: value.trailing_zeros() as u8, ..Self::ZERO }
    }

    /// One of both, or their sum.
    pub(crate) fn either(self, other: Self) -> Self {
        Self {
            regions: self.regions | other.regions,
            unknown: self.unknown | other.unknown,
            workspace: self.workspace | other.workspace,
            aligned: self.aligned | other.aligned,
            zeros: self.zeros.min(other.zeros),
        }
    }

    /// What is a multiple of what either is a multiple of.
    fn both(self, other: Self) -> Self {
        let zeros = self.zeros.max(other.zeros);
        Self { aligned: self.aligned | other.aligned, zeros, ..Self::NUMBER }
    }

    fn times(self, other: Self) -> Self {
        // What is sure of either is sure of the product, whatever the regions are.
        let sure = |one: Self| if one.aligned == 0 { one.zeros } else { 0 };
        let zeros = sure(self).saturating_add(sure(other)).min(64);
        if zeros > 0 {
            return Self { zeros, ..Self::NUMBER };
        }
        self.both(other)
    }

    /// The same in the 32 low bits only, which are no address.
    fn low(self) -> Self {
        Self { regions: 0, unknown: false, ..self }
    }
}

/// The values of all registers.
pub(crate) struct Origins {
    pub(crate) values: Vec<Value>,
    regions: Regions,
    /// Whether a parameter is where its region begins: in a function it may be any address in the region of the caller.
    entry: bool,
}

impl Origins {
    /// Goes through the instructions until nothing changes.
    pub(crate) fn new(body: &Body<'_>, regions: Regions, entry: bool) -> Self {
        let mut all = Self { values: vec![Value::ZERO; body.registers.len()], regions, entry };
        for (&var, &reg) in &body.formals {
            let value = match var {
                Var::Param(at) => all.region(Region::Param(at)),
                _ => Value::UNKNOWN,
            };
            all.values[reg] = all.values[reg].either(value);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for item in &body.items {
                let Item::Ins(ins) = item else { continue };
                let results = ins.results();
                if results.is_empty() {
                    continue;
                }
                let value = all.result(ins);
                // A result of several registers, such as an address in two halves, is followed no further.
                let alone = results.len() == 1 && matches!(ins.args.first(), Some(Arg::Reg(_)));
                for reg in results {
                    let value = match body.registers[reg].bytes {
                        8 if alone => value,
                        8 => Value { aligned: 0, zeros: 0, ..Value::UNKNOWN },
                        4 if alone => value.low(),
                        _ => Value::NUMBER,
                    };
                    let next = all.values[reg].either(value);
                    changed |= next != all.values[reg];
                    all.values[reg] = next;
                }
            }
        }
        all
    }

    pub(crate) fn regions(&self) -> &Regions {
        &self.regions
    }

    fn region(&self, region: Region) -> Value {
        match self.regions.bit(region) {
            Some(bit) if self.entry || !matches!(region, Region::Param(_)) => {
                Value { regions: bit, aligned: bit, ..Value::ZERO }
            }
            Some(bit) => Value { regions: bit, ..Value::NUMBER },
            None => Value::UNKNOWN,
        }
    }

    /// The value of an operand.
    pub(crate) fn operand(&self, arg: Option<&Arg>) -> Value {
        arg.map_or(Value::NUMBER, |arg| self.of(arg))
    }

    fn of(&self, arg: &Arg) -> Value {
        match arg {
            Arg::Reg(reg) => self.values[*reg],
            Arg::Int(value) => Value::constant(*value),
            Arg::Sum(reg, addend) => self.values[*reg].either(Value::constant(*addend as u64)),
            Arg::AddressOf(var, addend) => {
                self.address_of(*var).either(Value::constant(*addend as u64))
            }
            Arg::Special(name) if name == "%envreg1" || name == "%envreg2" => {
                Value { workspace: true, ..Value::NUMBER }
            }
            Arg::Vector(list) => match &list[..] {
                [low, _] => Value { unknown: true, ..self.of(low).low() },
                _ => Value::UNKNOWN,
            },
            _ => Value::NUMBER,
        }
    }

    fn address_of(&self, var: Var) -> Value {
        let region = match var {
            Var::Param(at) => Region::Bytes(at),
            _ => Region::Variable(var),
        };
        match self.regions.bit(region) {
            Some(_) => self.region(region),
            // Variables in shared memory are one region.
            None => self.region(Region::Shared),
        }
    }

    /// What an instruction writes.
    fn result(&self, ins: &Ins) -> Value {
        let arg = |at: usize| ins.args.get(at).map_or(Value::NUMBER, |arg| self.of(arg));
        let mut parts = ins.opcode.split('.');
        let head = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        // Registers of other sizes, and predicates, hold what nothing is said of.
        let whole = |one: &str| matches!(one, "u32" | "s32" | "b32" | "u64" | "s64" | "b64");
        match (head, &rest[..]) {
            ("mov", [_]) => arg(1),
            ("cvta", _) => arg(1),
            ("mapa", _) => self.region(Region::Shared),
            ("add" | "sub" | "or" | "xor" | "min" | "max", [ty]) if whole(ty) => {
                arg(1).either(arg(2))
            }
            ("selp" | "slct", _) => arg(1).either(arg(2)),
            ("and", [_]) => {
                let (a, b) = (arg(1), arg(2));
                let (regions, unknown) = (a.regions | b.regions, a.unknown | b.unknown);
                Value { regions, unknown, ..a.both(b) }
            }
            ("mul", ["lo", _]) => arg(1).times(arg(2)),
            ("mul", ["wide", "u32" | "s32"]) => arg(1).low().times(arg(2).low()),
            ("mad", ["lo", _]) => arg(1).times(arg(2)).either(arg(3)),
            ("mad", ["wide", "u32" | "s32"]) => arg(1).low().times(arg(2).low()).either(arg(3)),
            ("shl", ["b32" | "b64"]) => match ins.args.get(2) {
                Some(Arg::Int(by @ 0..64)) => arg(1).times(Value::constant(1 << by)),
                _ => Value::NUMBER,
            },
            ("cvt", [to, from]) if whole(to) && whole(from) => arg(1),
            ("ld", _) => match ins.args.get(1) {
                Some(Arg::Address(Base::Var(Var::Param(at)), 0)) => self.region(Region::Param(*at)),
                _ => Value::UNKNOWN,
            },
            ("bfi", ["b64"]) => Value { workspace: arg(2).workspace, ..Value::UNKNOWN },
            ("ldu" | "atom" | "call" | "prmt" | "lop3" | "bfi" | "shf" | "tex" | "suld", _) => {
                Value::UNKNOWN
            }
            _ => Value::NUMBER,
        }
    }
}
