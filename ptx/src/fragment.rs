//! Fragments: how the elements of a matrix lie in the registers of a warp.

use super::code::{Slot, Src};

/// The elements of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    BF16,
    TF32,
    E4m3,
    E5m2,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
}

impl Element {
    /// The element of a type's name, without its dot.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Self::F16,
            "bf16" => Self::BF16,
            "tf32" => Self::TF32,
            "e4m3" => Self::E4m3,
            "e5m2" => Self::E5m2,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "s8" => Self::S8,
            "u8" => Self::U8,
            "s4" => Self::S4,
            "u4" => Self::U4,
            "b1" => Self::B1,
            "s32" => Self::S32,
            _ => return None,
        })
    }

    /// Bits of an element, in registers and in memory.
    pub(crate) const fn bits(self) -> usize {
        match self {
            Self::F64 => 64,
            Self::TF32 | Self::F32 | Self::S32 => 32,
            Self::F16 | Self::BF16 => 16,
            Self::E4m3 | Self::E5m2 | Self::S8 | Self::U8 => 8,
            Self::S4 | Self::U4 => 4,
            Self::B1 => 1,
        }
    }

    /// Elements of a register.
    pub(crate) const fn parts(self) -> usize {
        match self {
            Self::F64 => 1,
            _ => 32 / self.bits(),
        }
    }

    /// The exponent of the smallest normal number, which smaller ones have too.
    pub(crate) const fn least_exponent(self) -> i32 {
        match self {
            Self::F16 | Self::E5m2 => -14,
            Self::E4m3 => -6,
            _ => -126,
        }
    }

    /// Whether it is a whole number of 8 bits.
    pub(crate) const fn is_byte(self) -> bool {
        matches!(self, Self::S8 | Self::U8)
    }

    /// Whether it is a whole number of 4 bits.
    pub(crate) const fn is_nibble(self) -> bool {
        matches!(self, Self::S4 | Self::U4)
    }

    /// Whether it is a floating-point number of 8 bits.
    pub(crate) const fn is_float8(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2)
    }
}

/// Which matrix of `d = a * b + c` it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    A,
    B,
    /// `c` or `d`.
    C,
}

/// A matrix in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) role: Role,
    pub(crate) element: Element,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Of `m8n8k4` of f16, with four products at a time, one below the other: whether `a` or `b` lies by
    /// rows.
    pub(crate) quads: Option<bool>,
}

impl Fragment {
    /// A matrix in the layout of `mma`.
    pub(crate) const fn new(role: Role, element: Element, rows: usize, columns: usize) -> Self {
        Self { role, element, rows, columns, quads: None }
    }

    /// The registers that hold each element once.
    pub(crate) const fn registers(&self) -> usize {
        self.rows * self.columns / (32 * self.element.parts())
    }

    /// The row and column of the part of a lane's register. Registers beyond those that hold each element
    /// once hold them again.
    pub(crate) fn place(&self, lane: usize, register: usize, part: usize) -> (usize, usize) {
        if let Some(by_rows) = self.quads {
            return self.quad(by_rows, lane, register, part);
        }
        let parts = self.element.parts();
        let (group, within) = (lane / 4, lane % 4);
        match self.role {
            Role::A => {
                // Tiles of 16 rows, or of 8.
                let halves = if self.rows >= 16 { 2 } else { 1 };
                let tile = halves * self.columns / (4 * parts);
                let (tile, register) = (register / tile, register % tile);
                let column = (register / halves) * 4 * parts + within * parts + part;
                ((tile * 16 + group + 8 * (register % halves)) % self.rows, column)
            }
            Role::B => {
                let tile = self.rows / (4 * parts);
                let (tile, register) = (register / tile, register % tile);
                let row = register * 4 * parts + within * parts + part;
                (row, (tile * 8 + group) % self.columns)
            }
            Role::C => {
                let halves = if self.rows >= 16 { 2 } else { 1 };
                let index = register * parts + part;
                let (tile, index) = (index / (2 * halves), index % (2 * halves));
                let across = self.columns / 8;
                let row = (tile / across) * 16 + group + 8 * (index / 2);
                (row, (tile % across) * 8 + within * 2 + index % 2)
            }
        }
    }

    /// The same for the four products of 8 by 8 that eight lanes have a part in each.
    fn quad(&self, by_rows: bool, lane: usize, register: usize, part: usize) -> (usize, usize) {
        let (product, high, own) = (lane % 16 / 4, lane / 16, lane % 4);
        let index = register * self.element.parts() + part;
        match self.role {
            Role::A if by_rows => (product * 8 + own + 4 * high, index),
            Role::A => (product * 8 + index + 4 * high, own),
            Role::B if by_rows => (own, product * 8 + index + 4 * high),
            Role::B => (index, product * 8 + own + 4 * high),
            Role::C if self.element == Element::F16 => (product * 8 + own + 4 * high, index),
            Role::C => {
                let row = (lane & 1) + (index & 2) + 4 * high;
                (product * 8 + row, (index & 4) + (lane & 2) + (index & 1))
            }
        }
    }
}

/// A matrix that is read.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) fragment: Fragment,
    pub(crate) registers: Box<[Src]>,
}

/// How products are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    /// Exactly.
    Exact,
    /// As tensor cores sum floating-point numbers, with the least exponent of a factor.
    Aligned(i32),
    /// Those of every other group of so many columns first, then the others, and `c` at the end.
    Halved(usize),
    /// Likewise, of four columns after another.
    Fours(i32),
    /// Likewise with fewer bits, and the least exponent of either factor.
    Short(i32, i32),
    /// One after another, each time rounded.
    InTurn,
    /// Bits that differ.
    Xor,
}

impl Sum {
    /// That of products of an element in `mma`.
    pub(crate) const fn of(element: Element) -> Self {
        match element {
            Element::F64 => Self::InTurn,
            Element::E4m3 | Element::E5m2 => Self::Halved(2),
            Element::F16 | Element::BF16 | Element::TF32 => Self::Aligned(element.least_exponent()),
            _ => Self::Exact,
        }
    }
}

/// Which columns of `a` a sparse matrix has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sparse {
    /// The register with the numbers of the columns.
    pub(crate) metadata: Src,
    /// Which lanes of four give them.
    pub(crate) selector: u32,
}

/// `mma` and `wmma.mma`
#[derive(Clone, Debug)]
pub(crate) struct MatrixOp {
    pub(crate) a: Factor,
    pub(crate) b: Factor,
    pub(crate) c: Factor,
    pub(crate) to: Fragment,
    pub(crate) d: Box<[Slot]>,
    pub(crate) sum: Sum,
    /// `.satfinite`
    pub(crate) finite: bool,
    pub(crate) sparse: Option<Sparse>,
}

/// `wmma.load` and `wmma.store`
#[derive(Clone, Debug)]
pub(crate) struct TileOp {
    pub(crate) fragment: Fragment,
    /// Whether rows lie one after another, rather than columns.
    pub(crate) by_rows: bool,
    /// The elements from one row or column to the next.
    pub(crate) stride: Src,
    /// The values that are loaded.
    pub(crate) d: Box<[Slot]>,
    /// The values that are stored.
    pub(crate) a: Box<[Src]>,
}

/// Where the `a` of `wgmma` is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Registers(Factor),
    /// In shared memory, which a descriptor describes: whether its columns lie one after another.
    Memory(Src, bool),
}

/// `wgmma.mma_async`: a warp's part of it, which is 16 rows.
#[derive(Clone, Debug)]
pub(crate) struct WgmmaOp {
    pub(crate) elements: (Element, Element),
    pub(crate) depth: usize,
    /// The columns of `a` that are given.
    pub(crate) kept: usize,
    pub(crate) sparse: Option<Sparse>,
    pub(crate) a: Source,
    /// The descriptor of `b`, and whether its rows lie one after another.
    pub(crate) b: (Src, bool),
    /// Whether `a` and `b` are negated.
    pub(crate) negated: (bool, bool),
    /// Whether the product is added to `d`.
    pub(crate) adds: Src,
    pub(crate) to: Fragment,
    pub(crate) d: Box<[Slot]>,
    pub(crate) sum: Sum,
    pub(crate) finite: bool,
}
