//! Makes accesses that a branch goes past with its predicate instead, where they are few. So does ptxas with plain accesses, but
//! not with those that have checks around them, and it moves no read over such a branch.

use std::collections::HashMap;

use crate::body::{Arg, Ins, Item};
use crate::order::{computes, joins};
use crate::planted::{Mistake, planted};

/// Instructions that take long, so that they are not done where the text goes past them.
const LONG: &[&str] = &["cos", "div", "ex2", "lg2", "rcp", "rem", "rsqrt", "sin", "sqrt", "tanh"];

/// A branch over so many items becomes a predicate.
const MOST_SKIPPED: usize = 12;

/// How often items mention registers.
fn mentions(items: &[Item]) -> HashMap<usize, usize> {
    let mut all = HashMap::new();
    for item in items {
        let Item::Ins(ins) = item else { continue };
        ins.mentioned().into_iter().for_each(|reg| *all.entry(reg).or_insert(0) += 1);
    }
    all
}

/// Items with accesses that a branch skips made with its predicate, if nothing else that is skipped could be noticed.
pub(crate) fn without_skips(items: Vec<Item>) -> Vec<Item> {
    let everywhere = mentions(&items);
    let mut all = Vec::with_capacity(items.len());
    let mut rest = &items[..];
    while let [item, behind @ ..] = rest {
        rest = behind;
        let skipped = skipped(item, behind, &everywhere);
        let Some((count, guard)) = skipped else {
            all.push(item.clone());
            continue;
        };
        for item in &behind[..count] {
            all.push(match item {
                Item::Ins(ins) if joins(ins) => {
                    Item::Ins(Ins { guard: Some(guard), ..ins.clone() })
                }
                item => item.clone(),
            });
        }
        rest = &behind[count..];
    }
    all
}

/// If a branch skips accesses and what these need alone: how many items, and the predicate with which they are reached.
fn skipped(
    branch: &Item,
    behind: &[Item],
    everywhere: &HashMap<usize, usize>,
) -> Option<(usize, (usize, bool))> {
    let Item::Ins(Ins { guard: Some((reg, negated)), opcode, args, .. }) = branch else {
        return None;
    };
    let ("bra", [Arg::Label(to)]) = (&opcode[..], &args[..]) else { return None };
    let count = behind.iter().position(|item| matches!(item, Item::Label(_)))?;
    let own = &behind[..count];
    if count > MOST_SKIPPED || !matches!(behind[count], Item::Label(label) if label == *to) {
        return None;
    }
    // A branch to the end is an end.
    let next = behind[count..].iter().find_map(|item| match item {
        Item::Ins(ins) => Some(ins.head()),
        _ => None,
    });
    if matches!(next, None | Some("ret" | "exit")) {
        return None;
    }
    let here = mentions(own);
    let alone = own.iter().all(|item| match item {
        Item::Ins(ins) if ins.guard.is_some() => false,
        Item::Ins(ins) if joins(ins) => true,
        Item::Ins(ins) => {
            let own =
                |reg: &usize| here.get(reg) == everywhere.get(reg) || planted(Mistake::SkippedUsed);
            computes(ins) && !LONG.contains(&ins.head()) && ins.results().iter().all(own)
        }
        item => matches!(item, Item::Location(..)),
    });
    let accesses = own.iter().filter(|item| matches!(item, Item::Ins(ins) if joins(ins))).count();
    let negated = *negated == planted(Mistake::SkippedNegated);
    (alone && (1..=2).contains(&accesses)).then_some((count, (*reg, negated)))
}
