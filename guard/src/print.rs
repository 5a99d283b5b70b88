//! The tree as text. Every name in a function is one of ours, so that a text has no say in what is printed.

use std::fmt::Write as _;

use cuscope_ptx_syntax::tree::{Function, Init, Source, Space, Variable};
use cuscope_ptx_syntax::types::{Kind, Type};

use crate::body::{Arg, Base, Ins, Var};

/// The names of a text's functions begin with this, which the text does not contain.
pub(crate) struct Names<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) source: &'a Source<'a>,
}

/// The word of a type.
pub(crate) fn word(ty: Type) -> String {
    let bits = ty.bits();
    match ty.kind {
        Kind::Pred => "pred".to_owned(),
        Kind::Bits => format!("b{bits}"),
        Kind::Unsigned => format!("u{bits}"),
        Kind::Signed => format!("s{bits}"),
        Kind::Float => format!("f{bits}"),
        // Registers of pairs, and what has no registers.
        _ => format!("b{bits}"),
    }
}

/// The name of a register.
pub(crate) fn register(registers: &[Type], reg: usize) -> String {
    let letter = match registers.get(reg).map(|ty| (ty.kind, ty.bytes)) {
        Some((Kind::Pred, _)) => "p",
        Some((_, 1)) => "b",
        Some((_, 2)) => "h",
        Some((_, 4)) => "r",
        Some((_, 8)) => "d",
        _ => "q",
    };
    format!("%{letter}{reg}")
}

/// The word of a state space.
pub(crate) fn space(space: Space) -> &'static str {
    match space {
        Space::Global => ".global",
        Space::Const => ".const",
        Space::Shared => ".shared",
        Space::Local => ".local",
        Space::Param => ".param",
        Space::Reg => ".reg",
    }
}

/// A variable's type, name and extent.
pub(crate) fn shape(variable: &Variable<'_>, name: &str) -> String {
    let bytes = u64::from(variable.ty.bytes);
    let align = if variable.align == bytes || variable.space == Space::Reg {
        String::new()
    } else {
        format!(".align {} ", variable.align.max(1))
    };
    let extent = match variable.size {
        None => "[]".to_owned(),
        Some(size) if variable.array || size != bytes => format!("[{}]", size / bytes.max(1)),
        Some(_) => String::new(),
    };
    format!("{} {align}.{} {name}{extent}", space(variable.space), word(variable.ty))
}

/// A variable's declaration.
pub(crate) fn variable(
    source: &Source<'_>,
    variable: &Variable<'_>,
    name: &str,
) -> Result<String, String> {
    let mut text = String::new();
    if variable.external {
        text.push_str(".extern ");
    } else if variable.common {
        text.push_str(".common ");
    } else if variable.visible {
        text.push_str(".visible ");
    }
    let mut shape = shape(variable, name);
    if variable.managed {
        let at = shape.find(' ').unwrap_or(0);
        shape.insert_str(at, " .attribute(.managed)");
    }
    text.push_str(&shape);
    let items: Vec<String> = variable
        .init
        .iter()
        .map(|init| item(source, init, variable.ty))
        .collect::<Result<_, _>>()?;
    match &items[..] {
        [] => {}
        [one] if !variable.array && variable.size == Some(variable.ty.bytes.into()) => {
            let _ = write!(text, " = {one}");
        }
        all => {
            let _ = write!(text, " = {{{}}}", all.join(", "));
        }
    }
    text.push(';');
    Ok(text)
}

fn item(source: &Source<'_>, init: &Init<'_>, ty: Type) -> Result<String, String> {
    let function = |name: &str| source.functions.iter().any(|one| one.name == name);
    let plain = |name: &str| match source.variables.iter().find(|one| one.name == name) {
        Some(one) if one.space == Space::Global => Ok(()),
        _ => Err(format!("the address of '{name}' in an initialiser")),
    };
    Ok(match *init {
        Init::Int(value) => int(value),
        Init::F32(bits) if ty.kind == Kind::Float && ty.bytes == 8 => {
            double(f64::from(f32::from_bits(bits)).to_bits())
        }
        Init::F64(bits) if ty.kind == Kind::Float && ty.bytes == 4 => {
            float((f64::from_bits(bits) as f32).to_bits())
        }
        Init::F32(bits) => float(bits),
        Init::F64(bits) => double(bits),
        // Nothing can be called by its address.
        Init::Address(name, _) | Init::AddressByte(name, ..) if function(name) => "0".to_owned(),
        Init::Address(name, addend) => {
            plain(name)?;
            match addend {
                None => name.to_owned(),
                Some(addend) => format!("generic({name})+{addend}"),
            }
        }
        Init::AddressByte(name, addend, byte) => {
            plain(name)?;
            format!("{:#x}(generic({name})+{addend})", 0xff_u64 << (8 * byte))
        }
    })
}

fn int(value: u64) -> String {
    (value as i64).to_string()
}

fn float(bits: u32) -> String {
    format!("0f{bits:08X}")
}

fn double(bits: u64) -> String {
    format!("0d{bits:016X}")
}

fn offset(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("+{offset}") }
}

impl Names<'_> {
    /// The name of a variable or parameter.
    pub(crate) fn var(&self, var: Var) -> String {
        let prefix = self.prefix;
        match var {
            Var::Module(at) => self.source.variables[at].name.to_owned(),
            Var::Own(at) => format!("{prefix}v{at}"),
            Var::Param(at) => format!("{prefix}p{at}"),
            Var::Return(at) => format!("{prefix}r{at}"),
        }
    }

    pub(crate) fn label(&self, label: usize) -> String {
        format!("{}l{label}", self.prefix)
    }

    pub(crate) fn function(&self, function: usize) -> &str {
        self.source.functions[function].name
    }

    /// An operand.
    pub(crate) fn arg(&self, registers: &[Type], arg: &Arg) -> String {
        let reg = |reg: usize| register(registers, reg);
        let list = |list: &[Arg]| {
            list.iter().map(|one| self.arg(registers, one)).collect::<Vec<_>>().join(", ")
        };
        match arg {
            Arg::Reg(one) => reg(*one),
            Arg::Special(name) => name.clone(),
            Arg::Not(one) => format!("!{}", reg(*one)),
            Arg::Minus(one) => format!("-{}", reg(*one)),
            Arg::Pair(a, b) => {
                format!("{}|{}", self.arg(registers, a), self.arg(registers, b))
            }
            Arg::Int(value) => int(*value),
            Arg::F32(bits) => float(*bits),
            Arg::F64(bits) => double(*bits),
            Arg::AddressOf(var, addend) => format!("{}{}", self.var(*var), offset(*addend)),
            Arg::Sum(one, addend) => format!("{}{}", reg(*one), offset(*addend)),
            Arg::Address(base, addend) => match base {
                Base::Reg(one) => format!("[{}{}]", reg(*one), offset(*addend)),
                Base::Var(var) => format!("[{}{}]", self.var(*var), offset(*addend)),
                Base::Nothing => format!("[{addend}]"),
            },
            Arg::Object(handle, place) => match &place[..] {
                [one] if !matches!(one, Arg::Vector(_)) => {
                    format!("[{}, {{{}}}]", reg(*handle), self.arg(registers, one))
                }
                _ => format!("[{}, {{{}}}]", reg(*handle), list(place)),
            },
            Arg::Vector(all) => format!("{{{}}}", list(all)),
            Arg::List(all) => format!("({})", list(all)),
            Arg::Label(label) | Arg::Targets(label) => self.label(*label),
            Arg::Function(function) => self.function(*function).to_owned(),
            Arg::Sink => "_".to_owned(),
        }
    }

    /// An instruction without its predicate.
    pub(crate) fn ins(&self, registers: &[Type], ins: &Ins) -> String {
        let args: Vec<String> = ins.args.iter().map(|arg| self.arg(registers, arg)).collect();
        if args.is_empty() {
            format!("{};", ins.opcode)
        } else {
            format!("{} {};", ins.opcode, args.join(", "))
        }
    }
}

/// The directives of an entry.
pub(crate) fn directives(function: &Function<'_>) -> String {
    let mut text = String::new();
    for (word, numbers) in &function.directives {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "{word} {}", numbers.join(", "));
    }
    text
}
