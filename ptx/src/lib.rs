//! PTX: a parser and checker for modules, and an interpreter for their kernels.
//!
//! [`Module::parse`] reads a text, resolves every name, type and modifier, and refuses what is not PTX or not supported,
//! by line and reason. What it gives tells the entries with their parameters, and the variables of device memory.
//! [`run`](mod@run) executes launches.
//!
//! ```
//! let text = "
//!     .version 8.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry scale(.param .u64 data, .param .align 4 .b8 by[12]) {
//!         .shared .f32 tile[32];
//!         ret;
//!     }";
//! let module = cuscope_ptx::Module::parse(text)?;
//! assert!(module.runs_on(90) && !module.runs_on(75));
//! let scale = &module.kernels[0];
//! assert_eq!((scale.name.as_str(), scale.static_shared), ("scale", 128));
//! assert_eq!((scale.params[1].offset, scale.params[1].size, scale.params[1].align), (8, 12, 4));
//!
//! let error = cuscope_ptx::Module::parse(&text.replace("ret", "returns")).unwrap_err();
//! assert_eq!(error.errors[0].line, 7);
//! # Ok::<(), cuscope_ptx::ParseError>(())
//! ```
//!
//! `cuscope-ptx-syntax` makes the syntax tree of a text, and `lower` the compact `code` of the tree.

mod bulk;
mod code;
mod fragment;
mod image;
mod lower;
mod ops;
pub mod run;
mod source;
mod sync;
pub mod tensor;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use cuscope_ptx_syntax::{error, parse, tree, types};

pub use error::{Diagnostic, ParseError, ParseErrorKind};
pub use source::SourceLine;
pub use tree::BlockLimit;

/// A module, ready to run.
#[derive(Clone, Debug)]
pub struct Module {
    /// The number of `.target`, such as 75 for `sm_75`.
    pub target: u32,
    /// The entries.
    pub kernels: Vec<Kernel>,
    /// The variables of device memory, in order of declaration.
    pub globals: Vec<Global>,
    /// The names of those among them that are `.extern` and that the text does not define. As NVIDIA's assembler does,
    /// the module has memory for them.
    pub external: Vec<String>,
    /// The text, for what a fault tells.
    text: Arc<str>,
}

impl Module {
    /// Parses and checks a module's text.
    ///
    /// # Errors
    ///
    /// The text is not PTX, is of a newer version, or uses what is not
    /// supported; the log says what, and where.
    pub fn parse(source: &str) -> Result<Self, ParseError> {
        Ok(Self { text: source.into(), ..lower::lower(&parse::parse(source)?)? })
    }

    /// A line of the text, counted from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth(number.checked_sub(1)? as usize)
    }

    /// The line of the program that a line of the text was compiled from, and then the one that it was put into, if it is
    /// of a function that was inlined. None if the text has no `.loc` for it: `-lineinfo` has compilers write them.
    pub fn source(&self, number: u32) -> Vec<SourceLine> {
        source::lines(&self.text, number)
    }

    /// Whether a device of this number, such as 90 for compute capability 9.0, runs it.
    pub fn runs_on(&self, device: u32) -> bool {
        self.target <= device
    }

    /// The bytes that a variable holds when the module is loaded, given the
    /// device addresses of all of [`globals`](Self::globals); the rest up to
    /// its size is zero.
    pub fn initial_bytes(&self, global: usize, addresses: &[u64]) -> Vec<u8> {
        let Some(variable) = self.globals.get(global) else {
            return Vec::new();
        };
        let mut bytes = variable.init.clone();
        for fixup in &variable.fixups {
            let address = addresses.get(fixup.global).copied().unwrap_or_default();
            let value = (address.wrapping_add_signed(fixup.addend) >> fixup.shift).to_le_bytes();
            if let Some(place) = bytes.get_mut(fixup.offset..fixup.offset + fixup.bytes) {
                place.copy_from_slice(&value[..fixup.bytes]);
            }
        }
        bytes
    }
}

/// Which space a variable was declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalSpace {
    /// `.global`
    Global,
    /// `.const`
    Const,
}

/// A variable of module scope that lies in device memory.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "what a declaration says, whether or not the driver asks for it")]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its space.
    pub space: GlobalSpace,
    /// Its alignment in bytes.
    pub align: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Its first bytes at load, but for [`fixups`](Self::fixups); what follows
    /// is zero.
    pub init: Vec<u8>,
    /// Addresses to put into the bytes.
    pub fixups: Vec<Fixup>,
    /// Whether it is managed memory.
    pub managed: bool,
    /// Whether it is `.visible`.
    pub visible: bool,
}

/// An address of a variable in the initialiser of another.
#[derive(Clone, Copy, Debug)]
pub struct Fixup {
    /// Where the bytes begin.
    pub offset: usize,
    /// How many there are, at most 8.
    pub bytes: usize,
    /// Which bits of the address they are: from this one on.
    pub shift: u32,
    /// The variable, by its index in [`Module::globals`].
    pub global: usize,
    /// The number that is added to its address.
    pub addend: i64,
}

/// A parameter's place in the buffer of [`Launch::params`](run::Launch::params).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Where it begins.
    pub offset: usize,
    /// How many bytes it has.
    pub size: usize,
    /// Its alignment.
    pub align: usize,
}

/// An entry.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The bytes that they take in all.
    pub param_bytes: usize,
    /// The bytes of its static shared memory.
    pub static_shared: usize,
    /// The bytes of a thread's local memory, calls aside.
    pub local_bytes: usize,
    /// The blocks that it takes.
    pub block: BlockLimit,
    /// A number of registers to report.
    pub registers: u32,
    /// Slots of the entry's frame.
    slots: u32,
    /// Where dynamic shared memory begins.
    dynamic_offset: usize,
    /// The work of a warp once a launch, before all of its blocks.
    once: Vec<code::Instr>,
    /// The rest of the entry's code, and that of the functions it calls.
    code: Vec<code::Instr>,
    /// The line of the text that each of these is from.
    lines: Vec<u32>,
    /// The registers that have to be 0 when a block begins; none if all of a warp's state
    /// has to be as new.
    zeroed: Option<Vec<code::Slot>>,
    /// The entry and the functions that it may call.
    functions: Vec<code::Callable>,
    /// The constants of the code.
    constants: code::Constants,
}

/// The fewest registers that a function can be compiled for.
const FEWEST_REGISTERS: u32 = 16;

impl Kernel {
    /// Reports no more registers than this.
    pub fn limit_registers(&mut self, most: u32) {
        self.registers = self.registers.min(most.max(FEWEST_REGISTERS));
    }
}
