//! A module: which of its kernels can be guarded, and the text of those.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use cuscope_ptx_syntax::parse::parse;
use cuscope_ptx_syntax::tree::{Function, Init, Operand, Source, Space, StatementKind, Variable};
use cuscope_ptx_syntax::types::Kind;

use crate::body::Reason;
use crate::function::{self, Rewritten};
use crate::planted::{Mistake, planted};
use crate::print::{self, Names};
use crate::{Bounds, GuardError, Guarded, GuardedKernel, Parameter, Refused};

/// What the functions of a module are rewritten with.
pub(crate) struct Scene<'a> {
    pub(crate) source: &'a Source<'a>,
    /// The lines of the text.
    pub(crate) lines: Vec<&'a str>,
    /// Functions with a body, by name.
    pub(crate) functions: HashMap<&'a str, usize>,
    pub(crate) names: Names<'a>,
    /// Whether a function that is called may end the thread.
    pub(crate) calls_may_exit: bool,
    /// The variables of module scope that an address may lead to, by their index.
    pub(crate) reachable: Vec<usize>,
}

/// Whether a parameter is a number of 64 bits, which may be an address.
pub(crate) fn has_extents(variable: &Variable<'_>) -> bool {
    let plain = matches!(variable.ty.kind, Kind::Bits | Kind::Unsigned | Kind::Signed);
    plain && variable.ty.bytes == 8 && !variable.array && variable.size == Some(8)
}

/// Guards the kernels of a module.
///
/// A kernel that cannot be guarded is not in the result, which tells [why](Guarded::refused). The text is printed from the
/// syntax tree: comments, debug sections and what only another assembler would read are gone. `.loc` stays.
///
/// # Errors
///
/// The text is no PTX, or is of a version that is not known, or declares what is not supported.
pub fn guard(text: &str) -> Result<Guarded, GuardError> {
    let source = parse(text).map_err(|error| {
        let first = error.errors.first();
        GuardError {
            line: first.map_or(0, |one| one.line),
            message: first.map_or_else(|| error.to_string(), |one| one.message.clone()),
        }
    })?;
    let prefix = (0..)
        .map(|number| format!("guard{number}_"))
        .find(|prefix| !text.contains(prefix.as_str()) || planted(Mistake::NamesOfText))
        .unwrap_or_default();
    let mut functions = HashMap::new();
    for (at, function) in source.functions.iter().enumerate() {
        named(function.name, function.line)?;
        if function.body.is_some() && functions.insert(function.name, at).is_some() {
            return Err(error(function.line, format!("'{}' is defined twice", function.name)));
        }
    }
    let mut globals = HashSet::new();
    for variable in &source.variables {
        named(variable.name, variable.line)?;
        let twice = !variable.external && !globals.insert(variable.name);
        if twice || functions.contains_key(variable.name) {
            return Err(error(variable.line, format!("'{}' is defined twice", variable.name)));
        }
    }
    let scene = Scene {
        source: &source,
        lines: text.lines().collect(),
        names: Names { prefix: &prefix, source: &source },
        reachable: reachable(&source),
        calls_may_exit: calls_may_exit(&source),
        functions,
    };
    rewrite(&scene)
}

fn error(line: u32, message: impl Into<String>) -> GuardError {
    GuardError { line, message: message.into() }
}

/// A name of module scope is printed as it is, so it has to be one, and none that a function may have.
fn named(name: &str, line: u32) -> Result<(), GuardError> {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    let rest = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
    if first && rest && name != "_" && name != "WARP_SZ" {
        return Ok(());
    }
    Err(error(line, format!("the name '{name}' is not supported")))
}

/// The variables of module scope in global and constant memory that an instruction or an initialiser names.
fn reachable(source: &Source<'_>) -> Vec<usize> {
    let mut names = HashSet::new();
    for init in source.variables.iter().flat_map(|variable| &variable.init) {
        if let Init::Address(name, _) | Init::AddressByte(name, ..) = init {
            names.insert(*name);
        }
    }
    let bodies = source.functions.iter().filter_map(|one| one.body.as_ref());
    for statement in bodies.flatten() {
        let operands = match &statement.kind {
            StatementKind::Instruction(one) => &one.operands,
            StatementKind::Variable(one) => {
                for init in &one.init {
                    if let Init::Address(name, _) | Init::AddressByte(name, ..) = init {
                        names.insert(*name);
                    }
                }
                continue;
            }
            _ => continue,
        };
        for operand in operands {
            match operand {
                Operand::Name(name)
                | Operand::Sum(name, _)
                | Operand::Index(name, ..)
                | Operand::Address(Some(name), _) => drop(names.insert(*name)),
                _ => {}
            }
        }
    }
    let all = source.variables.iter().enumerate();
    let mentioned = all.filter(|(_, variable)| {
        let twin = variable.external
            && source.variables.iter().any(|one| one.name == variable.name && !one.external);
        matches!(variable.space, Space::Global | Space::Const)
            && names.contains(variable.name)
            && !twin
    });
    mentioned.map(|(at, _)| at).collect()
}

/// Whether a function that is no kernel has an `exit`.
fn calls_may_exit(source: &Source<'_>) -> bool {
    let functions = source.functions.iter().filter(|one| !one.entry);
    let mut statements = functions.filter_map(|one| one.body.as_ref()).flatten();
    statements.any(|statement| match &statement.kind {
        StatementKind::Instruction(one) => one.opcode.split('.').next() == Some("exit"),
        _ => false,
    })
}

fn rewrite(scene: &Scene<'_>) -> Result<Guarded, GuardError> {
    let source = scene.source;
    let mut number = 0;
    let mut parts: Vec<Option<Result<Rewritten, Reason>>> = Vec::new();
    for function in &source.functions {
        let part = function.body.is_some().then(|| function::rewrite(scene, function, &mut number));
        parts.push(part);
    }
    let mut kernels = Vec::new();
    let mut refused = Vec::new();
    let mut used = HashSet::new();
    for (at, function) in source.functions.iter().enumerate() {
        if !function.entry || function.body.is_none() {
            continue;
        }
        match closure(&parts, at) {
            Err(reason) => refused.push(Refused {
                kernel: function.name.to_owned(),
                line: reason.line,
                reason: reason.message,
            }),
            Ok(reached) => {
                let all = reached.iter().filter_map(|&at| parts[at].as_ref()?.as_ref().ok());
                let mut sites: Vec<_> = all.flat_map(|part| part.sites.clone()).collect();
                sites.sort_by_key(|site| site.number);
                kernels.push(kernel(function, &parts[at], sites));
                used.extend(reached);
            }
        }
    }
    let text = print(scene, &parts, &used)?;
    Ok(Guarded { text, kernels, refused })
}

/// The functions that one calls, itself among them, or why one of them is refused.
fn closure(parts: &[Option<Result<Rewritten, Reason>>], from: usize) -> Result<Vec<usize>, Reason> {
    let mut all = vec![from];
    let mut next = 0;
    while let Some(&at) = all.get(next) {
        next += 1;
        match &parts[at] {
            None => return Err(Reason::new(0, "a call of a function without a body")),
            Some(Err(reason)) => return Err(reason.clone()),
            Some(Ok(part)) => {
                for &callee in &part.calls {
                    if !all.contains(&callee) {
                        all.push(callee);
                    }
                }
            }
        }
    }
    Ok(all)
}

fn kernel(
    function: &Function<'_>,
    part: &Option<Result<Rewritten, Reason>>,
    sites: Vec<crate::Site>,
) -> GuardedKernel {
    let used = |at: usize| match part {
        Some(Ok(part)) => part.used.get(at).copied().unwrap_or_default(),
        _ => function::Used::default(),
    };
    let parameter = |(index, variable): (usize, &Variable<'_>)| Parameter {
        index,
        size: variable.size.unwrap_or(0) as usize,
        align: variable.align as usize,
        extents: has_extents(variable),
        reads: used(index).reads,
        writes: used(index).writes,
        texture: used(index).texture,
        surface: used(index).surface,
        bounds: Bounds {
            begin: used(index).begin.unwrap_or(1),
            most: used(index).most.unwrap_or(u64::MAX),
        },
    };
    GuardedKernel {
        name: function.name.to_owned(),
        parameters: function.params.iter().enumerate().map(parameter).collect(),
        sites,
    }
}

/// The text of the functions that are used.
fn print(
    scene: &Scene<'_>,
    parts: &[Option<Result<Rewritten, Reason>>],
    used: &HashSet<usize>,
) -> Result<String, GuardError> {
    let source = scene.source;
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, ".version {}.{}", source.version / 10, source.version % 10);
    let _ = writeln!(text, ".target {}", source.targets.join(", "));
    let _ = writeln!(text, ".address_size 64");
    for (number, name) in &source.files {
        let _ = writeln!(text, ".file {number} \"{name}\"");
    }
    for variable in &source.variables {
        let printed = print::variable(source, variable, variable.name)
            .map_err(|message| error(variable.line, message))?;
        let _ = writeln!(text, "{printed}");
    }
    let all = || (0..source.functions.len()).filter(|at| used.contains(at));
    let part = |at: usize| parts[at].as_ref().and_then(|part| part.as_ref().ok());
    for at in all() {
        if let (Some(part), false) = (part(at), source.functions[at].entry) {
            let _ = writeln!(text, "{};", part.head);
        }
    }
    for at in all() {
        if let Some(part) = part(at) {
            let _ = write!(text, "{}\n{}{{\n{}}}\n", part.head, part.directives, part.body);
        }
    }
    Ok(text)
}
