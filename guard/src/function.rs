//! A function: each access to memory gets a check, and each end stores what failed.

mod access;
mod call;
mod limit;
mod loops;
mod sums;
mod together;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use cuscope_ptx_syntax::tree::{Function, Space, Variable};
use cuscope_ptx_syntax::types::{Kind, Type};

use crate::body::{Arg, Base, Body, Ins, Item, Reason, Var, resolve};
use crate::flow::Flow;
use crate::module::{Scene, has_extents};
use crate::order::brought_together;
use crate::origin::{Origins, Region, Regions, declaration};
use crate::planted::{Mistake, loops_once, planted};
use crate::print;
use crate::rules::{Rule, rule};
use crate::{AccessKind, Site};
use limit::Limits;

/// What a kernel does with a parameter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) texture: bool,
    pub(crate) surface: bool,
    /// What the launch looks at: the alignment of its begin, and the largest extent.
    pub(crate) begin: Option<u32>,
    pub(crate) most: Option<u64>,
}

/// A function that is guarded.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// Its first line, without directives.
    pub(crate) head: String,
    pub(crate) directives: String,
    pub(crate) body: String,
    pub(crate) sites: Vec<Site>,
    /// The functions that it calls.
    pub(crate) calls: Vec<usize>,
    pub(crate) used: Vec<Used>,
}

/// The parameters behind a function's own. A kernel has one, of so many bytes; other functions have a register for each part.
fn hidden(prefix: &str, function: &Function<'_>) -> Vec<String> {
    if function.entry {
        return vec![format!(".param .align 8 .b8 {prefix}hidden[{}]", hidden_bytes(function))];
    }
    let mut all = Vec::new();
    for (at, _) in function.params.iter().enumerate().filter(|(_, one)| has_extents(one)) {
        all.extend(["base", "read", "write"].map(|word| format!(".reg .u64 {prefix}{word}{at}")));
    }
    all.push(format!(".reg .u64 {prefix}record"));
    all.push(format!(".reg .u32 {prefix}tag"));
    all
}

/// Where it is told how much of what a parameter points to may be read or written, in what a kernel has behind its own.
fn hidden_at(function: &Function<'_>, param: usize, writes: bool) -> usize {
    let before = function.params[..param].iter().filter(|one| has_extents(one)).count();
    before * 16 + if writes { 8 } else { 0 }
}

/// The bytes of what a kernel has behind its own parameters. The last 16 are the record, and the tag.
fn hidden_bytes(function: &Function<'_>) -> usize {
    hidden_at(function, function.params.len(), false) + 16
}

/// What a function has behind the extents: where a failure is stored, and what is stored with it.
#[derive(Clone, Copy)]
enum Own {
    Record,
    Tag,
}

/// A function while it is rewritten.
struct Rewrite<'a> {
    scene: &'a Scene<'a>,
    function: &'a Function<'a>,
    body: Body<'a>,
    items: Rc<Vec<Item>>,
    flow: Flow,
    origins: Origins,
    /// The types of the registers, ours among them.
    registers: Vec<Type>,
    limits: Limits,
    declarations: String,
    /// What is done first.
    first: String,
    /// The rest.
    text: String,
    sites: Vec<Site>,
    number: &'a mut u32,
    /// The number of the place that failed.
    failed: Option<usize>,
    /// For each item whether something may have failed before it.
    behind_failures: Vec<bool>,
    /// Copies of registers at items: the item, the copied one, and the copy.
    shadows: Vec<(usize, usize, usize)>,
    /// The numbers of places, by their items.
    numbers: HashMap<usize, u32>,
    /// The predicates of accesses that others have their check with, by their items.
    checked: HashMap<usize, String>,
    /// What was last stored to a variable that is an argument of a call.
    passed: HashMap<Var, usize>,
    calls: Vec<usize>,
    used: Vec<Used>,
    /// The file and the line of the source.
    location: Option<(u64, u64)>,
}

type Done<T> = Result<T, Reason>;

/// Guards a function.
pub(crate) fn rewrite<'a>(
    scene: &'a Scene<'a>,
    function: &'a Function<'a>,
    number: &'a mut u32,
) -> Done<Rewritten> {
    let mut body = resolve(scene.source, &scene.functions, function)?;
    body.items = brought_together(std::mem::take(&mut body.items));
    let flow = Flow::new(&body)?;
    let origins = Origins::new(&body, regions(scene, function, &body), function.entry);
    let items = Rc::new(std::mem::take(&mut body.items));
    let mut all = Rewrite {
        registers: body.registers.clone(),
        used: vec![Used::default(); function.params.len()],
        scene,
        function,
        body,
        items,
        flow,
        origins,
        limits: Limits::default(),
        declarations: String::new(),
        first: String::new(),
        text: String::new(),
        sites: Vec::new(),
        number,
        failed: None,
        behind_failures: Vec::new(),
        shadows: Vec::new(),
        numbers: HashMap::new(),
        checked: HashMap::new(),
        passed: HashMap::new(),
        calls: Vec::new(),
        location: None,
    };
    all.run()?;
    Ok(all.finish())
}

/// What an address in a function may lead to.
fn regions(scene: &Scene<'_>, function: &Function<'_>, body: &Body<'_>) -> Regions {
    let mut list = Vec::new();
    let mut spaces = Vec::new();
    let mut add = |region, space| {
        list.push(region);
        spaces.push(space);
    };
    add(Region::Shared, Some(Space::Shared));
    if function.entry {
        add(Region::Workspace, Some(Space::Global));
    }
    for (at, _) in function.params.iter().enumerate().filter(|(_, one)| has_extents(one)) {
        add(Region::Param(at), None);
    }
    for (at, own) in body.variables.iter().enumerate() {
        let space = own.variable.space;
        if matches!(space, Space::Local | Space::Global | Space::Const) {
            add(Region::Variable(Var::Own(at)), Some(space));
        }
    }
    let taken = |at: usize| {
        body.items.iter().any(|item| match item {
            Item::Ins(ins) => ins
                .args
                .iter()
                .any(|arg| matches!(arg, Arg::AddressOf(Var::Param(one), _) if *one == at)),
            _ => false,
        })
    };
    if function.entry {
        for at in (0..function.params.len()).filter(|&at| taken(at)) {
            add(Region::Bytes(at), Some(Space::Param));
        }
    }
    for &at in &scene.reachable {
        let space = scene.source.variables[at].space;
        add(Region::Variable(Var::Module(at)), Some(space));
    }
    Regions { list, spaces }
}

impl<'a> Rewrite<'a> {
    fn refuse<T>(&self, ins: &Ins, why: impl std::fmt::Display) -> Done<T> {
        Err(Reason::new(ins.line, format!("'{}': {why}", ins.opcode)))
    }

    /// The declaration of a variable, parameter or result.
    fn declared(&self, var: Var) -> Option<&Variable<'a>> {
        match var {
            Var::Param(at) => self.function.params.get(at),
            Var::Return(at) => self.function.returns.get(at),
            _ => declaration(self.scene.source, &self.body, var),
        }
    }

    /// A register of ours.
    fn fresh(&mut self, ty: Type) -> usize {
        self.registers.push(ty);
        self.registers.len() - 1
    }

    fn name(&self, reg: usize) -> String {
        print::register(&self.registers, reg)
    }

    /// A new register of ours, by its name.
    fn new_name(&mut self, ty: Type) -> String {
        let reg = self.fresh(ty);
        self.name(reg)
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push('\t');
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn first_line(&mut self, text: impl AsRef<str>) {
        self.first.push('\t');
        self.first.push_str(text.as_ref());
        self.first.push('\n');
    }

    fn run(&mut self) -> Done<()> {
        let items = Rc::clone(&self.items);
        let mut plans = self.plans()?;
        let mut twins = self.twins(&plans);
        for run in self.runs() {
            // What has no check in the second copy of a loop is checked seldom, and its addresses would all be held at once.
            let checked = run.filter(|&at| !twins.iter().any(|twin| twin.frees(at)));
            self.plan_run(checked, &mut plans);
        }
        if loops_once() {
            twins.clear();
        }
        // An end may come before what fails in the text, and behind it in a loop.
        let surface =
            |item: &Item| matches!(item, Item::Ins(ins) if rule(ins.head()) == Ok(Rule::Surface));
        let fails = |&at: &usize| {
            plans[at].as_ref().is_some_and(access::Plan::may_fail) || surface(&items[at])
        };
        let fails: Vec<usize> = (0..items.len()).filter(fails).collect();
        if !fails.is_empty() && !planted(Mistake::EarlyEndForgotten) {
            self.failed = Some(self.fresh(Type::U32));
        }
        self.behind_failures = self.flow.reached(fails);
        let mut copies: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        for &(at, from, to) in &self.shadows {
            copies.entry(at).or_default().push((from, to));
        }
        let mut twins = twins.into_iter().peekable();
        for (at, plan) in plans.iter().enumerate() {
            if let Some(twin) = twins.peek().filter(|twin| twin.items.start == at) {
                twin.before.iter().for_each(|line| self.line(line));
            }
            self.print_item(at, &items[at], plan.clone(), &copies)?;
            if let Some(twin) = twins.next_if(|twin| twin.items.end == at + 1) {
                self.twin_text(&twin, &items, &plans, &copies)?;
            }
        }
        let ends = |ins: &Ins| ins.guard.is_none() && matches!(ins.head(), "ret" | "exit");
        if !matches!(items.last(), Some(Item::Ins(ins)) if ends(ins)) {
            self.end(None, Some("ret"));
            self.line("ret;");
        }
        Ok(())
    }

    /// The second copy of a loop, behind the first.
    fn twin_text(
        &mut self,
        twin: &loops::Twin,
        items: &[Item],
        plans: &[Option<access::Plan>],
        copies: &HashMap<usize, Vec<(usize, usize)>>,
    ) -> Done<()> {
        self.line(format!("bra {};", self.scene.names.label(twin.behind)));
        for at in twin.items.clone() {
            let item = match &items[at] {
                Item::Label(_) => Item::Label(twin.label),
                Item::Ins(ins) if at + 1 == twin.items.end => {
                    Item::Ins(Ins { args: vec![Arg::Label(twin.label)], ..ins.clone() })
                }
                item => item.clone(),
            };
            let plan = plans[at].clone().map(|plan| twin.plan(at, plan));
            self.print_item(at, &item, plan, copies)?;
        }
        self.print_item(twin.items.end, &Item::Label(twin.behind), None, &HashMap::new())
    }

    /// The text of an item.
    fn print_item(
        &mut self,
        at: usize,
        item: &Item,
        plan: Option<access::Plan>,
        copies: &HashMap<usize, Vec<(usize, usize)>>,
    ) -> Done<()> {
        for &(from, to) in copies.get(&at).into_iter().flatten() {
            let bits = u32::from(self.registers[from].bytes) * 8;
            let text = format!("mov.b{bits} {}, {};", self.name(to), self.name(from));
            self.line(text);
        }
        match item {
            Item::Open => self.line("{"),
            Item::Close => self.line("}"),
            Item::Declare(own) => {
                let variable = self.body.variables[*own].variable.clone();
                let name = self.scene.names.var(Var::Own(*own));
                let text = print::variable(self.scene.source, &variable, &name)
                    .map_err(|why| Reason::new(variable.line, why))?;
                // What is done first may need them. Arguments of calls stay with the calls.
                if variable.space == Space::Param {
                    self.line(text);
                } else {
                    self.declarations.push('\t');
                    self.declarations.push_str(&text);
                    self.declarations.push('\n');
                }
            }
            Item::Label(label) => {
                let text = format!("{}:", self.scene.names.label(*label));
                self.text.push_str(&text);
                self.text.push('\n');
            }
            Item::Targets(list, labels) => {
                let names: Vec<String> =
                    labels.iter().map(|label| self.scene.names.label(*label)).collect();
                let list = self.scene.names.label(*list);
                self.line(format!("{list}: .branchtargets {};", names.join(", ")));
            }
            Item::Location(file, line, column) => {
                self.location = Some((*file, *line));
                if self.scene.source.files.iter().any(|one| one.0 == *file) {
                    self.line(format!(".loc {file} {line} {column}"));
                }
            }
            Item::Pragma(text) => self.line(format!(".pragma \"{text}\";")),
            Item::Ins(ins) => self.instruction(at, ins, plan)?,
        }
        Ok(())
    }

    /// The text of an instruction with its own predicate.
    fn plain(&self, ins: &Ins) -> String {
        let text = self.scene.names.ins(&self.registers, ins);
        match self.predicate(ins) {
            Some(predicate) => format!("@{predicate} {text}"),
            None => text,
        }
    }

    /// An instruction's own predicate.
    fn predicate(&self, ins: &Ins) -> Option<String> {
        let (reg, negated) = ins.guard?;
        Some(format!("{}{}", if negated { "!" } else { "" }, self.name(reg)))
    }

    /// Whether a branch leads to a `ret` and nothing can have failed before: there is no place to store then.
    fn only_ends(&self, at: usize, branch: &Ins) -> bool {
        let [Arg::Label(to)] = branch.args[..] else { return false };
        let mut behind = self
            .items
            .iter()
            .skip_while(|item| !matches!(item, Item::Label(label) if *label == to));
        let end = behind.find(|item| matches!(item, Item::Ins(_) | Item::Open | Item::Close));
        let ends =
            matches!(end, Some(Item::Ins(ins)) if ins.guard.is_none() && ins.head() == "ret");
        ends && self.failed.is_some() && !self.behind_failures[at]
    }

    fn instruction(&mut self, at: usize, ins: &Ins, plan: Option<access::Plan>) -> Done<()> {
        let rule = match rule(ins.head()) {
            Ok(rule) => rule,
            Err(_) if planted(Mistake::UnknownLetThrough) => Rule::Move,
            Err(why) => return self.refuse(ins, why),
        };
        let brackets = !planted(Mistake::BracketsLetThrough)
            && ins.args.iter().any(|arg| matches!(arg, Arg::Address(..) | Arg::Object(..)));
        match rule {
            Rule::Registers | Rule::Order | Rule::Trap | Rule::Branch if brackets => {
                return self.refuse(ins, "an address is not expected here");
            }
            Rule::Branch if ins.head() == "brx" => self.branch_of_list(ins)?,
            Rule::Branch if self.only_ends(at, ins) => {
                let text =
                    self.plain(&Ins { opcode: "ret".to_owned(), args: Vec::new(), ..ins.clone() });
                self.line(text);
            }
            Rule::Registers | Rule::Order | Rule::Trap | Rule::Branch => {
                if matches!(rule, Rule::Registers) && takes_address(ins) {
                    return self.refuse(ins, "the address of a variable is not expected here");
                }
                let text = self.plain(ins);
                self.line(text);
            }
            Rule::Move => {
                if brackets {
                    return self.refuse(ins, "an address is not expected here");
                }
                let text = self.plain(ins);
                self.line(text);
            }
            Rule::Shared => {
                if brackets
                    && !ins
                        .modifiers()
                        .any(|one| matches!(one, "shared" | "shared::cta" | "shared::cluster"))
                {
                    return self.refuse(ins, "only in shared memory, which its name has to say");
                }
                self.in_shared(ins)?;
                let text = self.plain(ins);
                self.line(text);
            }
            Rule::Policy => {
                // Who uses it is printed without it.
                let own = self.predicate(ins);
                for reg in ins.results() {
                    let text = self.zero(reg, own.as_deref());
                    self.line(text);
                }
            }
            Rule::End => {
                if self.behind_failures[at]
                    && !(ins.head() == "exit" && planted(Mistake::ExitForgotten))
                {
                    let own = self.predicate(ins);
                    let end = own.is_none().then_some(ins.head());
                    self.end(own, end);
                }
                let text = self.plain(ins);
                self.line(text);
            }
            Rule::Call => self.call(ins)?,
            Rule::Texture | Rule::Surface => self.object(at, ins, rule)?,
            Rule::Hint => {
                // The map of a tensor is no address of memory.
                let known = ins.modifiers().all(|one| {
                    matches!(
                        one,
                        "global" | "local" | "L1" | "L2" | "L2::evict_last" | "L2::evict_normal"
                    )
                });
                if !known {
                    return self.refuse(ins, "it is not guarded yet");
                }
                let text = self.plain(ins);
                self.line(text);
            }
            Rule::Load | Rule::Store | Rule::Atomic | Rule::Copy => {
                self.access(at, ins, plan)?;
            }
        }
        Ok(())
    }

    /// `brx`, whose number would lead to any code if it were beyond the list.
    fn branch_of_list(&mut self, ins: &Ins) -> Done<()> {
        let (Some(Arg::Reg(number)), Some(Arg::Targets(list))) =
            (ins.args.first(), ins.args.last())
        else {
            return self.refuse(ins, "a number and a list are expected");
        };
        let count = self.items.iter().find_map(|item| match item {
            Item::Targets(one, labels) if one == list => Some(labels.len()),
            _ => None,
        });
        let Some(last) = count.and_then(|count| count.checked_sub(1)) else {
            return self.refuse(ins, "a list of labels is expected");
        };
        let bounded = self.fresh(Type::U32);
        let text = format!("min.u32 {}, {}, {last};", self.name(bounded), self.name(*number));
        let mut ins = ins.clone();
        if !planted(Mistake::TargetUnbounded) {
            self.line(text);
            ins.args[0] = Arg::Reg(bounded);
        }
        let text = self.plain(&ins);
        self.line(text);
        Ok(())
    }

    /// Checks that addresses by name in shared memory are in the variable.
    fn in_shared(&self, ins: &Ins) -> Done<()> {
        for arg in &ins.args {
            match arg {
                Arg::Address(Base::Var(var), _)
                    if self.declared(*var).is_none_or(|one| one.space != Space::Shared) =>
                {
                    return self.refuse(ins, "a variable of another state space");
                }
                Arg::Object(..) => return self.refuse(ins, "an address is not expected here"),
                _ => {}
            }
        }
        Ok(())
    }

    /// Sets a register to 0.
    fn zero(&self, reg: usize, predicate: Option<&str>) -> String {
        let name = self.name(reg);
        let ty = self.registers[reg];
        let text = match (ty.kind, ty.bytes) {
            (Kind::Pred, _) => format!("setp.ne.u32 {name}, 0, 0;"),
            // Registers of 8 bits cannot be moved.
            (_, 1) => format!("cvt.u8.u32 {name}, 0;"),
            (_, 16) => format!("mov.b128 {name}, {{0, 0}};"),
            (_, bytes) => format!("mov.b{} {name}, 0;", u32::from(bytes) * 8),
        };
        match predicate {
            Some(predicate) => format!("@{predicate} {text}"),
            None => text,
        }
    }

    /// The instruction that reads the record or the tag, which a kernel has behind all extents.
    fn read(&self, own: Own, to: &str) -> String {
        let prefix = self.scene.names.prefix;
        let (word, ty, from_end) = match own {
            Own::Record => ("record", "u64", 16),
            Own::Tag => ("tag", "u32", 8),
        };
        if self.function.entry {
            let at = hidden_bytes(self.function) - from_end;
            format!("ld.param.{ty} {to}, [{prefix}hidden+{at}];")
        } else {
            format!("mov.{ty} {to}, {prefix}{word};")
        }
    }

    /// Stores the place that failed, if one did, and this predicate holds. A thread that failed nowhere ends at once if it is
    /// said how.
    fn end(&mut self, own: Option<String>, end: Option<&str>) {
        let Some(failed) = self.failed.filter(|_| !planted(Mistake::FailureNotStored)) else {
            return;
        };
        let failed = self.name(failed);
        let did = self.new_name(Type::PRED);
        self.line(access::compared_line("ne.u32", &failed, "0", &did, own.as_deref()));
        if let Some(end) = end {
            let not = if planted(Mistake::FailureEnds) { "" } else { "!" };
            self.line(format!("@{not}{did} {end};"));
        }
        let (record, tag, word) =
            (self.new_name(Type::U64), self.new_name(Type::U32), self.new_name(Type::B64));
        let when = if self.function.entry { format!("@{did} ") } else { String::new() };
        for (own, to) in [(Own::Record, &record), (Own::Tag, &tag)] {
            let read = self.read(own, to);
            self.line(format!("{when}{read}"));
        }
        self.line(format!("mov.b64 {word}, {{{failed}, {tag}}};"));
        self.line(format!("@{did} st.global.u64 [{record}], {word};"));
    }

    /// The register for the place that failed, and the number of the place of an item.
    fn site(
        &mut self,
        at: usize,
        ins: &Ins,
        kind: AccessKind,
        bytes: u32,
        parameters: Vec<usize>,
        further: Vec<u32>,
    ) -> (String, u32) {
        if let (Some(failed), Some(&number)) = (self.failed, self.numbers.get(&at)) {
            return (self.name(failed), number);
        }
        *self.number += 1;
        let number = *self.number;
        self.numbers.insert(at, number);
        let source = self.location.and_then(|(file, line)| {
            let known = self.scene.source.files.iter().find(|one| one.0 == file);
            known.map(|one| (one.1.to_owned(), u32::try_from(line).unwrap_or(u32::MAX)))
        });
        let line = (ins.line as usize).checked_sub(1).and_then(|at| self.scene.lines.get(at));
        self.sites.push(Site {
            number,
            line: ins.line,
            further,
            instruction: line.map_or("", |line| line.trim()).to_owned(),
            source,
            parameters,
            function: (!self.function.entry).then(|| self.function.name.to_owned()),
            kind,
            bytes,
        });
        let reg = match self.failed {
            Some(reg) => reg,
            None => {
                let reg = self.fresh(Type::U32);
                self.failed = Some(reg);
                reg
            }
        };
        (self.name(reg), number)
    }

    /// `tex`, `suld` and others, whose handle has to be a parameter: it is read from there again, whatever the register
    /// holds.
    fn object(&mut self, at: usize, ins: &Ins, rule: Rule) -> Done<()> {
        let mut ins = ins.clone();
        let handle = ins.args.iter().find_map(|arg| match arg {
            Arg::Object(reg, _) | Arg::Address(Base::Reg(reg), 0) => Some(*reg),
            _ => None,
        });
        let Some(handle) = handle else {
            return self.refuse(&ins, "its handle has to be a parameter");
        };
        let Some(param) = self.moved(at, handle, 0).filter(|_| self.function.entry) else {
            return self.refuse(&ins, "its handle does not come from exactly one parameter");
        };
        let fresh = self.fresh(Type::U64);
        let name = self.name(fresh);
        let text = format!("ld.param.u64 {name}, [{}];", self.scene.names.var(Var::Param(param)));
        self.line(text);
        for arg in &mut ins.args {
            match arg {
                _ if planted(Mistake::HandleNotRead) => {}
                Arg::Object(reg, place) if *reg == handle => {
                    if place.iter().any(|one| matches!(one, Arg::Object(..) | Arg::Address(..))) {
                        return Err(Reason::new(ins.line, "a sampler of its own"));
                    }
                    *reg = fresh;
                }
                Arg::Address(Base::Reg(reg), 0) if *reg == handle => *reg = fresh,
                Arg::Object(..) | Arg::Address(..) => {
                    return Err(Reason::new(ins.line, format!("'{}': two addresses", ins.opcode)));
                }
                _ => {}
            }
        }
        if rule == Rule::Surface {
            self.used[param].surface = true;
            if matches!(ins.head(), "suld" | "sust" | "sured") && !planted(Mistake::SurfaceTraps) {
                // `.trap` is meant where nothing is said, and a trap would end the context.
                let parts: Vec<&str> = ins.opcode.split('.').filter(|one| *one != "trap").collect();
                let said = parts.iter().any(|one| matches!(*one, "clamp" | "zero"));
                ins.opcode = parts.join(".");
                if !said {
                    ins.opcode.push_str(".zero");
                }
            }
        } else {
            self.used[param].texture = true;
        }
        if rule == Rule::Surface && self.misplaced(at, &ins)? {
            return Ok(());
        }
        let text = self.plain(&ins);
        self.line(text);
        Ok(())
    }

    /// Leaves out an access of a surface whose place is no multiple of its size, which would end the context. Places are
    /// in bytes where the name says `.b`.
    fn misplaced(&mut self, at: usize, ins: &Ins) -> Done<bool> {
        let size =
            ins.modifiers().filter_map(Type::named).last().map_or(1, |ty| u32::from(ty.bytes));
        let count = if ins.has("v4") {
            4
        } else if ins.has("v2") {
            2
        } else {
            1
        };
        let bytes = size * count;
        let place = ins.args.iter().find_map(|arg| match arg {
            Arg::Object(_, place) => Some(place),
            _ => None,
        });
        let Some(place) = place.filter(|_| ins.has("b") && bytes > 1) else { return Ok(false) };
        // Behind the layer, if there is one.
        let first = usize::from(ins.has("a1d") || ins.has("a2d"));
        let Some(x) = place.get(first) else { return self.refuse(ins, "a place is expected") };
        let x = self.scene.names.arg(&self.registers, x);
        let low = self.new_name(Type::B32);
        self.line(format!("and.b32 {low}, {x}, {};", bytes - 1));
        let own = self.predicate(ins);
        let (good, bad) = self.good_and_bad("eq.u32", &low, "0", own.as_deref());
        let kind = match ins.head() {
            "suld" => AccessKind::Read,
            "sust" => AccessKind::Write,
            _ => AccessKind::Update,
        };
        let text = self.scene.names.ins(&self.registers, ins);
        self.line(format!("@{good} {text}"));
        if kind == AccessKind::Read {
            for reg in ins.results() {
                let text = self.zero(reg, Some(&bad));
                self.line(text);
            }
        }
        let (failed, number) = self.site(at, ins, kind, bytes, Vec::new(), Vec::new());
        self.line(format!("@{bad} mov.u32 {failed}, {number};"));
        Ok(true)
    }

    /// The parameter that a register holds at an item, unchanged.
    fn moved(&self, at: usize, reg: usize, depth: u32) -> Option<usize> {
        let def =
            self.flow.definition(reg).filter(|&def| depth < 32 && self.flow.dominates(def, at))?;
        let Item::Ins(ins) = self.item(def)? else { return None };
        match (ins.opcode.as_str(), ins.args.get(1)) {
            (
                "ld.param.u64" | "ld.param.b64" | "ld.param.s64",
                Some(Arg::Address(Base::Var(Var::Param(param)), 0)),
            ) => has_extents(&self.function.params[*param]).then_some(*param),
            ("mov.u64" | "mov.b64" | "mov.s64", Some(Arg::Reg(from))) => {
                self.moved(def, *from, depth + 1)
            }
            _ => None,
        }
    }

    fn item(&self, at: usize) -> Option<&Item> {
        self.items.get(at)
    }

    /// The finished text.
    fn finish(mut self) -> Rewritten {
        self.compute();
        let mut body = String::new();
        for (reg, ty) in self.registers.iter().enumerate() {
            if self.body.formals.values().any(|&formal| formal == reg) {
                continue;
            }
            let _ = writeln!(body, "\t.reg .{} {};", print::word(*ty), self.name(reg));
        }
        let unwritten = std::mem::take(&mut self.flow.unwritten);
        for reg in unwritten.into_iter().filter(|_| !planted(Mistake::UnwrittenNotZero)) {
            let text = self.zero(reg, None);
            self.first_line(text);
        }
        if let Some(failed) = self.failed {
            let text = self.zero(failed, None);
            self.first_line(text);
        }
        body.push_str(&self.declarations);
        body.push_str(&self.first);
        body.push_str(&self.text);
        let names = &self.scene.names;
        let formal = |var: Var, variable: &Variable<'_>| {
            let name = match self.body.formals.get(&var) {
                Some(&reg) => self.name(reg),
                None => names.var(var),
            };
            let mut shape = print::shape(variable, &name);
            if let (Some(pointer), Some(at)) = (variable.pointer, shape.rfind(' ')) {
                let space =
                    pointer.space.map_or(String::new(), |one| format!(" {}", print::space(one)));
                let align = pointer.align.map_or(String::new(), |align| format!(" .align {align}"));
                shape.insert_str(at, &format!(" .ptr{space}{align}"));
            }
            shape
        };
        let mut params: Vec<String> = self
            .function
            .params
            .iter()
            .enumerate()
            .map(|(at, one)| formal(Var::Param(at), one))
            .collect();
        params.extend(hidden(names.prefix, self.function));
        let returns: Vec<String> = self
            .function
            .returns
            .iter()
            .enumerate()
            .map(|(at, one)| formal(Var::Return(at), one))
            .collect();
        let head = if self.function.entry {
            format!(".visible .entry {}(\n\t{}\n)", self.function.name, params.join(",\n\t"))
        } else {
            let returns = if returns.is_empty() {
                String::new()
            } else {
                format!("({}) ", returns.join(", "))
            };
            format!(".func {returns}{}(\n\t{}\n)", self.function.name, params.join(",\n\t"))
        };
        Rewritten {
            head,
            directives: print::directives(self.function),
            body,
            sites: self.sites,
            calls: self.calls,
            used: self.used,
        }
    }
}

/// Whether an operand is the address of a variable, which only `mov` and some others have.
fn takes_address(ins: &Ins) -> bool {
    let address = |arg: &Arg| matches!(arg, Arg::AddressOf(..));
    let cvta = matches!(ins.head(), "cvta" | "isspacep" | "mapa" | "getctarank" | "add" | "sub");
    !cvta && ins.args.iter().any(address)
}
