//! The scalar types of PTX.

/// How the bits of a value are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `.b8` to `.b64`: no meaning of their own.
    Bits,
    /// `.u8` to `.u64`.
    Unsigned,
    /// `.s8` to `.s64`.
    Signed,
    /// `.f32` and `.f64`.
    Float,
    /// `.pred`.
    Pred,
}

/// A scalar type: `.u32` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    /// What the bits mean.
    pub(crate) kind: Kind,
    /// How many bytes there are of them (1 for a predicate).
    pub(crate) bytes: u8,
}

/// Short names of types, for the tables of the lowering.
impl Type {
    /// `.b32`
    pub(crate) const B32: Self = Self::new(Kind::Bits, 4);
    /// `.b64`
    pub(crate) const B64: Self = Self::new(Kind::Bits, 8);
    /// `.u32`
    pub(crate) const U32: Self = Self::new(Kind::Unsigned, 4);
    /// `.u64`
    pub(crate) const U64: Self = Self::new(Kind::Unsigned, 8);
    /// `.s32`
    pub(crate) const S32: Self = Self::new(Kind::Signed, 4);
    /// `.f32`
    pub(crate) const F32: Self = Self::new(Kind::Float, 4);
    /// `.f64`
    pub(crate) const F64: Self = Self::new(Kind::Float, 8);
    /// `.pred`
    pub(crate) const PRED: Self = Self::new(Kind::Pred, 1);

    /// A type of a kind and a size.
    pub(crate) const fn new(kind: Kind, bytes: u8) -> Self {
        Self { kind, bytes }
    }

    /// The type of a name without its dot, such as `u32`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if name == "pred" {
            return Some(Self::PRED);
        }
        let kind = match name.get(..1)? {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" => Kind::Float,
            _ => return None,
        };
        let bytes = match name.get(1..)? {
            "8" => 1,
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => return None,
        };
        (kind != Kind::Float || bytes >= 4).then_some(Self { kind, bytes })
    }

    /// The number of bits.
    pub(crate) const fn bits(self) -> u32 {
        self.bytes as u32 * 8
    }

    /// The mask of the type's bits in a register.
    pub(crate) const fn mask(self) -> u64 {
        match self.kind {
            Kind::Pred => 1,
            _ => u64::MAX >> (64 - self.bits()),
        }
    }

    /// Whether this is `.uN`, `.sN` or `.bN`.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Bits | Kind::Unsigned | Kind::Signed)
    }

    /// Whether a register of type `register` may stand where this type is
    /// asked for, sizes aside.
    pub(crate) fn agrees(self, register: Self) -> bool {
        match (self.kind, register.kind) {
            (Kind::Pred, other) | (other, Kind::Pred) => other == Kind::Pred,
            (Kind::Bits, _) | (_, Kind::Bits) => true,
            (a, b) => (a == Kind::Float) == (b == Kind::Float),
        }
    }
}
