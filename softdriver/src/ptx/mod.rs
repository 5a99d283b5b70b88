//! PTX: the front end and the interpreter.
//!
//! A module's text goes through [`lex`] (tokens), [`parse`] (the syntax
//! [`tree`]) and [`lower`] (the compact [`code`], in which every name, type and
//! modifier is resolved); [`run`](mod@run) executes a launch of it. Whatever the
//! interpreter lacks is refused while loading, by name and line.
//!
//! Threads run in warps of 32, in lockstep and with real divergence. The
//! blocks of a cluster share their shared memory, others nothing but [`Memory`].
//!
//! Generic addresses from `0x0100_0000` to `0x03ff_ffff` are windows to shared
//! memory, local memory and parameters; addresses below them are illegal, and
//! those above are handed to [`Memory`].

mod bulk;
mod code;
mod error;
mod fragment;
mod image;
mod lex;
mod lower;
mod ops;
mod parse;
pub(crate) mod run;
pub(crate) mod tensor;
mod tree;
mod types;

#[cfg(test)]
mod tests;

pub(crate) use error::{ParseError, ParseErrorKind};
pub(crate) use image::{Channel, Edge, Image, Texture};
pub(crate) use ops::Row;
pub(crate) use ops::lanes::lanes;
pub(crate) use ops::wide::{Lie, lie};
pub(crate) use run::{Fault, Launch, Memory, Output, run, run_from};

/// A module, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// The number of `.target`, such as 75 for `sm_75`.
    pub(crate) target: u32,
    /// The entries.
    pub(crate) kernels: Vec<Kernel>,
    /// The variables of device memory, in order of declaration.
    pub(crate) globals: Vec<Global>,
}

impl Module {
    /// Parses and checks a module's text.
    ///
    /// # Errors
    ///
    /// The text is not PTX, is of a newer version, or uses what is not
    /// supported; the log says what, and where.
    pub(crate) fn parse(source: &str) -> Result<Self, ParseError> {
        lower::lower(&parse::parse(source)?)
    }

    /// The bytes that a variable holds when the module is loaded, given the
    /// device addresses of all of [`globals`](Self::globals); the rest up to
    /// its size is zero.
    pub(crate) fn initial_bytes(&self, global: usize, addresses: &[u64]) -> Vec<u8> {
        let Some(variable) = self.globals.get(global) else {
            return Vec::new();
        };
        let mut bytes = variable.init.clone();
        for fixup in &variable.fixups {
            let address = addresses.get(fixup.global).copied().unwrap_or_default();
            let value = address.wrapping_add_signed(fixup.addend).to_le_bytes();
            if let Some(place) = bytes.get_mut(fixup.offset..fixup.offset + 8) {
                place.copy_from_slice(&value);
            }
        }
        bytes
    }
}

/// Which space a variable was declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobalSpace {
    /// `.global`
    Global,
    /// `.const`
    Const,
}

/// A variable of module scope that lies in device memory.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "what a declaration says, whether or not the driver asks for it")]
pub(crate) struct Global {
    /// Its name.
    pub(crate) name: String,
    /// Its space.
    pub(crate) space: GlobalSpace,
    /// Its alignment in bytes.
    pub(crate) align: usize,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// Its first bytes at load, but for [`fixups`](Self::fixups); what follows
    /// is zero.
    pub(crate) init: Vec<u8>,
    /// Addresses to put into the bytes.
    pub(crate) fixups: Vec<Fixup>,
    /// Whether it is `.visible`.
    pub(crate) visible: bool,
}

/// An address of a variable in the initialiser of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Where the 8 bytes begin.
    pub(crate) offset: usize,
    /// The variable, by its index in [`Module::globals`].
    pub(crate) global: usize,
    /// What is added to its address.
    pub(crate) addend: i64,
}

/// A parameter's place in the buffer of [`Launch::params`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Param {
    /// Where it begins.
    pub(crate) offset: usize,
    /// How many bytes it has.
    pub(crate) size: usize,
    /// Its alignment.
    pub(crate) align: usize,
}

/// What blocks a kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockLimit {
    /// The product of `.maxntid`: no more threads than that.
    pub(crate) max_threads: Option<u32>,
    /// `.reqntid`: exactly this shape.
    pub(crate) required: Option<[u32; 3]>,
    /// `.maxnreg`: no more registers than that are reported.
    pub(crate) max_registers: Option<u32>,
    /// `.reqnctapercluster`: clusters of exactly this shape.
    pub(crate) cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch has to say how large its clusters are.
    pub(crate) explicit_cluster: bool,
}

impl BlockLimit {
    /// Whether it says how many registers a thread may have, in one way or the other.
    pub(crate) fn limits_registers(&self) -> bool {
        self.max_threads.is_some() || self.required.is_some() || self.max_registers.is_some()
    }
}

/// An entry.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: String,
    /// Its parameters.
    pub(crate) params: Vec<Param>,
    /// The bytes that they take in all.
    pub(crate) param_bytes: usize,
    /// The bytes of its static shared memory.
    pub(crate) static_shared: usize,
    /// The bytes of a thread's local memory, calls aside.
    pub(crate) local_bytes: usize,
    /// What blocks it takes.
    pub(crate) block: BlockLimit,
    /// A number of registers to report.
    pub(crate) registers: u32,
    /// Slots of the entry's frame.
    slots: u32,
    /// Where dynamic shared memory begins.
    dynamic_offset: usize,
    /// What a warp does once a launch, before all of its blocks.
    once: Vec<code::Instr>,
    /// The rest of the entry's code, and that of the functions it calls.
    code: Vec<code::Instr>,
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
    pub(crate) fn limit_registers(&mut self, most: u32) {
        self.registers = self.registers.min(most.max(FEWEST_REGISTERS));
    }
}
