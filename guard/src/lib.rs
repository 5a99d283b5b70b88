//! Guarded PTX: the text of a module in, and out comes a text whose kernels stay inside of their arguments.
//!
//! Each access to memory is compared with the extent of an argument. One outside is not made: a load gives 0, a store does
//! nothing, and the place is noted. The kernel goes on to its end, and a thread that failed then stores the number of the
//! place.
//!
//! Reads of one argument in straight code are compared together where they follow each other, or are at equal distances, and
//! so are writes. If one is outside, none of them is made. Nothing between them leads elsewhere, so a thread that fails so
//! would fail at one of them. What computes on registers between two accesses is moved before the first or behind the last
//! where that changes nothing, and so are reads over reads.
//!
//! An index of 64 bits counts as outside if its product with the size of an element wraps around, and one of 32 bits if it is
//! the largest there is.
//!
//! ```
//! let text = "
//!     .version 8.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry clear(.param .u64 data, .param .u32 n) {
//!         .reg .b64 %rd<4>;
//!         .reg .b32 %r<4>;
//!         ld.param.u64 %rd1, [data];
//!         cvta.to.global.u64 %rd1, %rd1;
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd2, %r1, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         st.global.u32 [%rd3], 0;
//!         ret;
//!     }";
//! let guarded = cuscope_guard::guard(text)?;
//! let clear = &guarded.kernels()[0];
//! assert_eq!(clear.name(), "clear");
//! assert!(clear.parameters()[0].writes && !clear.parameters()[0].reads);
//! let site = &clear.sites()[0];
//! assert_eq!((site.number, site.line, site.bytes), (1, 13, 4));
//! assert_eq!(site.instruction, "st.global.u32 [%rd3], 0;");
//! # Ok::<(), cuscope_guard::GuardError>(())
//! ```
//!
//! # What is behind the parameters
//!
//! A guarded kernel has one more parameter behind its own, an array of bytes aligned to 8. In it are, in this order: for each
//! parameter of its own of 64 bits (`.u64`, `.s64` or `.b64`, and no array) two `u64`, the bytes that may be read there and
//! the bytes that may be written, both 0 for a number; a `u64`, the device address of a record of 8 bytes; a `u32`, a tag, and 4
//! more bytes. A thread that failed stores `tag << 32 | site` to the record in one piece before it ends.
//!
//! The launch looks at what is the same for all threads: [`Bounds::of`] is what it passes.
#![forbid(unsafe_code)]

mod body;
mod flow;
mod function;
mod module;
mod order;
mod origin;
mod planted;
mod print;
mod rules;
mod skips;
#[cfg(test)]
mod tests;

use std::fmt;

pub use module::guard;

/// A module whose kernels are guarded.
#[derive(Clone, Debug)]
pub struct Guarded {
    text: String,
    kernels: Vec<GuardedKernel>,
    refused: Vec<Refused>,
}

impl Guarded {
    /// The text of the module.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kernels in it, in the order of the text.
    pub fn kernels(&self) -> &[GuardedKernel] {
        &self.kernels
    }

    /// The kernels that could not be guarded. They are not in the text.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }
}

/// A kernel that is guarded.
#[derive(Clone, Debug)]
pub struct GuardedKernel {
    name: String,
    parameters: Vec<Parameter>,
    sites: Vec<Site>,
}

impl GuardedKernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its own parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The accesses that may fail, those of the functions that it calls among them. Numbers are the module's: a function
    /// that two kernels call has the same numbers in both.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The access of a number.
    pub fn site(&self, number: u32) -> Option<&Site> {
        self.sites.iter().find(|site| site.number == number)
    }
}

/// A parameter of a kernel's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its place among the kernel's parameters, from 0.
    pub index: usize,
    /// Its bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// Whether it is told behind the kernel's own parameters how much of it may be read and written.
    pub extents: bool,
    /// What a launch looks at before it passes this.
    pub bounds: Bounds,
    /// Whether the kernel reads what it points to.
    pub reads: bool,
    /// Whether the kernel writes what it points to.
    pub writes: bool,
    /// Whether it is the handle of a texture.
    pub texture: bool,
    /// Whether it is the handle of a surface.
    pub surface: bool,
}

/// What a launch looks at in the place of all threads, for one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// What the begin of the memory has to be a multiple of. If it is not, nothing may be read or written there.
    pub begin: u32,
    /// The most bytes that may be passed as what may be read or written there. The kernel accesses no more.
    pub most: u64,
}

impl Bounds {
    /// What a launch passes for memory at this address of which so many bytes may be read, or written.
    pub fn of(self, address: u64, bytes: u64) -> u64 {
        if address % u64::from(self.begin) == 0 { bytes.min(self.most) } else { 0 }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes, as `atom` and `red` do.
    Update,
}

/// An access that is compared with the extents of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its number, from 1, which no other access of the module has.
    pub number: u32,
    /// The line of the text that was guarded, from 1.
    pub line: u32,
    /// The lines of the accesses that have their check together with this one. The place stands for all of them: if one is
    /// outside, none is made.
    pub further: Vec<u32>,
    /// This line, without blanks around it.
    pub instruction: String,
    /// The file and the line of the source, if `.loc` tells.
    pub source: Option<(String, u32)>,
    /// The parameters of the kernel, or of the function that the access is in, that it was compared with. None if it was
    /// compared with variables or with shared memory only.
    pub parameters: Vec<usize>,
    /// The function that the access is in, if that is not the kernel itself.
    pub function: Option<String>,
    /// What it does.
    pub kind: AccessKind,
    /// How many bytes it reads or writes.
    pub bytes: u32,
}

/// A kernel that could not be guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub kernel: String,
    /// The line of the text that is the reason.
    pub line: u32,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel '{}' cannot be guarded: line {}: {}", self.kernel, self.line, self.reason)
    }
}

/// Why a text could not be guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardError {
    line: u32,
    message: String,
}

impl GuardError {
    /// The line of the text, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// What is wrong with it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for GuardError {}
