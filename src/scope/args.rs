//! What operations of a scope take: memory to read, and kernel arguments.

use super::order::{OperationUses, Use};
use super::{Held, HeldSlice, Mapped};
use crate::args::sealed::{Args, Lowered};
use crate::memory::Allocation;
use crate::{Context, DeviceBuffer, DeviceSlice, DeviceSliceMut, Element, PinnedBuffer};
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
    fn is_of(&self, context: &Context) -> bool {
        Held::is_of(self, context)
    }
}
impl<T: Element> Lowered for &mut Held<'_, T> {
    type Parameter = CUdeviceptr;
    #[inline]
    fn lower(self) -> CUdeviceptr {
        self.address()
    }
    #[inline]
    fn is_of(&self, context: &Context) -> bool {
        Held::is_of(self, context)
    }
}
impl<T: Element> Lowered for HeldSlice<'_, '_, T> {
    type Parameter = CUdeviceptr;
    #[inline]
    fn lower(self) -> CUdeviceptr {
        self.address()
    }
    #[inline]
    fn is_of(&self, context: &Context) -> bool {
        HeldSlice::is_of(self, context)
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
            fn is_of(&self, context: &Context) -> bool {
                self.mapped_in().is_none_or(|only| only == context)
            }
            #[inline]
            fn is_host(&self) -> bool {
                true
            }
        }
        impl<T: Element> sealed::Used for $mapped {
            #[inline]
            fn used(&self) -> Option<Use<'_>> {
                (**self).used($writes)
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
    impl<'a> Touched<'a> {
        #[inline]
        fn of(
            memory: &'a Allocation,
            start: CUdeviceptr,
            bytes: usize,
            writes: bool,
        ) -> Option<Self> {
            Some(Touched { memory, start, bytes, writes })
        }
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `ScopeArg`, which is sealed",
        label = "only plain values and borrowed device memory do"
    )]
    pub trait Used {
        /// How the argument is used, if it is memory whose uses are noted.
        fn used(&self) -> Option<Use<'_>> {
            None
        }
        /// The memory, if it is some.
        fn memory(&self) -> Option<Touched<'_>> {
            None
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: NoUninit> Used for T {}
    // What is only read in the scope, or only written once: the borrow keeps everything else away.
    impl<T: Element> Used for &DeviceBuffer<'_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(&self.inner, self.address(), self.size_bytes(), false)
        }
    }
    impl<T: Element> Used for &mut DeviceBuffer<'_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(&self.inner, self.address(), self.size_bytes(), true)
        }
    }
    impl<T: Element> Used for &PinnedBuffer<T> {}
    impl<T: Element> Used for &mut PinnedBuffer<T> {}
    impl<T: Element> Used for &DeviceSliceMut<'_, '_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(DeviceSliceMut::memory(self), self.address(), self.size_bytes(), false)
        }
    }
    impl<T: Element> Used for &mut DeviceSliceMut<'_, '_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(DeviceSliceMut::memory(self), self.address(), self.size_bytes(), true)
        }
    }
    impl<T: Element> Used for DeviceSlice<'_, '_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(DeviceSlice::memory(self), self.address(), self.size_bytes(), false)
        }
    }
    impl<T: Element> Used for HeldSlice<'_, '_, T> {
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(HeldSlice::memory(self), self.address(), self.size_bytes(), false)
        }
        #[inline]
        fn used(&self) -> Option<Use<'_>> {
            HeldSlice::used(self)
        }
    }
    impl<T: Element> Used for &Held<'_, T> {
        #[inline]
        fn used(&self) -> Option<Use<'_>> {
            Held::used(self, false)
        }
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(Held::memory(self), self.address(), self.size_bytes(), false)
        }
    }
    impl<T: Element> Used for &mut Held<'_, T> {
        #[inline]
        fn used(&self) -> Option<Use<'_>> {
            Held::used(self, true)
        }
        fn memory(&self) -> Option<Touched<'_>> {
            Touched::of(Held::memory(self), self.address(), self.size_bytes(), true)
        }
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `ScopeArgs`, which is sealed",
        label = "only tuples do"
    )]
    pub trait AllUsed {
        /// Shows the uses of all arguments.
        fn each_use(&self, see: impl FnMut(Use<'_>));
        /// Calls `f` with the uses of all arguments. Nothing is allocated.
        fn with_uses<R>(&self, f: impl FnOnce(&[Option<Use<'_>>]) -> R) -> R;
        /// Shows all memory among the arguments.
        fn each_memory(&self, see: impl FnMut(Touched<'_>));
    }
}

/// The uses of arguments.
pub(super) struct UsesOf<'a, A>(pub(super) &'a A);

impl<A: sealed::AllUsed> OperationUses for UsesOf<'_, A> {
    #[inline]
    fn each(&self, see: impl FnMut(Use<'_>)) {
        self.0.each_use(see);
    }
    #[inline]
    fn with_all<R>(self, f: impl FnOnce(&[Option<Use<'_>>]) -> R) -> R {
        self.0.with_uses(f)
    }
}

macro_rules! tuples {
    ($(($($a:ident)*))*) => { $(
        impl<'s, 'ctx, $($a: ScopeArg<'s, 'ctx>),*> ScopeArgs<'s, 'ctx> for ($($a,)*) {}
        #[allow(non_snake_case, unused_mut, unused_variables, reason = "one name for a type and its value")]
        impl<$($a: sealed::Used),*> sealed::AllUsed for ($($a,)*) {
            #[inline]
            fn each_use(&self, mut see: impl FnMut(Use<'_>)) {
                let ($($a,)*) = self;
                $(if let Some(used) = $a.used() { see(used) })*
            }
            #[inline]
            fn with_uses<R>(&self, f: impl FnOnce(&[Option<Use<'_>>]) -> R) -> R {
                let ($($a,)*) = self;
                f(&[$($a.used()),*])
            }
            fn each_memory(&self, mut see: impl FnMut(sealed::Touched<'_>)) {
                let ($($a,)*) = self;
                $(if let Some(touched) = $a.memory() { see(touched) })*
            }
        }
    )* };
}
tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
(A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L) }
