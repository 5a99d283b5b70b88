//! The types of parameters in a signature.

use crate::image::Class;
use crate::memory::{Element, MemorySize};
use bytemuck::NoUninit;
use ffi::CUdeviceptr;
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

/// The type of one parameter in a [`Signature`](crate::kernel::Signature). Sealed.
///
/// A number, an array of numbers, [`Value<T>`](Value) for a struct by value, `&[T]` or [`In<T>`](In) for memory that the
/// kernel reads, or `&mut [T]` or [`Out<T>`](Out) for memory that it writes. A slice stands for a pointer to elements,
/// which is all that a kernel receives. Its length is another parameter. [`TextureObject`] and [`SurfaceObject`] stand for
/// textures and surfaces.
///
/// The two spellings of memory mean the same. A slice is short where the compiler fills in its lifetime, as in
/// `module.kernel::<(u32, &[f32])>("k")`. `In` and `Out` have no lifetime, for the fields of structs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a kernel",
    label = "expected a number, `Value<T>`, `&[T]` or `In<T>`, `&mut [T]` or `Out<T>`",
    note = "write `Value<Struct>` for a struct by value, `&[T]` or `In<T>` for memory that the kernel reads, `&mut [T]` or `Out<T>` for memory that it writes",
    note = "in code that is generic over `T: Element`, write `Value<T>`: it stands for a number too"
)]
pub trait Parameter: sealed::Sealed {
    /// The argument as the check of a [`TrustedKernel`](crate::TrustedKernel) sees it: a number or a struct itself, the
    /// [`MemorySize`] of memory, and nothing of an object.
    type Seen;
}

/// A plain value of type `T`, such as a struct, in a [`Signature`](crate::kernel::Signature). The argument is a `T`. It
/// does not match a parameter that the PTX text declares as a pointer.
///
/// `Value` of a number means what the number means. So code that is generic over the type of its elements writes
/// `Kernel<(Value<T>, In<T>, Out<T>)>`.
///
/// # Examples
/// ```
/// use cuscope::memory::Element;
/// use cuscope::kernel::GuardedKernel;
/// use cuscope::{In, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result, Value};
///
/// /// Launches `kernel(T a, const T *x, T *y)`.
/// fn scale<T: Element>(
///     stream: &OrderedStream,
///     kernel: &GuardedKernel<(Value<T>, In<T>, Out<T>)>,
///     a: T,
///     x: &OrderedBuffer<T>,
///     y: &mut OrderedBuffer<T>,
/// ) -> Result {
///     stream.launch(kernel, LaunchConfig::for_num_elems(x.len())?, (a, x, y))
/// }
/// ```
pub struct Value<T: ByValue>(PhantomData<fn() -> T>);

/// A type that a kernel takes by value, as a parameter [`Value<T>`](Value): plain data without padding, as the driver copies
/// every byte.
///
/// Implemented for every type that is [`NoUninit`]: numbers, arrays of them, and `#[repr(C)]` structs with bytemuck's
/// `#[derive(Pod, Zeroable)]` or `#[derive(NoUninit)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    label = "not plain data",
    note = "a kernel takes plain data by value: numbers, arrays of them, `#[repr(C)]` structs with bytemuck's `#[derive(Pod, Zeroable)]` or `#[derive(NoUninit)]`",
    note = "a struct has no padding: sort its fields by their alignment, and write what is left as a field, such as `_padding: [u8; 7]`"
)]
pub trait ByValue: NoUninit {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit> ByValue for T {}

macro_rules! debug {
    ($($marker:ident: $bound:ident)*) => { $(
        impl<T: $bound> fmt::Debug for $marker<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(name_of::<Self>())
            }
        }
    )* };
}
debug!(Value: ByValue In: Element Out: Element);

/// Returns the name of a type, without the path to this module.
fn name_of<T>() -> &'static str {
    let name = type_name::<T>();
    name.strip_prefix(concat!(module_path!(), "::")).unwrap_or(name)
}

/// Memory with elements of type `T` that the kernel reads, in a [`Signature`](crate::kernel::Signature). It means what
/// `&[T]` means there, and has no lifetime.
///
/// # Examples
/// ```standalone_crate
/// #![forbid(unsafe_code)]
/// use cuscope::kernel::GuardedKernel;
/// use cuscope::{Context, In, LaunchConfig, Out, OrderedBuffer, OrderedStream, Result};
///
/// struct Scaler {
///     ordered: OrderedStream,
///     saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
/// }
///
/// impl Scaler {
///     fn new(context: &Context) -> Result<Self> {
///         let module = context.load_guarded(include_str!("../../examples/kernels/saxpy.ptx"))?;
///         Ok(Scaler { ordered: context.ordered_stream()?, saxpy: module.kernel("saxpy")? })
///     }
///
///     /// Adds `a` times `x` to `y`, which is as long.
///     fn add(&self, a: f32, x: &OrderedBuffer<f32>, y: &mut OrderedBuffer<f32>) -> Result {
///         let n = x.len();
///         self.ordered.launch(&self.saxpy, LaunchConfig::for_num_elems(n)?, (n as u32, a, x, y))
///     }
/// }
/// # use cuscope::Device;
/// # fn main() -> Result {
/// # let scaler = Scaler::new(&Context::primary(Device::get(0)?)?)?;
/// # let (x, mut y) = (scaler.ordered.from_slice(&[1.0; 4])?, scaler.ordered.from_slice(&[2.0; 4])?);
/// # scaler.add(3.0, &x, &mut y)?;
/// # assert_eq!(scaler.ordered.to_vec(&y)?, [5.0; 4]);
/// # Ok(()) }
/// ```
pub struct In<T: Element>(PhantomData<fn() -> T>);

/// Memory with elements of type `T` that the kernel writes, and may read, in a
/// [`Signature`](crate::kernel::Signature). It means what `&mut [T]` means there, and has no lifetime. See [`In`].
pub struct Out<T: Element>(PhantomData<fn() -> T>);

/// A parameter as a signature declares it.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Given {
    pub(crate) name: fn() -> &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    pub(super) class: fn() -> Class,
    /// Of memory, the alignment of its elements, and so of its begin.
    #[cfg_attr(
        not(feature = "guard"),
        allow(dead_code, reason = "the launch of guarded kernels looks at it")
    )]
    pub(super) elements: Option<usize>,
    #[cfg_attr(
        not(feature = "guard"),
        allow(dead_code, reason = "what guarded kernels do is compared with it")
    )]
    pub(super) role: Role,
}

/// The use that a kernel makes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub(super) enum Role {
    Value,
    Reads,
    Writes,
    Texture,
    Surface,
}

pub(crate) mod sealed {
    use super::Given;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `Parameter`, which is sealed",
        label = "only numbers, arrays of them, `Value<T>`, `&[T]`, `In<T>`, `&mut [T]` and `Out<T>` do"
    )]
    pub trait Sealed {
        #[doc(hidden)]
        const GIVEN: Given;
    }
}

macro_rules! numbers {
    ($($class:ident: $($ty:ty)*;)*) => { $($(
        impl Parameter for $ty {
            type Seen = $ty;
        }
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for $ty {
            const GIVEN: Given = Given {
                name: type_name::<$ty>,
                size: size_of::<$ty>(),
                align: align_of::<$ty>(),
                class: || Class::$class,
                elements: None,
                role: Role::Value,
            };
        }
        impl<const N: usize> Parameter for [$ty; N] {
            type Seen = [$ty; N];
        }
        #[diagnostic::do_not_recommend]
        impl<const N: usize> sealed::Sealed for [$ty; N] {
            const GIVEN: Given = Given {
                name: type_name::<[$ty; N]>,
                size: size_of::<[$ty; N]>(),
                align: align_of::<$ty>(),
                class: || Class::Bytes,
                elements: None,
                role: Role::Value,
            };
        }
    )*)* };
}
numbers! {
    Integer: u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool;
    Float: f32 f64;
}
#[cfg(feature = "half")]
numbers! {
    Float: half::f16 half::bf16;
}

/// A [`TensorMap`](crate::tensor_map::TensorMap) in a [`Signature`](crate::kernel::Signature): the parameter is
/// `const __grid_constant__ CUtensorMap`.
#[derive(Debug)]
pub struct TensorMapValue(());

impl Parameter for TensorMapValue {
    type Seen = ();
}
#[diagnostic::do_not_recommend]
impl sealed::Sealed for TensorMapValue {
    const GIVEN: Given = Given {
        name: type_name::<TensorMapValue>,
        size: size_of::<ffi::CUtensorMap>(),
        // That of CUDA before version 13, too.
        align: 64,
        class: || Class::Bytes,
        elements: None,
        role: Role::Value,
    };
}

impl<T: ByValue> Parameter for Value<T> {
    type Seen = T;
}
#[diagnostic::do_not_recommend]
impl<T: ByValue> sealed::Sealed for Value<T> {
    const GIVEN: Given = Given {
        name: type_name::<T>,
        size: size_of::<T>(),
        align: align_of::<T>(),
        class: Class::of::<T>,
        elements: None,
        role: Role::Value,
    };
}

/// A texture object in a [`Signature`](crate::kernel::Signature): `cudaTextureObject_t` in CUDA C++, `.u64` in PTX. The
/// argument is a `&Texture`.
#[derive(Clone, Copy, Debug)]
pub enum TextureObject {}

/// A surface object in a [`Signature`](crate::kernel::Signature): `cudaSurfaceObject_t` in CUDA C++, `.u64` in PTX. The
/// argument is a `&Surface`, or a `&mut Surface` for a kernel that writes.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceObject {}

/// A condition of a graph in a [`Signature`](crate::kernel::Signature): `cudaGraphConditionalHandle` in CUDA C++, `.u64` in
/// PTX. The argument is a `&mut` [`Condition`](crate::graph::Condition).
#[derive(Clone, Copy, Debug)]
pub enum ConditionHandle {}

macro_rules! objects {
    ($($object:ty: $role:ident)*) => { $(
        impl Parameter for $object {
            type Seen = ();
        }
        #[diagnostic::do_not_recommend]
        impl sealed::Sealed for $object {
            const GIVEN: Given = Given {
                name: name_of::<$object>,
                size: size_of::<u64>(),
                align: align_of::<u64>(),
                class: || Class::Integer,
                elements: None,
                role: Role::$role,
            };
        }
    )* };
}
objects!(TextureObject: Texture SurfaceObject: Surface ConditionHandle: Value);

/// Returns a pointer parameter.
#[inline]
const fn pointer<T>(name: fn() -> &'static str, role: Role) -> Given {
    let (size, align) = (size_of::<CUdeviceptr>(), align_of::<CUdeviceptr>());
    let elements = Some(align_of::<T>());
    Given { name, size, align, class: || Class::Pointer, elements, role }
}

macro_rules! memory {
    ($($parameter:ty: $role:ident)*) => { $(
        impl<T: Element> Parameter for $parameter {
            type Seen = MemorySize;
        }
        #[diagnostic::do_not_recommend]
        impl<T: Element> sealed::Sealed for $parameter {
            const GIVEN: Given = pointer::<T>(name_of::<$parameter>, Role::$role);
        }
    )* };
}
memory!(&[T]: Reads &mut [T]: Writes In<T>: Reads Out<T>: Writes);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_structs_are_printed_as_a_signature_has_them() {
        let memory = (In::<f32>(PhantomData), Out::<[u32; 2]>(PhantomData));
        assert_eq!(format!("{memory:?}"), "(In<f32>, Out<[u32; 2]>)");
        assert_eq!(format!("{:?}", Value::<u64>(PhantomData)), "Value<u64>");
    }
}
