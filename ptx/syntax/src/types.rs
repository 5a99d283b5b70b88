//! The scalar types of PTX.

/// How the bits of a value are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.b8` to `.b64`: no meaning of their own.
    Bits,
    /// `.u8` to `.u64`.
    Unsigned,
    /// `.s8` to `.s64`.
    Signed,
    /// `.f16`, `.f32` and `.f64`.
    Float,
    /// `.bf16`
    Brain,
    /// `.f16x2`
    Halves,
    /// `.bf16x2`
    Brains,
    /// `.u16x2`
    UnsignedPair,
    /// `.s16x2`
    SignedPair,
    /// `.tf32`, of conversions.
    Tensor,
    /// `.e4m3x2`, of conversions.
    E4m3,
    /// `.e5m2x2`, of conversions.
    E5m2,
    /// `.pred`.
    Pred,
}

/// A scalar type: `.u32` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// The meaning of the bits.
    pub kind: Kind,
    /// How many bytes there are of them (1 for a predicate).
    pub bytes: u8,
}

/// Short names of types, for the tables of the lowering.
impl Type {
    /// `.b32`
    pub const B32: Self = Self::new(Kind::Bits, 4);
    /// `.b64`
    pub const B64: Self = Self::new(Kind::Bits, 8);
    /// `.u32`
    pub const U32: Self = Self::new(Kind::Unsigned, 4);
    /// `.u64`
    pub const U64: Self = Self::new(Kind::Unsigned, 8);
    /// `.s32`
    pub const S32: Self = Self::new(Kind::Signed, 4);
    /// `.s64`
    pub const S64: Self = Self::new(Kind::Signed, 8);
    /// `.f32`
    pub const F32: Self = Self::new(Kind::Float, 4);
    /// `.f64`
    pub const F64: Self = Self::new(Kind::Float, 8);
    /// `.f16`
    pub const F16: Self = Self::new(Kind::Float, 2);
    /// `.bf16`
    pub const BF16: Self = Self::new(Kind::Brain, 2);
    /// `.f16x2`
    pub const F16X2: Self = Self::new(Kind::Halves, 4);
    /// `.bf16x2`
    pub const BF16X2: Self = Self::new(Kind::Brains, 4);
    /// `.u16x2`
    pub const U16X2: Self = Self::new(Kind::UnsignedPair, 4);
    /// `.s16x2`
    pub const S16X2: Self = Self::new(Kind::SignedPair, 4);
    /// `.b16`
    pub const B16: Self = Self::new(Kind::Bits, 2);
    /// `.b128`
    pub const B128: Self = Self::new(Kind::Bits, 16);
    /// `.pred`
    pub const PRED: Self = Self::new(Kind::Pred, 1);

    /// A type of a kind and a size.
    pub const fn new(kind: Kind, bytes: u8) -> Self {
        Self { kind, bytes }
    }

    /// The type of a name without its dot, such as `u32`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "pred" => return Some(Self::PRED),
            "bf16" => return Some(Self::BF16),
            "f16x2" => return Some(Self::F16X2),
            "bf16x2" => return Some(Self::BF16X2),
            "u16x2" => return Some(Self::U16X2),
            "s16x2" => return Some(Self::S16X2),
            "tf32" => return Some(Self::new(Kind::Tensor, 4)),
            "e4m3x2" => return Some(Self::new(Kind::E4m3, 2)),
            "e5m2x2" => return Some(Self::new(Kind::E5m2, 2)),
            "b128" => return Some(Self::B128),
            _ => {}
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
        (kind != Kind::Float || bytes >= 2).then_some(Self { kind, bytes })
    }

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        self.bytes as u32 * 8
    }

    /// The mask of the type's bits in a register.
    pub const fn mask(self) -> u64 {
        match self.kind {
            Kind::Pred => 1,
            _ if self.bytes > 8 => u64::MAX,
            _ => u64::MAX >> (64 - self.bits()),
        }
    }

    /// Whether this is `.uN`, `.sN` or `.bN`.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Bits | Kind::Unsigned | Kind::Signed)
    }

    /// Whether this is a floating-point type, or a pair of such.
    pub const fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Brain | Kind::Halves | Kind::Brains)
    }

    /// Whether registers and variables may be declared with it.
    pub const fn is_declarable(self) -> bool {
        matches!(
            self.kind,
            Kind::Bits | Kind::Unsigned | Kind::Signed | Kind::Float | Kind::Pred | Kind::Halves
        )
    }

    /// Whether a register of type `register` may stand where this type is
    /// asked for, sizes aside.
    pub fn agrees(self, register: Self) -> bool {
        match (self.kind, register.kind) {
            (Kind::Pred, other) | (other, Kind::Pred) => other == Kind::Pred,
            (Kind::Bits, _) | (_, Kind::Bits) => true,
            (Kind::Float, b) => b == Kind::Float,
            (Kind::Unsigned | Kind::Signed, b) => matches!(b, Kind::Unsigned | Kind::Signed),
            (Kind::Halves, b) => b == Kind::Halves,
            (Kind::Brain | Kind::Brains | Kind::UnsignedPair | Kind::SignedPair, _) => false,
            // Types that no register has: of any of the size, but for floats.
            (_, b) => b != Kind::Float,
        }
    }
}
