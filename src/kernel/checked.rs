//! Kernels with a checked signature.

use super::parameter::Given;
use super::signature::sealed::Sealed;
use super::{Out, Signature, SignatureError, SignatureProblem};
use crate::brand::Brand;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::{Function, ParameterInfo};
use crate::image::PtxEntry;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;

/// A typed kernel: its parameters match its [`Signature`], which was checked once, when the kernel was looked
/// up.
///
/// [`Module::kernel`](crate::Module::kernel) returns one. A launch takes arguments of the signature's types.
/// Others do not compile. The field of a struct is a `Kernel<(u32, f32, In<f32>, Out<f32>)>`: see [`In`](crate::In).
///
/// A kernel has no lifetime. It keeps its code loaded and its context alive, is cheap to clone, and is launched in every
/// stream of its context. A launch in a stream of another context is refused.
///
/// # Examples
/// ```standalone_crate
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, Kernel, LaunchConfig};
/// # fn main() -> cuscope::Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let stream = gpu.stream()?;
/// let module = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
/// let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
/// let (x, mut y) = (gpu.on(&stream).zeroed(4)?, gpu.on(&stream).zeroed(4)?);
/// // SAFETY: the kernel stays inside `x` and `y`, which have 4 elements.
/// unsafe { gpu.on(&stream).launch_unchecked(&saxpy, LaunchConfig::new(1, 4), (4, 2.0, &x, &mut y)) }?;
/// assert!(module.kernel::<(u32, f64, &[f32], &mut [f32])>("saxpy").is_err());
/// # Ok(()) }
/// ```
///
/// The check compares the number of parameters, and where each begins and ends
/// ([F92](crate::driver_facts#F92)). A driver before CUDA 12.4 cannot report this. The check then uses the PTX
/// text, if the module was loaded from PTX. The PTX text also tells integers from floating-point numbers.
/// [`checked`](Self::checked) returns which comparison was made. No check can detect two parameters of the same
/// size and type in the wrong order, or another type of the elements of memory, which neither of them knows.
#[doc(alias = "CudaFunction")]
pub struct Kernel<S> {
    pub(crate) function: Function<'static>,
    pub(crate) checked: Checked,
    pub(crate) _signature: PhantomData<fn(S)>,
}
assert_impl_all!(Kernel<(u32, Out<f32>)>: Send, Sync);

/// The source with which a [`Kernel`]'s signature was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checked {
    /// The driver and the PTX text: positions, sizes and, as far as the text declares them, types.
    DriverAndPtx,
    /// The driver: positions and sizes.
    Driver,
    /// The PTX text, because the driver is too old to report parameters.
    Ptx,
    /// Nothing: the driver is too old to report parameters, and there is no PTX text.
    Unchecked,
}

impl<S> Clone for Kernel<S> {
    fn clone(&self) -> Self {
        let (function, checked) = (self.function.clone(), self.checked);
        Kernel { function, checked, _signature: PhantomData }
    }
}

impl<S: Signature> Kernel<S> {
    /// Compares the signature with the kernel.
    pub(crate) fn new(
        function: Function<'_>,
        name: &str,
        entry: Option<&PtxEntry>,
    ) -> Result<Self> {
        let given = <S as Sealed>::GIVEN;
        let driver = match function.parameters() {
            Ok(parameters) => Some(parameters),
            Err(Error::NeedsDriver { .. }) => None,
            Err(error) => return Err(error),
        };
        let checked = match (&driver, entry) {
            (Some(_), Some(_)) => Checked::DriverAndPtx,
            (Some(_), None) => Checked::Driver,
            (None, Some(_)) => Checked::Ptx,
            (None, None) => Checked::Unchecked,
        };
        let layout = driver.or_else(|| entry.map(layout));
        let wrong = |(index, problem)| {
            let kernel = name.to_owned();
            Error::from(Box::new(SignatureError { kernel, index, problem, listed: false }))
        };
        if let Some(parameters) = layout {
            compare(given, &parameters).map_err(wrong)?;
        }
        if let Some(entry) = entry {
            types(given, entry).map_err(wrong)?;
        }
        let function = Function { inner: function.inner, _brand: Brand::new() };
        Ok(Kernel { function, checked, _signature: PhantomData })
    }
}

#[cfg(feature = "guard")]
impl<S: Signature> Kernel<S> {
    /// Compares the signature with a guarded kernel: with what the guard found, and with the text before. Then finds its function.
    pub(crate) fn guarded<'m>(
        find: impl FnOnce() -> Result<Function<'m>>,
        guarded: &cuscope_guard::GuardedKernel,
        entry: &PtxEntry,
    ) -> Result<Self> {
        let given = <S as Sealed>::GIVEN;
        let wrong = |(index, problem)| {
            let kernel = guarded.name().to_owned();
            Error::from(Box::new(SignatureError { kernel, index, problem, listed: false }))
        };
        let params: Vec<_> = guarded.parameters().iter().map(|one| (one.size, one.align)).collect();
        compare(given, &laid_out(params)).map_err(wrong)?;
        types(given, entry).map_err(wrong)?;
        uses(given, guarded).map_err(wrong)?;
        let function = Function { inner: find()?.inner, _brand: Brand::new() };
        Ok(Kernel { function, checked: Checked::Ptx, _signature: PhantomData })
    }
}

impl<S> Kernel<S> {
    /// Returns the function, for its attributes, or to launch it with unchecked arguments.
    #[must_use]
    pub fn function(&self) -> &Function<'static> {
        &self.function
    }

    /// Returns the source with which the signature was compared.
    #[must_use]
    pub fn checked(&self) -> Checked {
        self.checked
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.function.context()
    }
}

impl<S> fmt::Debug for Kernel<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = std::any::type_name::<S>();
        write!(f, "Kernel<{signature}>({:?}, {:?})", self.function, self.checked)
    }
}

/// Returns the layout that PTX text declares.
#[inline]
fn layout(entry: &PtxEntry) -> Vec<ParameterInfo> {
    laid_out(entry.params.iter().map(|param| (param.size, param.align)))
}

/// Lays out parameters with these sizes and alignments.
#[inline]
pub(crate) fn laid_out(params: impl IntoIterator<Item = (usize, usize)>) -> Vec<ParameterInfo> {
    let mut end = 0_usize;
    let place = |(size, align): (usize, usize)| {
        let offset = end.next_multiple_of(align.max(1));
        end = offset + size;
        ParameterInfo { offset, size }
    };
    params.into_iter().map(place).collect()
}

type Problem = (usize, SignatureProblem);

/// Compares positions and sizes.
#[inline]
fn compare(given: &[Given], kernel: &[ParameterInfo]) -> Result<(), Problem> {
    let mut end = 0_usize;
    for (index, &Given { name, size: given_size, align, .. }) in given.iter().enumerate() {
        let Some(&ParameterInfo { offset, size }) = kernel.get(index) else {
            return Err((index, SignatureProblem::TooMany { given: name() }));
        };
        // Parameters that are aligned to more than 16 bytes are aligned in the memory of the device, and not from
        // the start of the parameters (F428).
        let anywhere = align > 16 && (end..end + align).contains(&offset);
        let given_offset = if anywhere { offset } else { end.next_multiple_of(align.max(1)) };
        end = given_offset + given_size;
        if (offset, size) != (given_offset, given_size) {
            let given = name();
            let problem =
                SignatureProblem::Layout { size, offset, given, given_size, given_offset };
            return Err((index, problem));
        }
    }
    match kernel.get(given.len()) {
        Some(&ParameterInfo { offset, size }) => {
            Err((given.len(), SignatureProblem::TooFew { size, offset }))
        }
        None => Ok(()),
    }
}

/// Compares types with those of PTX text, for parameters of the same size.
#[inline]
fn types(given: &[Given], entry: &PtxEntry) -> Result<(), Problem> {
    let mut both = given.iter().zip(&entry.params).enumerate();
    match both
        .find(|(_, (given, param))| given.size == param.size && !param.admits((given.class)()))
    {
        Some((index, (given, param))) => {
            let problem =
                SignatureProblem::Type { ptx: param.declaration(), given: (given.name)() };
            Err((index, problem))
        }
        None => Ok(()),
    }
}

/// Compares what a guarded kernel does with its parameters.
#[cfg(feature = "guard")]
fn uses(given: &[Given], guarded: &cuscope_guard::GuardedKernel) -> Result<(), Problem> {
    use super::parameter::Role;
    for (index, (given, param)) in given.iter().zip(guarded.parameters()).enumerate() {
        let uses = match given.role {
            Role::Writes => None,
            Role::Reads => param.writes.then_some("memory that the kernel writes"),
            _ if param.writes => Some("memory that the kernel writes"),
            _ => param.reads.then_some("memory that the kernel reads"),
        };
        let handle = |is: bool, role, name| (is && given.role != role).then_some(name);
        let uses = uses
            .or(handle(param.texture, Role::Texture, "the handle of a texture"))
            .or(handle(param.surface, Role::Surface, "the handle of a surface"));
        if let Some(uses) = uses {
            return Err((index, SignatureProblem::Use { uses, given: (given.name)() }));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::PtxParam;
    use crate::kernel::parameter::Role;

    fn given(size: usize, align: usize) -> Given {
        let class = || crate::image::Class::Bytes;
        Given { name: || "given", size, align, class, elements: None, role: Role::Value }
    }

    // F428: what is aligned to more than 16 bytes begins in the next so many bytes, wherever the memory of the device has it
    // aligned. Everything else begins at the next multiple.
    #[test]
    fn parameters_are_where_their_alignment_puts_them() {
        for (first, second, offset, fits) in [
            (given(1, 1), given(2, 2), 2, true),
            (given(1, 1), given(4, 4), 2, false),
            (given(4, 4), given(32, 16), 16, true),
            (given(4, 4), given(32, 16), 8, false),
            (given(4, 4), given(64, 64), 64, true),
            (given(4, 4), given(64, 64), 8, true),
            (given(4, 4), given(64, 64), 67, true),
            (given(4, 4), given(64, 64), 68, false),
            (given(4, 4), given(64, 64), 128, false),
        ] {
            let kernel = [
                ParameterInfo { offset: 0, size: first.size },
                ParameterInfo { offset, size: second.size },
            ];
            let compared = compare(&[first, second], &kernel);
            assert_eq!(compared.is_ok(), fits, "{second:?} at {offset}");
        }
    }

    fn param(size: usize, align: usize) -> PtxParam {
        PtxParam { ty: ".b8".to_owned(), pointer: false, array: true, size, align }
    }

    #[test]
    fn text_lays_parameters_out_as_the_driver_does() {
        let params = vec![param(1, 1), param(8, 8), param(4, 4), param(0, 0), param(64, 64)];
        let offsets = layout(&PtxEntry { name: "kernel".to_owned(), params });
        let offsets: Vec<_> = offsets.into_iter().map(|info| (info.offset, info.size)).collect();
        assert_eq!(offsets, [(0, 1), (8, 8), (16, 4), (20, 0), (64, 64)]);
    }
}
