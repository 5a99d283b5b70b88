//! Brings accesses to memory together: what computes on registers between two of them goes before the first or behind the
//! last, where that changes nothing. So they can be checked together, and made together.

use std::collections::HashSet;

use crate::body::{Arg, Ins, Item};
use crate::planted::{Mistake, planted};

/// Instructions that compute on registers, and on nothing else that another instruction changes.
const COMPUTES: &[&str] = &[
    "abs", "add", "and", "bfe", "bfi", "brev", "clz", "cnot", "copysign", "cos", "cvt", "cvta",
    "div", "ex2", "fma", "lg2", "lop3", "mad", "mad24", "max", "min", "mov", "mul", "mul24", "neg",
    "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad", "selp", "set", "setp", "shf", "shl",
    "shr", "sin", "slct", "sqrt", "sub", "tanh", "xor",
];

/// Whether an instruction is an access that may be made together with others: it waits for nobody, orders nothing, and is made
/// whenever control is there.
pub(crate) fn joins(ins: &Ins) -> bool {
    matches!(ins.head(), "ld" | "st")
        && (ins.guard.is_none() || planted(Mistake::TogetherPredicated))
        && !ins.modifiers().any(|one| {
            matches!(one, "volatile" | "relaxed" | "acquire" | "release" | "mmio" | "async")
                || matches!(one, "const" | "local")
                || one.starts_with("param")
                || one.starts_with("shared")
        })
}

/// Whether an instruction computes on registers, and may be moved over accesses.
pub(crate) fn computes(ins: &Ins) -> bool {
    let steady = |arg: &Arg| match arg {
        Arg::Special(name) => {
            ["%tid", "%ntid", "%ctaid", "%nctaid"].iter().any(|one| name.starts_with(one))
        }
        _ => true,
    };
    // `.cc` is a register that no operand names.
    COMPUTES.contains(&ins.head()) && !ins.has("cc") && ins.args.iter().all(steady)
}

/// The registers that instructions read and write.
#[derive(Default)]
struct Touched {
    reads: HashSet<usize>,
    writes: HashSet<usize>,
}

impl Touched {
    fn add(&mut self, ins: &Ins) {
        // A result that is written with a predicate is read as well. `mentioned` has results too, which does no harm.
        self.reads.extend(ins.mentioned());
        self.writes.extend(results(ins));
    }

    /// Whether an instruction may go before those that were added.
    fn lets_past(&self, ins: &Ins) -> bool {
        let written = results(ins);
        let reads = planted(Mistake::OrderOfReads)
            || !ins.mentioned().iter().any(|reg| self.writes.contains(reg));
        let writes =
            planted(Mistake::OrderOfWrites) || !written.iter().any(|reg| self.reads.contains(reg));
        reads && writes
    }
}

/// The registers that an instruction writes. The first operand of a store is an address, which holds none.
fn results(ins: &Ins) -> Vec<usize> {
    if ins.head() == "st" { Vec::new() } else { ins.results() }
}

/// Items between which control goes straight on.
#[derive(Default)]
struct Stretch {
    as_they_were: Vec<Item>,
    before: Vec<Item>,
    accesses: Vec<Item>,
    behind: Vec<Item>,
    /// What the accesses, and what is behind them, touch.
    touched: Touched,
    count: usize,
}

impl Stretch {
    fn end(&mut self, into: &mut Vec<Item>) {
        let Self { as_they_were, before, accesses, behind, count, .. } = std::mem::take(self);
        if count > 1 {
            into.extend(before.into_iter().chain(accesses).chain(behind));
        } else {
            into.extend(as_they_were);
        }
    }
}

/// Items without the braces that declare nothing. Registers and labels have names of ours, which no braces end.
fn without_braces(items: Vec<Item>) -> Vec<Item> {
    let mut kept = vec![true; items.len()];
    // Those that are open, and whether something is declared in them.
    let mut open = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Open => open.push((at, false)),
            Item::Declare(_) => open.iter_mut().for_each(|one| one.1 = true),
            Item::Close => {
                if let Some((begin, declares)) = open.pop() {
                    (kept[begin], kept[at]) = (declares, declares);
                }
            }
            _ => {}
        }
    }
    items.into_iter().zip(kept).filter(|one| one.1).map(|one| one.0).collect()
}

/// The items of a body with accesses brought together.
pub(crate) fn brought_together(items: Vec<Item>) -> Vec<Item> {
    let mut all = Vec::with_capacity(items.len());
    let mut straight = Vec::new();
    for item in without_braces(items) {
        let goes_on = match &item {
            Item::Ins(ins) => joins(ins) || computes(ins),
            item => matches!(item, Item::Location(..)),
        };
        if goes_on {
            straight.push(item);
        } else {
            arrange(std::mem::take(&mut straight), &mut all);
            all.push(item);
        }
    }
    arrange(straight, &mut all);
    all
}

/// Brings the accesses of straight code together.
fn arrange(items: Vec<Item>, into: &mut Vec<Item>) {
    let mut wanted = HashSet::new();
    let mut for_accesses = vec![false; items.len()];
    for (at, item) in items.iter().enumerate().rev() {
        let Item::Ins(ins) = item else { continue };
        if joins(ins) || ins.results().iter().any(|reg| wanted.contains(reg)) {
            for_accesses[at] = true;
            wanted.extend(ins.mentioned());
        }
    }
    let mut stretch = Stretch::default();
    for (item, for_accesses) in items.into_iter().zip(for_accesses) {
        if let Item::Ins(ins) = &item {
            if joins(ins) && !stretch.touched.lets_past(ins) {
                stretch.end(into);
            }
        }
        stretch.as_they_were.push(item.clone());
        match &item {
            Item::Ins(ins) if joins(ins) => {
                stretch.touched.add(ins);
                stretch.count += 1;
                stretch.accesses.push(item);
            }
            Item::Ins(ins) => {
                if stretch.count == 0 || for_accesses && stretch.touched.lets_past(ins) {
                    stretch.before.push(item);
                } else {
                    stretch.touched.add(ins);
                    stretch.behind.push(item);
                }
            }
            // It says where what follows stands.
            _ if stretch.count > 0 => stretch.accesses.push(item),
            _ => stretch.before.push(item),
        }
    }
    stretch.end(into);
}
