//! What operations of a scope take: memory to read, and kernel arguments.

use super::tracked::{Gate, Operand, Use};
use super::{Held, HeldSlice, Mapped};
use crate::args::sealed::{Args, Lowered};
use crate::memory::Allocation;
use crate::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Element, PinnedBuffer};
use bytemuck::NoUninit;
use ffi::CUdeviceptr;

/// Device memory that a scope can read: `&buffer` or a slice of it, borrowed until the scope ends, `&held`,
/// or a slice of that. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that this scope can read",
    label = "expected `&DeviceBuffer<T>`, `&Held<T>`, or a slice of these",
    note = "lend the buffer: `&buffer`, or `&held` for what `s.hold(&mut buffer)` returned"
)]
pub trait Source<'s, 'ctx, T: Element>: Copy + sealed::Readable {}

impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, T: Element> Source<'s, '_, T> for &Held<'s, T> {}
impl<'s, 'ctx, T: Element> Source<'s, 'ctx, T> for DeviceSlice<'s, 'ctx, T> {}
impl<'s, T: Element> Source<'s, '_, T> for HeldSlice<'_, 's, T> {}

/// One argument of a launch in a scope: a plain value, `&held` for memory that the kernel reads, `&mut
/// held` for memory that it writes; also `&buffer`, and `&mut buffer` for memory that one launch of the
/// scope writes and nothing else in it uses. In the same way `&mapped` and `&mut mapped`, and `&pinned` and
/// `&mut pinned`, for page-locked memory of the host, which no graph takes. Sealed.
///
/// What is passed is of the type that Rust infers, as for [`KernelArg`](crate::KernelArg).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel argument in a scope",
    label = "neither a plain value nor memory that is lent to this scope",
    note = "pass a number or a plain struct by value, `&buffer` or `&held` to read, and `&mut held` to write, after `let mut held = s.hold(&mut buffer);`"
)]
pub trait ScopeArg<'s, 'ctx>: Lowered + sealed::Used {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit> ScopeArg<'_, '_> for T {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s DeviceBuffer<'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut DeviceBuffer<'ctx, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &Held<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &mut Held<'s, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for DeviceSlice<'s, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s DeviceSliceMut<'_, 'ctx, T> {}
impl<'s, 'ctx, T: Element> ScopeArg<'s, 'ctx> for &'s mut DeviceSliceMut<'_, 'ctx, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &'s PinnedBuffer<T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &'s mut PinnedBuffer<T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &Mapped<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for &mut Mapped<'s, T> {}
impl<'s, T: Element> ScopeArg<'s, '_> for HeldSlice<'_, 's, T> {}

/// The arguments of a launch in a scope: a tuple of up to twelve [`ScopeArg`]s, in the kernel's order.
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of kernel arguments for a scope",
    label = "expected a tuple such as `(n, a, &x, &mut y)`",
    note = "a single argument is written `(x,)`, none is `()`; at most twelve",
    note = "each is a plain value, `&buffer`, `&held` or `&mut held`"
)]
pub trait ScopeArgs<'s, 'ctx>: Args + sealed::AllUsed {}

impl<T: Element> Lowered for &Held<'_, T> {
    type Parameter = CUdeviceptr;
    #[inline]
    fn lower(self) -> CUdeviceptr {
        self.address()
    }
    #[inline]
    fn is_of(&self, key: usize) -> bool {
        Held::memory(self).key() == key
    }
}
impl<T: Element> Lowered for &mut Held<'_, T> {
    type Parameter = CUdeviceptr;
    #[inline]
    fn lower(self) -> CUdeviceptr {
        self.address()
    }
    #[inline]
    fn is_of(&self, key: usize) -> bool {
        Held::memory(self).key() == key
    }
}
impl<T: Element> Lowered for HeldSlice<'_, '_, T> {
    type Parameter = CUdeviceptr;
    #[inline]
    fn lower(self) -> CUdeviceptr {
        self.address()
    }
    #[inline]
    fn is_of(&self, key: usize) -> bool {
        HeldSlice::memory(self).key() == key
    }
}

macro_rules! mapped {
    ($($mapped:ty, $writes:literal;)*) => { $(
        impl<T: Element> Lowered for $mapped {
            type Parameter = CUdeviceptr;
            #[inline]
            fn lower(self) -> CUdeviceptr {
                self.address()
            }
            #[inline]
            fn is_of(&self, key: usize) -> bool {
                self.mapped_in().is_none_or(|only| only.key() == key)
            }
            #[inline]
            fn is_host(&self) -> bool {
                true
            }
        }
        impl<T: Element> sealed::Used for $mapped {
            const COMPARED: bool = true;
            #[inline]
            fn is_ready(&self, gate: &Gate) -> bool {
                // For a copy, which notes its use too, the context does not matter.
                (**self).staged().is_noted($writes, gate) && self.is_of(gate.key())
            }
            #[inline]
            fn operand(&self) -> Operand<'_> {
                Operand::host((**self).mapped_in(), (**self).used($writes))
            }
        }
    )* };
}
mapped! { &Mapped<'_, T>, false; &mut Mapped<'_, T>, true; }

pub(crate) mod sealed {
    use super::*;

    /// A range of device memory.
    pub struct Lent<'a> {
        pub(crate) address: CUdeviceptr,
        pub(crate) len: usize,
        pub(crate) used: Option<Use<'a>>,
        pub(crate) memory: &'a Allocation,
    }
    impl Lent<'_> {
        /// Its use, and the context.
        #[inline]
        pub(crate) fn operand(&self) -> Operand<'_> {
            Operand::memory(self.memory, self.used)
        }
        /// Whether it can be read as it is: see [`Gate`].
        #[inline]
        pub(crate) fn is_ready(&self, gate: &Gate) -> bool {
            match &self.used {
                Some(used) => used.is_noted(gate),
                None => self.memory.key() == gate.key(),
            }
        }
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Source`, which is sealed",
        label = "only `&DeviceBuffer`, `&Held` and slices of them do"
    )]
    pub trait Readable {
        fn lent(&self) -> Lent<'_>;
    }
    impl<T: Element> Readable for &DeviceBuffer<'_, T> {
        #[inline]
        fn lent(&self) -> Lent<'_> {
            let memory = &self.inner;
            Lent { address: self.address(), len: self.len(), used: None, memory }
        }
    }
    impl<T: Element> Readable for &Held<'_, T> {
        #[inline]
        fn lent(&self) -> Lent<'_> {
            let (used, memory) = (Held::used(self, false), Held::memory(self));
            Lent { address: self.address(), len: self.len(), used, memory }
        }
    }
    impl<T: Element> Readable for DeviceSlice<'_, '_, T> {
        #[inline]
        fn lent(&self) -> Lent<'_> {
            let memory = DeviceSlice::memory(self);
            Lent { address: self.address(), len: self.len(), used: None, memory }
        }
    }
    impl<T: Element> Readable for HeldSlice<'_, '_, T> {
        #[inline]
        fn lent(&self) -> Lent<'_> {
            let (used, memory) = (HeldSlice::used(self), HeldSlice::memory(self));
            Lent { address: self.address(), len: self.len(), used, memory }
        }
    }

    /// Memory among the arguments, and what the kernel does with it.
    pub struct Touched<'a> {
        pub(crate) memory: &'a Allocation,
        pub(crate) start: CUdeviceptr,
        pub(crate) bytes: usize,
        pub(crate) writes: bool,
    }
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `ScopeArg`, which is sealed",
        label = "only plain values and borrowed device memory do"
    )]
    pub trait Used {
        /// Whether [`is_ready`](Self::is_ready) compares with the gate, and finds that to be open.
        const COMPARED: bool = false;
        /// Whether it can be used as it is: see [`Gate`].
        #[inline]
        fn is_ready(&self, _: &Gate) -> bool {
            true
        }
        /// How the argument is used, and what it is of, if it is memory.
        #[inline]
        fn operand(&self) -> Operand<'_> {
            Operand::NONE
        }
        /// The memory of the device, if it is some.
        fn touched(&self) -> Option<Touched<'_>> {
            None
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: NoUninit> Used for T {}
    macro_rules! touched {
        ($writes:literal) => {
            fn touched(&self) -> Option<Touched<'_>> {
                let (memory, start) = (self.memory(), self.address());
                Some(Touched { memory, start, bytes: self.size_bytes(), writes: $writes })
            }
        };
    }
    // What is only read in the scope, or only written once: the borrow keeps everything else away, and the
    // context alone is compared.
    macro_rules! borrowed {
        ($($memory:ty, $writes:literal;)*) => { $(
            impl<T: Element> Used for $memory {
                const COMPARED: bool = true;
                #[inline]
                fn is_ready(&self, gate: &Gate) -> bool {
                    self.is_of(gate.key())
                }
                #[inline]
                fn operand(&self) -> Operand<'_> {
                    Operand::memory(self.memory(), None)
                }
                touched!($writes);
            }
        )* };
    }
    borrowed! {
        &DeviceBuffer<'_, T>, false;
        &mut DeviceBuffer<'_, T>, true;
        &DeviceSliceMut<'_, '_, T>, false;
        &mut DeviceSliceMut<'_, '_, T>, true;
        DeviceSlice<'_, '_, T>, false;
    }
    macro_rules! held {
        ($($memory:ty, $writes:literal;)*) => { $(
            impl<T: Element> Used for $memory {
                const COMPARED: bool = true;
                #[inline]
                fn is_ready(&self, gate: &Gate) -> bool {
                    (**self).is_noted($writes, gate)
                }
                #[inline]
                fn operand(&self) -> Operand<'_> {
                    (**self).operand($writes)
                }
                touched!($writes);
            }
        )* };
    }
    held! { &Held<'_, T>, false; &mut Held<'_, T>, true; }
    impl<T: Element> Used for HeldSlice<'_, '_, T> {
        const COMPARED: bool = true;
        #[inline]
        fn is_ready(&self, gate: &Gate) -> bool {
            HeldSlice::is_noted(self, gate)
        }
        #[inline]
        fn operand(&self) -> Operand<'_> {
            Operand::memory(self.memory(), HeldSlice::used(self))
        }
        touched!(false);
    }
    macro_rules! pinned {
        ($($memory:ty;)*) => { $(
            impl<T: Element> Used for $memory {
                #[inline]
                fn is_ready(&self, gate: &Gate) -> bool {
                    self.is_of(gate.key())
                }
                #[inline]
                fn operand(&self) -> Operand<'_> {
                    Operand::host((**self).mapped_in(), None)
                }
            }
        )* };
    }
    pinned! { &PinnedBuffer<T>; &mut PinnedBuffer<T>; }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `ScopeArgs`, which is sealed",
        label = "only tuples do"
    )]
    pub trait AllUsed {
        /// Whether all can be used as they are: see [`Gate`].
        fn all_ready(&self, gate: &Gate) -> bool;
        /// Calls `f` with what all arguments are. Nothing is allocated.
        fn with_operands<R>(&self, f: impl FnOnce(&[Operand<'_>]) -> R) -> R;
        /// Shows all memory among the arguments.
        fn each_memory(&self, see: impl FnMut(Touched<'_>));
    }
}

macro_rules! tuples {
    ($(($($a:ident)*))*) => { $(
        impl<'s, 'ctx, $($a: ScopeArg<'s, 'ctx>),*> ScopeArgs<'s, 'ctx> for ($($a,)*) {}
        #[allow(non_snake_case, unused_mut, unused_variables, reason = "one name for a type and its value")]
        impl<$($a: sealed::Used),*> sealed::AllUsed for ($($a,)*) {
            #[inline]
            fn all_ready(&self, gate: &Gate) -> bool {
                let ($($a,)*) = self;
                let compared = false $(|| $a::COMPARED)*;
                (compared || gate.is_open()) $(&& $a.is_ready(gate))*
            }
            #[inline]
            fn with_operands<R>(&self, f: impl FnOnce(&[Operand<'_>]) -> R) -> R {
                let ($($a,)*) = self;
                f(&[$($a.operand()),*])
            }
            fn each_memory(&self, mut see: impl FnMut(sealed::Touched<'_>)) {
                let ($($a,)*) = self;
                $(if let Some(touched) = $a.touched() { see(touched) })*
            }
        }
    )* };
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
(A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L) }
