//! Where the variables of a module and of a kernel lie.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::code::{PARAMS, function_address};
use super::super::error::Diagnostic;
use super::super::tree::{Function, Init, Operand, Source, Space, StatementKind, Variable};
use super::super::types::{Kind, Type};
use super::super::{Fixup, Global, GlobalSpace, Param};
use super::call::SYSTEM;
use super::{Globals, Lowered, Names, refuse};

/// The most static shared memory of a kernel, in bytes.
const MOST_SHARED: u64 = 48 << 10;
/// The most bytes of parameters.
const MOST_PARAMS: u64 = 32_764;

/// The functions that have a body, by name; refuses declarations that contradict one another.
pub(super) fn functions<'s>(source: &Source<'s>) -> Result<HashMap<&'s str, usize>, Diagnostic> {
    let mut functions = HashMap::new();
    let mut known: HashMap<&str, &Function<'_>> = HashMap::new();
    for (index, function) in source.functions.iter().enumerate() {
        let name = function.name;
        let error = |message: String| Err(Diagnostic::new(function.line, message));
        if functions.contains_key(name) {
            // A linked text may declare what it has defined.
            if function.external {
                continue;
            }
            return error(format!("Duplicate definition of function '{name}'"));
        }
        if let Some(earlier) = known.insert(name, function) {
            if earlier.entry != function.entry {
                return error(format!(
                    "Inconsistent redefinition of '{name}' as entry and function"
                ));
            }
            if !earlier.external && !earlier.visible && function.visible {
                return error(format!("Inconsistent redefinition of '{name}'"));
            }
            let alike = |(a, b): (&Variable<'_>, &Variable<'_>)| {
                (a.space, a.ty, a.size, a.align) == (b.space, b.ty, b.size, b.align)
            };
            let same = |a: &[Variable<'_>], b: &[Variable<'_>]| {
                a.len() == b.len() && a.iter().zip(b).all(alike)
            };
            if !same(&earlier.params, &function.params)
                || !same(&earlier.returns, &function.returns)
            {
                return error(format!("Inconsistent prototypes of '{name}'"));
            }
        }
        if source.variables.iter().any(|variable| variable.name == name) {
            return error(format!("Inconsistent redefinition of variable '{name}'"));
        }
        if function.body.is_some() {
            functions.insert(name, index);
        }
    }
    let missing = |function: &&Function<'_>| {
        !function.external
            && !SYSTEM.iter().any(|&(name, ..)| name == function.name)
            && function.body.is_none()
            && !functions.contains_key(function.name)
    };
    match source.functions.iter().find(missing) {
        Some(function) => {
            let message = format!("Unresolved extern function '{}'", function.name);
            Err(Diagnostic::new(function.line, message))
        }
        None => Ok(functions),
    }
}

/// Whether a variable lies in device memory.
fn in_memory(variable: &Variable<'_>) -> bool {
    matches!(variable.space, Space::Global | Space::Const)
}

/// The variables of device memory: those of module scope, and then those of functions.
pub(super) fn globals<'s>(
    source: &Source<'s>,
    functions: &HashMap<&'s str, usize>,
) -> Result<Globals<'s>, Diagnostic> {
    let mut names = Names::default();
    let mut globals = Vec::new();
    // The meaning of a name: one definition at most, and declarations that agree with it.
    let mut known: HashMap<&str, &Variable<'_>> = HashMap::new();
    for variable in &source.variables {
        let name = variable.name;
        let Some(earlier) = known.get(name) else {
            known.insert(name, variable);
            continue;
        };
        if !earlier.external && !variable.external {
            let message = format!("Duplicate definition of variable '{name}'");
            return Err(Diagnostic::new(variable.line, message));
        }
        let sizes =
            earlier.size.is_none() || variable.size.is_none() || earlier.size == variable.size;
        if (earlier.space, earlier.ty) != (variable.space, variable.ty) || !sizes {
            let message = format!("Inconsistent redefinition of variable '{name}'");
            return Err(Diagnostic::new(variable.line, message));
        }
        if earlier.external {
            known.insert(name, variable);
        }
    }
    let given = |one: &&Variable<'_>| one.space == Space::Shared && !one.init.is_empty();
    if let Some(variable) = source.variables.iter().find(given) {
        let message = format!("No initial value is allowed for '{}'", variable.name);
        return Err(Diagnostic::new(variable.line, message));
    }
    let open = |one: &&Variable<'_>| one.size.is_none() && !one.external;
    if let Some(variable) = source.variables.iter().find(open) {
        let message = format!("Non-external variable '{}' has incomplete type", variable.name);
        return Err(Diagnostic::new(variable.line, message));
    }
    for variable in source.variables.iter().filter(|variable| in_memory(variable)) {
        if names.module.contains_key(variable.name) {
            continue;
        }
        // Others may name it from its first declaration on, but it is what its definition says.
        let definition = known.get(variable.name).copied().unwrap_or(variable);
        if definition.external {
            names.external.push(variable.name);
        }
        let own = HashMap::new();
        let one = global(source, definition, (&names.module, &own), functions)?;
        names.module.insert(variable.name, globals.len() as u32);
        globals.push(one);
    }
    for function in &source.functions {
        let mut own = HashMap::new();
        for (at, statement) in function.body.iter().flatten().enumerate() {
            let StatementKind::Variable(variable) = &statement.kind else { continue };
            if in_memory(variable) {
                let one = global(source, variable, (&names.module, &own), functions)?;
                names.own.insert((function.name, at), globals.len() as u32);
                own.insert(variable.name, globals.len() as u32);
                globals.push(one);
            }
        }
    }
    names.constants = globals.iter().map(|one| one.space == GlobalSpace::Const).collect();
    Ok((globals, names))
}

/// A variable whose initialiser may name those of the module and of the function.
fn global(
    source: &Source<'_>,
    variable: &Variable<'_>,
    (module, own): (&HashMap<&str, u32>, &HashMap<&str, u32>),
    functions: &HashMap<&str, usize>,
) -> Result<Global, Diagnostic> {
    let error = |message: String| Err(Diagnostic::new(variable.line, message));
    let known = |target: &str| own.get(target).or_else(|| module.get(target)).copied();
    let name = variable.name;
    // Functions that are declared after it are not known yet.
    let function = |target: &str| {
        let mut before = source.functions.iter().filter(|function| function.at < variable.at);
        before.find(|function| function.name == target)?;
        functions.get(target).map(|&index| function_address(index as u32))
    };
    let unknown =
        |target: &str| error(format!("Unknown symbol '{target}' in the initialiser of '{name}'"));
    if variable.external && !variable.init.is_empty() {
        return error(format!("No initial value is allowed for external symbol '{name}'"));
    }
    if variable.external && variable.size.is_none() {
        return error(format!("Unresolved extern variable '{name}'"));
    }
    let Some(size) = variable.size else {
        return error(format!("Variable '{name}' has no size"));
    };
    let bytes = usize::from(variable.ty.bytes);
    let mut init = Vec::new();
    let mut fixups = Vec::new();
    for item in &variable.init {
        let integer = matches!(variable.ty.kind, Kind::Bits | Kind::Unsigned | Kind::Signed);
        let real = matches!(variable.ty.kind, Kind::Float | Kind::Bits) && variable.ty != Type::F16;
        let pointer = variable.ty.kind == Kind::Unsigned && bytes >= 4;
        let value = match *item {
            Init::Int(value) if integer => value,
            // Bits of an f32 stay what they are, in an f64 too.
            Init::F32(bits) if real => u64::from(bits),
            Init::F64(bits) if real && bytes == 4 => {
                u64::from((f64::from_bits(bits) as f32).to_bits())
            }
            Init::F64(bits) if real => bits,
            Init::Address(target, addend) if pointer => match (known(target), function(target)) {
                (Some(target), _) => {
                    let (offset, addend) = (init.len(), addend.unwrap_or_default());
                    fixups.push(Fixup { offset, bytes, shift: 0, global: target as usize, addend });
                    0
                }
                (None, Some(address)) if addend.is_none() => address,
                _ => return unknown(target),
            },
            Init::AddressByte(target, addend, byte)
                if variable.ty.kind == Kind::Unsigned && bytes != 2 =>
            {
                match (known(target), function(target)) {
                    (Some(target), _) => {
                        let (offset, shift) = (init.len(), 8 * byte);
                        fixups.push(Fixup {
                            offset,
                            bytes: 1,
                            shift,
                            global: target as usize,
                            addend,
                        });
                        0
                    }
                    (None, Some(address)) => {
                        address.wrapping_add_signed(addend) >> (8 * byte) & 0xff
                    }
                    _ => return unknown(target),
                }
            }
            _ => return error(format!("Invalid initialiser of variable '{name}'")),
        };
        init.extend_from_slice(&u128::from(value).to_le_bytes()[..bytes]);
    }
    if init.len() as u64 > size {
        return error(format!("Too many initialisers of variable '{name}'"));
    }
    let space = match variable.space {
        Space::Const => GlobalSpace::Const,
        _ => GlobalSpace::Global,
    };
    Ok(Global {
        name: name.to_owned(),
        space,
        align: variable.align.max(1) as usize,
        size: size as usize,
        init,
        fixups,
        managed: variable.managed,
        visible: variable.visible,
    })
}

/// The layout of an entry's parameters, and its size.
pub(super) fn params(list: &[Variable<'_>]) -> Result<(Vec<Param>, usize), Diagnostic> {
    let mut end = 0u64;
    let mut params = Vec::new();
    for variable in list {
        let error = |message: String| Err(Diagnostic::new(variable.line, message));
        let (Some(size), Space::Param) = (variable.size, variable.space) else {
            return error(format!("Invalid parameter '{}'", variable.name));
        };
        // Aligned in the constant memory of the device, where the parameters begin at `PARAMS` (F428).
        let offset = match variable.align {
            align @ ..=16 => end.next_multiple_of(align.max(1)),
            align => (PARAMS + end).next_multiple_of(align) - PARAMS,
        };
        end = offset.saturating_add(size);
        if end > MOST_PARAMS {
            return error(format!(
                "Entry function uses too much parameter space ({end:#x} bytes, {MOST_PARAMS:#x} max)"
            ));
        }
        params.push(Param {
            offset: offset as usize,
            size: size as usize,
            align: variable.align as usize,
        });
    }
    Ok((params, end as usize))
}

/// The functions that a function reaches by calls.
pub(super) struct Reached<'s> {
    /// The functions, by index, that one being first.
    pub(super) order: Vec<usize>,
    /// The names that their instructions mention.
    pub(super) names: HashSet<&'s str>,
}

/// Walks the calls from a function.
pub(super) fn reached<'s>(
    source: &Source<'s>,
    functions: &HashMap<&'s str, usize>,
    from: usize,
) -> Reached<'s> {
    let mut order = vec![from];
    let mut seen = HashSet::from([from]);
    let mut names = HashSet::new();
    let mut at = 0;
    // A function whose address a variable holds may be called from anywhere.
    for init in source.variables.iter().flat_map(|variable| &variable.init) {
        if let Init::Address(name, _) | Init::AddressByte(name, ..) = init
            && let Some(&callee) = functions.get(name)
            && seen.insert(callee)
        {
            order.push(callee);
        }
    }
    while let Some(&index) = order.get(at) {
        at += 1;
        let mut mentioned = Vec::new();
        mentions(&source.functions[index], &mut mentioned);
        for name in mentioned {
            if let Some(&callee) = functions.get(name)
                && seen.insert(callee)
            {
                order.push(callee);
            }
            names.insert(name);
        }
    }
    Reached { order, names }
}

fn mentions<'s>(function: &Function<'s>, names: &mut Vec<&'s str>) {
    for statement in function.body.iter().flatten() {
        let instruction = match &statement.kind {
            StatementKind::Instruction(instruction) => instruction,
            StatementKind::CallTargets(_, targets) => {
                names.extend(targets);
                continue;
            }
            _ => continue,
        };
        for operand in &instruction.operands {
            match operand {
                Operand::Name(name)
                | Operand::Sum(name, _)
                | Operand::Index(name, ..)
                | Operand::Address(Some(name), _) => names.push(name),
                _ => {}
            }
        }
    }
}

/// Where a kernel's shared variables lie.
pub(super) struct Shared<'s> {
    /// Those of module scope, by name.
    module: HashMap<&'s str, u32>,
    /// Those of functions, by function and line and name.
    own: BTreeMap<(&'s str, u32, &'s str), u32>,
    /// The bytes of all.
    pub(super) total: u64,
}

impl<'s> Shared<'s> {
    /// Where a variable of module scope begins.
    pub(super) fn module_variable(&self, name: &str) -> Option<u32> {
        self.module.get(name).copied()
    }

    /// Where a function's variable begins.
    pub(super) fn place(&self, function: &'s str, variable: &Variable<'s>) -> Lowered<u32> {
        match self.own.get(&(function, variable.line, variable.name)) {
            Some(&offset) => Ok(offset),
            None => refuse(format!("Variable '{}' has no size", variable.name)),
        }
    }
}

/// Lays out the shared variables of a kernel: those that its functions
/// declare, and those of module scope that they mention. `extern` ones begin
/// where the static ones end.
pub(super) fn shared<'s>(
    source: &Source<'s>,
    order: &[usize],
    names: &HashSet<&'s str>,
) -> Result<Shared<'s>, Diagnostic> {
    let mut shared = Shared { module: HashMap::new(), own: BTreeMap::new(), total: 0 };
    let module = source
        .variables
        .iter()
        .filter(|variable| variable.space == Space::Shared && names.contains(variable.name));
    // An external one with a size that no text defines is memory all the same.
    for external in [false, true] {
        for variable in module.clone().filter(|variable| variable.external == external) {
            if let (Some(size), false) = (variable.size, shared.module.contains_key(variable.name))
            {
                let offset = shared.add(variable, size)?;
                shared.module.insert(variable.name, offset);
            }
        }
    }
    for &index in order {
        let function = &source.functions[index];
        for statement in function.body.iter().flatten() {
            let StatementKind::Variable(variable) = &statement.kind else {
                continue;
            };
            if let (Space::Shared, Some(size)) = (variable.space, variable.size) {
                let offset = shared.add(variable, size)?;
                shared.own.insert((function.name, variable.line, variable.name), offset);
            }
        }
    }
    if shared.total > MOST_SHARED {
        let function = &source.functions[order.first().copied().unwrap_or_default()];
        let message = format!(
            "Entry function '{}' uses too much shared data ({:#x} bytes, {MOST_SHARED:#x} max)",
            function.name, shared.total
        );
        return Err(Diagnostic::new(function.line, message));
    }
    let dynamic = shared.total.next_multiple_of(16) as u32;
    for variable in module {
        shared.module.entry(variable.name).or_insert(dynamic);
    }
    Ok(shared)
}

impl Shared<'_> {
    fn add(&mut self, variable: &Variable<'_>, size: u64) -> Result<u32, Diagnostic> {
        if !variable.init.is_empty() {
            let message = format!("Shared variable '{}' cannot be initialised", variable.name);
            return Err(Diagnostic::new(variable.line, message));
        }
        let offset = self.total.next_multiple_of(variable.align.max(1));
        self.total = offset.saturating_add(size);
        // Beyond any limit: reported as too much of it all.
        Ok(u32::try_from(offset).unwrap_or(u32::MAX))
    }
}
