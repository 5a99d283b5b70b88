//! Argument lists that are built at run time.
#![allow(unsafe_code, reason = "copies values to where the driver reads them")]

#[cfg(feature = "guard")]
use super::Use;
#[cfg(feature = "guard")]
use crate::args::Hidden;
use crate::args::sealed::{Operand, Operands};
use crate::args::{KernelArg, KernelArgs};
use crate::error::{Error, Result, SignatureError, SignatureProblem};
use crate::function::{Function, ParameterInfo};
#[cfg(feature = "guard")]
use crate::image::{Class, PtxParam};
use crate::memory::InCall;
use crate::memory::access::Access;
use ffi::CUfunction;
use std::any::type_name;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

/// The arguments of one launch, as a list that is built at run time: [`Function::arguments`] starts one, and
/// `arguments` of a `GuardedFunction` (feature `guard`) one for a launch that is safe.
///
/// Use it where the number of arguments or their types are only known at run time. Otherwise pass a tuple, which
/// costs less and allocates nothing. Each argument is compared with the size of its parameter when it is
/// [pushed](Self::push), and the launch checks that none is missing. The driver is asked for the parameters once for each
/// handle of a function and its later clones. A list is passed by value: it lends its memory to one launch.
///
/// An argument is memory that is lent, a plain value, or memory by its address: a
/// [`DeviceRange`](crate::memory::DeviceRange). A list of up to 32 plain values and ranges allocates once, and each buffer once
/// more.
///
/// `Lent` says how long memory is lent, as for [`KernelArg`]. The launch infers it.
///
/// # Examples
/// ```standalone_crate
/// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig};
/// # fn main() -> cuscope::Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let stream = gpu.stream()?;
/// let saxpy = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?.function("saxpy")?;
/// let x = gpu.on(&stream).from_slice(&[1.0_f32, 2.0])?;
/// let mut y = gpu.on(&stream).from_slice(&[0.5_f32, 0.5])?;
/// let mut arguments = saxpy.arguments()?;
/// arguments.push(2_u32)?.push(10.0_f32)?.push(&x)?.push(&mut y)?;
/// // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y), and stays inside both.
/// unsafe { gpu.on(&stream).launch_unchecked(&saxpy, LaunchConfig::new(1, 2), arguments) }?;
/// assert_eq!(gpu.on(&stream).to_vec(&y)?, [10.5, 20.5]);
/// # Ok(()) }
/// ```
#[must_use = "the arguments are those of a launch"]
pub struct ArgumentList<'a, 'ctx, Lent = InCall> {
    function: Function<'ctx>,
    parameters: Arc<[ParameterInfo]>,
    /// The number of arguments so far.
    len: usize,
    /// The values of the parameters, each at its offset. Those of a guarded kernel have extents behind them.
    values: Vec<Piece>,
    /// The arguments that lend memory, and whose contexts the launch compares.
    lending: Vec<Box<dyn Lending + 'a>>,
    #[cfg(feature = "guard")]
    guarded: Option<Guarded>,
    _lent: PhantomData<fn() -> Lent>,
}

/// The rest of a list for a guarded kernel.
#[cfg(feature = "guard")]
struct Guarded {
    /// How the kernel uses each parameter.
    uses: Arc<[Use]>,
    /// Where in the values it is how many bytes may be read and written at the arguments that have extents.
    extents: usize,
}

/// A guarded kernel has no more parameters. No list of so many allocates room for their pointers.
const FEW: usize = 32;
/// How many bytes may be read and written at an argument.
#[cfg(feature = "guard")]
type Extents = [u64; 2];

#[cfg(feature = "guard")]
impl Guarded {
    /// Returns how many of the first parameters have extents.
    fn with_extents(&self, of: usize) -> usize {
        self.uses.iter().take(of).filter(|one| one.extents).count()
    }

    /// Returns the parameter if the text declares it as something else. A pointer that the kernel never follows may be any
    /// number but a float: compilers declare some that nobody has memory for.
    fn declared_otherwise(&self, index: usize, class: Class) -> Option<&PtxParam> {
        self.uses.get(index)?.param.as_ref().filter(|param| {
            let number = param.pointer && class != Class::Float;
            !(number || param.admits(class))
        })
    }

    /// Returns how the kernel uses the parameter, if the argument does not allow that.
    fn forbids(&self, index: usize, access: &Access<'_>) -> Option<&'static str> {
        let &Use { reads, writes, texture, surface, .. } = self.uses.get(index)?;
        let object = access.object();
        let read = !access.is_value() && object.is_none();
        let written = read && access.writes;
        let unless = |fits: bool, uses| (!fits).then_some(uses);
        unless(!writes || written, "memory that the kernel writes")
            .or(unless(!reads || read, "memory that the kernel reads"))
            .or(unless(
                !texture || object.is_some_and(|one| one.is_texture()),
                "the handle of a texture",
            ))
            .or(unless(
                !surface || object.is_some_and(|one| !one.is_texture()),
                "the handle of a surface",
            ))
    }
}

/// A piece of the values, so aligned that each of them is: no type has a larger alignment than a tensor map.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Piece([MaybeUninit<u8>; 128]);
const _: () = assert!(align_of::<Piece>() >= align_of::<ffi::CUtensorMap>());

/// An argument that lends memory.
trait Lending {
    fn lent(&self) -> Access<'_>;
}

impl<A: Operand> Lending for A {
    fn lent(&self) -> Access<'_> {
        self.access()
    }
}

/// # Arguments that are known at run time
impl<'ctx> Function<'ctx> {
    /// Starts a list of arguments for one launch of this kernel.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver) before CUDA 12.4, whose driver cannot report the kernel's parameters.
    #[doc(alias = "cuFuncGetParamInfo")]
    pub fn arguments<'a, Lent>(&self) -> Result<ArgumentList<'a, 'ctx, Lent>> {
        let parameters = self.known_parameters()?;
        Ok(ArgumentList::new(self.clone(), end(&parameters), parameters))
    }
}

/// Returns where the last parameter ends.
fn end(parameters: &[ParameterInfo]) -> usize {
    parameters.iter().map(|one| one.offset + one.size).max().unwrap_or(0)
}

impl<'a, 'ctx, Lent> ArgumentList<'a, 'ctx, Lent> {
    fn new(function: Function<'ctx>, bytes: usize, parameters: Arc<[ParameterInfo]>) -> Self {
        let values = vec![Piece([MaybeUninit::uninit(); 128]); bytes.div_ceil(size_of::<Piece>())];
        ArgumentList {
            function,
            parameters,
            len: 0,
            values,
            lending: Vec::new(),
            #[cfg(feature = "guard")]
            guarded: None,
            _lent: PhantomData,
        }
    }

    /// Starts a list for a guarded kernel with these parameters.
    #[cfg(feature = "guard")]
    pub(super) fn of_guarded(
        function: Function<'ctx>,
        parameters: Arc<[ParameterInfo]>,
        uses: Arc<[Use]>,
    ) -> Self {
        let extents = end(&parameters).next_multiple_of(align_of::<Extents>());
        let guarded = Guarded { uses, extents };
        let bytes = extents + guarded.with_extents(parameters.len()) * size_of::<Extents>();
        let guarded = Some(guarded);
        ArgumentList { guarded, ..ArgumentList::new(function, bytes, parameters) }
    }

    /// Copies a value into the block.
    ///
    /// # Safety
    /// 1. The block has room for it at this offset.
    unsafe fn put<T: Copy>(&mut self, offset: usize, value: T) {
        debug_assert!(offset + size_of::<T>() <= size_of_val(&*self.values), "no room");
        let (value, to) = (MaybeUninit::new(value), self.values.as_mut_ptr());
        let to = to.cast::<MaybeUninit<u8>>().wrapping_add(offset);
        // SAFETY: there is room (obligation 1). The bytes of the value may be uninitialised, as those of the block are.
        unsafe { to.copy_from((&raw const value).cast(), size_of::<T>()) };
    }

    /// Adds the argument for the next parameter.
    ///
    /// # Errors
    /// [`Signature`](Error::Signature) if the kernel has no more parameters, if the next one has another size, or if a guarded
    /// kernel declares it as another type or uses it as memory that the argument is not. The list then stays as it is.
    pub fn push<A: KernelArg<'ctx, Lent> + 'a>(&mut self, argument: A) -> Result<&mut Self> {
        let (given, given_size) = (type_name::<A>(), size_of::<A::Parameter>());
        let problem = match self.parameters.get(self.len) {
            Some(&ParameterInfo { size, offset }) if size == given_size => {
                #[cfg(feature = "guard")]
                if let Some(guarded) = &self.guarded {
                    if let Some(uses) = guarded.forbids(self.len, &argument.access()) {
                        return Err(self.wrong(SignatureProblem::Use { uses, given }));
                    }
                    if let Some(param) = guarded.declared_otherwise(self.len, argument.class()) {
                        let ptx = param.declaration();
                        return Err(self.wrong(SignatureProblem::Type { ptx, given }));
                    }
                    if let Some(&Use { extents: true, bounds, .. }) = guarded.uses.get(self.len) {
                        let before = guarded.with_extents(self.len);
                        let at = guarded.extents + before * size_of::<Extents>();
                        let address = argument.access().address;
                        let extents = argument.extents().map(|bytes| bounds.of(address, bytes));
                        // SAFETY: 1. There is room for the extents of every parameter that has some: `of_guarded`.
                        unsafe { self.put(at, extents) };
                    }
                }
                // SAFETY: 1. There is room for every parameter, and the value has its size: `arguments`, `of_guarded`.
                unsafe { self.put(offset, argument.parameter()) };
                self.len += 1;
                // A range borrows nothing, and a context that was compared with the kernel's need not be compared again.
                if !argument.access().is_settled(self.function.inner.key()) {
                    self.lending.push(Box::new(argument));
                }
                return Ok(self);
            }
            Some(&ParameterInfo { size, offset }) => {
                SignatureProblem::Layout { size, offset, given, given_size, given_offset: offset }
            }
            None => SignatureProblem::TooMany { given },
        };
        Err(self.wrong(problem))
    }

    /// Returns the number of arguments so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no argument yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the positions and sizes of the kernel's parameters.
    #[must_use]
    pub fn parameters(&self) -> &[ParameterInfo] {
        &self.parameters
    }

    #[cold]
    #[inline]
    fn wrong(&self, problem: SignatureProblem) -> Error {
        let kernel = self.function.name().unwrap_or_else(|_| "the kernel".to_owned());
        Error::from(Box::new(SignatureError { kernel, index: self.len, problem, listed: true }))
    }
}

impl<Lent> fmt::Debug for ArgumentList<'_, '_, Lent> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (given, all) = (self.len, self.parameters.len());
        write!(f, "ArgumentList({given} of {all} for {:?})", self.function)
    }
}

impl<'ctx, Lent> KernelArgs<'ctx, Lent> for ArgumentList<'_, 'ctx, Lent> {}
#[diagnostic::do_not_recommend]
impl<Lent> Operands for ArgumentList<'_, '_, Lent> {
    fn fit(&self, call: &'static str, function: CUfunction) -> Result {
        if self.function.raw() != function {
            let reason = "the arguments were listed for another kernel: start the list with \
                `arguments` of the kernel that you launch";
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        match self.parameters.get(self.len) {
            None => Ok(()),
            Some(&ParameterInfo { size, offset }) => {
                Err(self.wrong(SignatureProblem::TooFew { size, offset }))
            }
        }
    }

    fn all(&self, is: impl Fn(&Access<'_>) -> bool) -> bool {
        self.lending.iter().all(|one| is(&one.lent()))
    }

    fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
        f(&self.lending.iter().map(|one| one.lent()).collect::<Vec<_>>())
    }

    fn count(&self) -> usize {
        self.len
    }

    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        let (mut few, mut many);
        let pointers = if self.len <= FEW {
            few = [ptr::null_mut(); FEW];
            &mut few[..self.len]
        } else {
            many = vec![ptr::null_mut(); self.len];
            &mut many[..]
        };
        self.point(pointers);
        f(pointers)
    }

    #[cfg(feature = "guard")]
    fn with_guarded<R>(&self, hidden: Hidden<'_>, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        let Some(guarded) = &self.guarded else {
            // That of a kernel without a guard was refused before.
            return self.with_pointers(f);
        };
        let mut values = [const { MaybeUninit::uninit() }; 2 * FEW + 2];
        let mut len = 2 * guarded.with_extents(self.len);
        for (at, value) in values[..len].iter_mut().enumerate() {
            let from =
                self.pointer(guarded.extents + at * size_of::<u64>()).cast::<MaybeUninit<u64>>();
            // SAFETY: the block has room for the extents of so many parameters, aligned as they are: `of_guarded`.
            *value = unsafe { *from };
        }
        hidden.put_rest(&mut len, &mut values);
        let mut all = [ptr::null_mut(); FEW + 1];
        let len = self.len.min(FEW);
        self.point(&mut all[..len]);
        all[len] = values.as_mut_ptr().cast();
        f(&mut all[..=len])
    }
}

impl<Lent> ArgumentList<'_, '_, Lent> {
    /// Returns a pointer into the block, for the driver, which only reads there.
    fn pointer(&self, offset: usize) -> *mut c_void {
        self.values.as_ptr().cast::<u8>().wrapping_add(offset).cast_mut().cast()
    }

    /// Writes the pointers to the values.
    fn point(&self, to: &mut [*mut c_void]) {
        to.iter_mut().zip(&*self.parameters).for_each(|(to, one)| *to = self.pointer(one.offset));
    }
}
