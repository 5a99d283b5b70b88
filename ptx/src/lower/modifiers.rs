//! An opcode's modifiers. NVIDIA's assembler takes most of them in any order, as long as types and operations are
//! in theirs: so a modifier is taken from wherever it is.

use super::super::ops::{self, Rounding};
use super::super::types::Type;
use super::{Lowered, Refusal};

/// Words that belong to an instruction's name, unlike its modifiers, and those that they may stand after.
const NAMES: &[(&str, &[&str], &[&str])] = &[
    ("bar", &["cta", "warp"], &["bar"]),
    ("bar", &["red"], &["bar", "cta"]),
    ("barrier", &["cta", "cluster"], &["barrier"]),
    ("barrier", &["red"], &["barrier", "cta"]),
    ("brx", &["idx"], &["brx"]),
    ("cp", &["async"], &["cp", "reduce"]),
    ("cp", &["bulk", "mbarrier"], &["async"]),
    ("cp", &["arrive"], &["mbarrier"]),
    ("cp", &["tensor"], &["bulk", "prefetch"]),
    ("createpolicy", &["fractional", "range", "cvt"], &["createpolicy"]),
    ("cvt", &["pack"], &["cvt"]),
    ("cvta", &["to"], &["cvta"]),
    ("div", &["full"], &["div"]),
    ("dp2a", &["lo", "hi"], &["dp2a"]),
    ("fence", &["proxy"], &["fence"]),
    ("mad", &["lo", "hi", "wide"], &["mad"]),
    ("mad24", &["lo", "hi"], &["mad24"]),
    ("madc", &["lo", "hi"], &["madc"]),
    ("mbarrier", &["expect_tx"], &["mbarrier", "arrive", "arrive_drop"]),
    ("mbarrier", &["parity"], &["test_wait", "try_wait"]),
    ("mul", &["lo", "hi", "wide"], &["mul"]),
    ("mul24", &["lo", "hi"], &["mul24"]),
    ("multimem", &["ld_reduce", "st", "red"], &["multimem"]),
    ("red", &["async"], &["red"]),
    ("setmaxnreg", &["inc", "dec"], &["setmaxnreg"]),
    ("st", &["async"], &["st"]),
    ("suld", &["b"], &["suld"]),
    ("sured", &["b", "p"], &["sured"]),
    ("sust", &["b", "p"], &["sust"]),
    ("tensormap", &["replace", "cp_fenceproxy"], &["tensormap"]),
    ("tex", &["level", "grad"], &["tex"]),
    ("txq", &["level"], &["txq"]),
    ("wgmma", &["fence", "commit_group", "wait_group", "mma_async"], &["wgmma"]),
];

/// Words of `testp`. With any other instruction, NVIDIA's assembler takes one and ignores it.
const CLASSES: &[&str] = &["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
/// The fields of maps that `tensormap.replace` names. With any other instruction, one is ignored likewise.
pub(super) const FIELDS: &[&str] = &[
    "global_address",
    "rank",
    "box_dim",
    "global_dim",
    "global_stride",
    "element_stride",
    "elemtype",
    "interleave_layout",
    "swizzle_mode",
    "swizzle_atomicity",
    "fill_mode",
];
/// Words that may be repeated.
const REPEATED: &[&str] =
    &["NaN", "approx", "cc", "relu", "sat", "satfinite", "shiftamt", "sync", "uni"];

/// The parts of an opcode such as `ld.global.v2.f32`.
pub(super) struct Modifiers<'s> {
    /// The first part.
    pub(super) head: &'s str,
    /// Those that have not been taken.
    rest: Vec<&'s str>,
}

impl<'s> Modifiers<'s> {
    /// Splits an opcode.
    pub(super) fn new(opcode: &'s str) -> Self {
        let mut parts = opcode.split('.');
        let head = parts.next().unwrap_or_default();
        let mut rest: Vec<&str> = Vec::new();
        for part in parts {
            if !(REPEATED.contains(&part) && rest.contains(&part)) {
                rest.push(part);
            }
        }
        Self { head, rest }
    }

    /// Refuses words of the name that are not in their place, and drops what is ignored.
    pub(super) fn named(&mut self) -> Lowered<()> {
        let before = std::iter::once(self.head).chain(self.rest.iter().copied());
        let misplaced = before.zip(&self.rest).any(|(before, word)| {
            NAMES.iter().any(|(head, words, behind)| {
                *head == self.head && words.contains(word) && !behind.contains(&before)
            })
        });
        if misplaced {
            return Err(Refusal::Unsupported);
        }
        let replaces = self.head == "tensormap" && self.peek() == "replace";
        for (words, own) in [(CLASSES, self.head == "testp"), (FIELDS, replaces)] {
            let ignored = self.rest.iter().position(|part| words.contains(part));
            ignored.filter(|_| !own).map(|at| self.rest.remove(at));
        }
        Ok(())
    }

    /// The first modifier that is left.
    pub(super) fn peek(&self) -> &'s str {
        self.rest.first().copied().unwrap_or_default()
    }

    /// The first modifier that is left, taken.
    pub(super) fn next(&mut self) -> &'s str {
        if self.rest.is_empty() { "" } else { self.rest.remove(0) }
    }

    /// Takes the first that begins as the shape of a matrix does.
    pub(super) fn shape(&mut self) -> &'s str {
        let shape = |one: &&str| {
            one.strip_prefix('m').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.rest.iter().position(shape).map_or("", |at| self.rest.remove(at))
    }

    /// Takes a modifier if it is there.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let found = self.rest.iter().position(|&one| one == name);
        found.map(|at| self.rest.remove(at)).is_some()
    }

    /// Takes the first that is one of some modifiers.
    pub(super) fn take_any(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let known = |one: &str| names.iter().copied().find(|&name| name == one);
        let (at, found) =
            self.rest.iter().enumerate().find_map(|(at, one)| Some((at, known(one)?)))?;
        self.rest.remove(at);
        Some(found)
    }

    /// Takes the size of a vector; 1 without one.
    pub(super) fn take_elements(&mut self) -> u8 {
        match self.take_any(&["v2", "v4", "v8"]) {
            None => 1,
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
        }
    }

    /// Whether a modifier is left.
    pub(super) fn has(&self, name: &str) -> bool {
        self.rest.contains(&name)
    }

    /// The first type that is left.
    pub(super) fn ty(&mut self) -> Lowered<Type> {
        let types = self.rest.iter().map(|name| Type::named(name));
        let (at, ty) =
            types.enumerate().find_map(|(at, ty)| Some((at, ty?))).ok_or(Refusal::Unsupported)?;
        self.rest.remove(at);
        Ok(ty)
    }

    /// The last type, without taking it.
    pub(super) fn last_type(&self) -> Option<Type> {
        self.rest.iter().rev().find_map(|name| Type::named(name))
    }

    /// All have been taken.
    pub(super) fn end(&self) -> Lowered<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Refusal::Unsupported) }
    }

    /// The last type, with nothing after it.
    pub(super) fn end_type(&mut self) -> Lowered<Type> {
        let ty = self.ty()?;
        self.end()?;
        Ok(ty)
    }

    /// A rounding of floats, if there is one.
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        Some(match self.take_any(&["rn", "rz", "rm", "rp"])? {
            "rn" => Rounding::Nearest,
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            _ => Rounding::Up,
        })
    }

    /// A rounding to whole numbers, if there is one.
    pub(super) fn integral(&mut self) -> Option<Rounding> {
        Some(match self.take_any(&["rni", "rzi", "rmi", "rpi"])? {
            "rni" => Rounding::Nearest,
            "rzi" => Rounding::Zero,
            "rmi" => Rounding::Down,
            _ => Rounding::Up,
        })
    }

    /// The modifiers of floating-point arithmetic.
    pub(super) fn float(&mut self) -> ops::Modifiers {
        let approximate = self.take("approx") || (self.head == "div" && self.take("full"));
        ops::Modifiers {
            approximate,
            rounding: self.rounding(),
            ftz: self.take("ftz"),
            nan: self.take("NaN"),
            sat: self.take("sat"),
            relu: self.take("relu"),
        }
    }
}
