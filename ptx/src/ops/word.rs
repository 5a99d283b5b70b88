//! Values as the bits of a register.

/// A Rust type that a register's bits stand for.
pub(crate) trait Word: Copy {
    /// The value of a register's low bits.
    fn of(bits: u64) -> Self;
    /// The register's bits of a value.
    fn bits(self) -> u64;
}

macro_rules! integers {
    ($($signed:ty, $unsigned:ty);*) => {$(
        impl Word for $signed {
            fn of(bits: u64) -> Self {
                bits as $signed
            }
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
        }
        impl Word for $unsigned {
            fn of(bits: u64) -> Self {
                bits as $unsigned
            }
            fn bits(self) -> u64 {
                u64::from(self)
            }
        }
    )*};
}

integers!(i8, u8; i16, u16; i32, u32; i64, u64);

impl Word for f32 {
    fn of(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Word for f64 {
    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// A function on registers for the integer type `$ty` out of those listed,
/// from an expression on values of that type (called `T` in it).
macro_rules! by_type {
    ($ty:expr, [$($kind:ident $bytes:literal $t:ty),*], |$a:ident| $body:expr) => {
        by_type!(@ $ty, [$($kind $bytes $t [$a] [$body]),*])
    };
    ($ty:expr, [$($kind:ident $bytes:literal $t:ty),*], |$a:ident, $b:ident| $body:expr) => {
        by_type!(@ $ty, [$($kind $bytes $t [$a $b] [$body]),*])
    };
    (
        $ty:expr,
        [$($kind:ident $bytes:literal $t:ty),*],
        |$a:ident, $b:ident, $c:ident| $body:expr
    ) => {
        by_type!(@ $ty, [$($kind $bytes $t [$a $b $c] [$body]),*])
    };
    (@ $ty:expr, [$($kind:ident $bytes:literal $t:ty [$($x:ident)*] [$body:expr]),*]) => {
        match ($ty.kind, $ty.bytes) {
            $((Kind::$kind, $bytes) => Some({
                #[allow(dead_code, reason = "not every expression names the type")]
                type T = $t;
                &|$($x: u64),*| {
                    $(let $x = <$t as Word>::of($x);)*
                    Word::bits($body)
                }
            }),)*
            _ => None,
        }
    };
}

/// [`by_type`] for `.u`, `.s` and `.b` of 16, 32 and 64 bits.
macro_rules! any_integer {
    ($ty:expr, |$($x:ident),*| $body:expr) => {
        by_type!(
            $ty,
            [
                Unsigned 2 u16, Signed 2 i16, Bits 2 u16,
                Unsigned 4 u32, Signed 4 i32, Bits 4 u32,
                Unsigned 8 u64, Signed 8 i64, Bits 8 u64
            ],
            |$($x),*| $body
        )
    };
}

pub(super) use {any_integer, by_type};
