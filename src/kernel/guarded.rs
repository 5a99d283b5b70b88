//! Kernels whose accesses to memory are compared with their arguments on the device.
#![allow(unsafe_code, reason = "launches of guarded kernels are safe")]

use super::launchable::{ArgumentsOf, ListedArguments, safe};
use super::parameter::Given;
use super::signature::sealed::Sealed;
use super::{ArgumentList, Kernel, SafeKernel, Signature};
use crate::args::sealed::Operands;
use crate::args::{Guarded, Hidden, is_quick};
use crate::brand::Brand;
use crate::context::Context;
use crate::error::Result;
use crate::function::{Function, FunctionInner, ParameterInfo};
use crate::image::PtxParam;
use crate::launch::Spec;
use crate::memory::watch::{Board, Record};
use crate::ops::Launch;
use cuscope_guard::Bounds;
use static_assertions::assert_impl_all;
use std::fmt;
use std::sync::Arc;

/// A kernel whose launches are safe, because the device compares each of its accesses to memory with its arguments (feature
/// `guard`). [`GuardedModule::kernel`](crate::module::GuardedModule::kernel) returns one.
///
/// An access outside of the arguments is not made: a read gives 0, and a write does nothing. The kernel goes on to its end.
/// Then a wait for the launch returns [`OutOfBounds`](crate::Error::OutOfBounds), once, with the kernel, the line and the
/// argument:
///
/// - on a stream, and on a default stream, the launch itself, since it waits; for a replay, the replay;
/// - in a scope, [`synchronize`](crate::ScopedStream::synchronize), [`query`](crate::ScopedStream::query) that finds the
///   stream idle, and the end of the scope, unless its closure returns an error;
/// - in an ordered stream, [`synchronize`](crate::OrderedStream::synchronize), [`query`](crate::OrderedStream::query) that
///   finds it idle, and every operation of the stream that waits: `to_vec`, `download`, `wait` of a
///   [`Pending`](crate::ordered::Pending), and its future;
/// - for replays of a graph in ordered streams, also [`Graph::wait_idle`](crate::Graph::wait_idle).
///
/// A wait for an [event](crate::Event) or for the whole [context](crate::PushedGuard::synchronize) is about no stream, and
/// tells nothing. If a stream, graph or scope ends and nobody was told, the hook of
/// [`on_release_error`](crate::on_release_error) receives the error: at once if the kernel is over, and otherwise when another
/// guarded kernel is launched in the context, or the last guarded module is unloaded. So call `synchronize` first. If several
/// kernels failed before the wait, it tells of one. Graphs of one definition note their failures in one place, and the first
/// wait for one of them tells.
///
/// The context lives, and the next launch works. Memory that the kernel does write has what the kernel wrote. What it can
/// still do is to loop for ever, and to compute nonsense.
///
/// Like a [`Kernel`], it has no lifetime: a field of a struct is a `GuardedKernel<(u32, In<f32>, Out<f32>)>`.
pub struct GuardedKernel<S> {
    kernel: Kernel<S>,
    guard: Guard,
}
assert_impl_all!(GuardedKernel<(u32, super::Out<f32>)>: Send, Sync, Clone);

/// The facts that the guard found of a kernel.
#[derive(Clone)]
pub(crate) struct Guard {
    /// Where the kernel notes its failures. The module, which the kernel keeps loaded, owns it too.
    pub(crate) board: Arc<Board>,
    /// The parameters that have extents, one bit each.
    pub(crate) with_extents: u32,
    pub(crate) tag: u32,
    /// What the launch looks at, for each parameter.
    pub(crate) bounds: Arc<[Bounds]>,
    /// Whether the types of the arguments tell that the bounds hold for little memory, or a list has looked.
    pub(crate) quick: bool,
}

impl Guard {
    /// Creates the launch of a kernel, and passes it to `run`.
    ///
    /// # Safety
    /// 1. The kernel is that of the guard. The arguments are for its parameters before the guard has added its own: as many,
    ///    of these sizes, and handles for handles.
    #[inline]
    unsafe fn launch<'k, L: Spec, A: Operands, R>(
        &'k self,
        function: &'k FunctionInner,
        spec: L,
        args: A,
        watch: &impl Record<'k>,
        run: impl FnOnce(Launch<'k, L, Guarded<'k, A>>) -> Result<R>,
    ) -> Result<R> {
        let record = watch.record(spec.call(), &self.board)?;
        let hidden = Hidden::new(self.with_extents, self.tag, &self.bounds, self.quick, record);
        let args = Guarded { args, hidden };
        // SAFETY: 1. The arguments are those of the kernel (the caller's obligation 1), and behind them is what the guard has
        // added. 2. and 3. The device compares each access with the extents of the arguments (`launch-guarded`).
        run(unsafe { Launch::new(function, spec, args) })
    }
}

impl<S: Signature> GuardedKernel<S> {
    pub(crate) fn new(kernel: Kernel<S>, guard: Guard) -> Self {
        let quick = |(given, &bounds): (&Given, &Bounds)| {
            given.elements.is_none_or(|align| is_quick(bounds, align))
        };
        let quick = <S as Sealed>::GIVEN.iter().zip(&*guard.bounds).all(quick);
        GuardedKernel { kernel, guard: Guard { quick, ..guard } }
    }
}

impl<S> GuardedKernel<S> {
    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.kernel.context()
    }
}

impl<S> Clone for GuardedKernel<S> {
    fn clone(&self) -> Self {
        GuardedKernel { kernel: self.kernel.clone(), guard: self.guard.clone() }
    }
}

impl<S> fmt::Debug for GuardedKernel<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedKernel").field(&self.kernel).finish()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Signature> SafeKernel<'_> for GuardedKernel<S> {
    type Signature = S;
}

#[diagnostic::do_not_recommend]
impl<S: Signature> safe::Sealed<S> for GuardedKernel<S> {
    type Passed<'k, A: Operands>
        = Guarded<'k, A>
    where
        Self: 'k;

    #[inline]
    fn checked_launch<'k, L: Spec, A: Operands + ArgumentsOf<S>, R>(
        &'k self,
        spec: L,
        args: A,
        watch: &impl Record<'k>,
        run: impl FnOnce(Launch<'k, L, Guarded<'k, A>>) -> Result<R>,
    ) -> Result<R> {
        // SAFETY: 1. The arguments are those of the signature, which was compared with the text and with what the guard found.
        unsafe { self.guard.launch(&self.kernel.function.inner, spec, args, watch, run) }
    }
}

/// A guarded kernel whose parameters are known when the program runs: it is launched with an [`ArgumentList`], and its
/// launches are safe (feature `guard`).
///
/// [`GuardedModule::function`](crate::module::GuardedModule::function) returns one. Each argument is compared with its
/// parameter when it is [pushed](ArgumentList::push): the size, whether it is memory that the kernel may use as it does, and
/// whether it is a texture or surface where the kernel takes the handle of one.
/// What the kernel does is compared on the device, as for a [`GuardedKernel`]. Take that where the signature is known when the
/// program is compiled.
///
/// # Examples
/// ```standalone_crate
/// #![forbid(unsafe_code)]
/// # use cuscope::{Context, Device, LaunchConfig};
/// # fn main() -> cuscope::Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let stream = context.ordered_stream()?;
/// let module = context.load_guarded(include_str!("../../examples/kernels/saxpy.ptx"))?;
/// let saxpy = module.function("saxpy")?;
/// let (x, mut y) = (stream.from_slice(&[1.0_f32; 4])?, stream.from_slice(&[0.5_f32; 4])?);
/// let mut arguments = saxpy.arguments();
/// arguments.push(4_u32)?.push(2.0_f32)?.push(&x)?.push(&mut y)?;
/// stream.launch(&saxpy, LaunchConfig::for_num_elems(4)?, arguments)?;
/// assert_eq!(stream.to_vec(&y)?, [2.5; 4]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct GuardedFunction {
    function: Function<'static>,
    guard: Guard,
    parameters: Arc<[ParameterInfo]>,
    uses: Arc<[Use]>,
}
assert_impl_all!(GuardedFunction: Send, Sync, Clone);

/// How a guarded kernel uses a parameter.
pub(crate) struct Use {
    /// As the text declares it.
    pub(crate) param: Option<PtxParam>,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// It is the handle of a texture, or of a surface.
    pub(crate) texture: bool,
    pub(crate) surface: bool,
    /// Whether the kernel gets how much of it may be read and written.
    pub(crate) extents: bool,
    pub(crate) bounds: Bounds,
}

impl GuardedFunction {
    pub(crate) fn new(
        function: Function<'static>,
        guard: Guard,
        parameters: Vec<ParameterInfo>,
        uses: Vec<Use>,
    ) -> Self {
        GuardedFunction { function, guard, parameters: parameters.into(), uses: uses.into() }
    }

    /// Starts a list of arguments for one launch of this kernel. Makes no driver call.
    pub fn arguments<'a, 'ctx, Lent>(&self) -> ArgumentList<'a, 'ctx, Lent> {
        let function = Function { inner: self.function.inner.clone(), _brand: Brand::new() };
        ArgumentList::of_guarded(function, self.parameters.clone(), self.uses.clone())
    }

    /// Returns the positions and sizes of the kernel's parameters, as its text has them.
    #[must_use]
    pub fn parameters(&self) -> &[ParameterInfo] {
        &self.parameters
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.function.context()
    }
}

impl fmt::Debug for GuardedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedFunction").field(&self.function).finish()
    }
}

#[diagnostic::do_not_recommend]
impl SafeKernel<'_> for GuardedFunction {
    type Signature = ListedArguments;
}

#[diagnostic::do_not_recommend]
impl safe::Sealed<ListedArguments> for GuardedFunction {
    type Passed<'k, A: Operands>
        = Guarded<'k, A>
    where
        Self: 'k;

    #[inline]
    fn checked_launch<'k, L: Spec, A: Operands + ArgumentsOf<ListedArguments>, R>(
        &'k self,
        spec: L,
        args: A,
        watch: &impl Record<'k>,
        run: impl FnOnce(Launch<'k, L, Guarded<'k, A>>) -> Result<R>,
    ) -> Result<R> {
        // SAFETY: 1. The arguments are a list. Before the launch it is compared with the kernel that it was started for, and
        // that of a guarded kernel has compared each argument with its parameter, handles too.
        unsafe { self.guard.launch(&self.function.inner, spec, args, watch, run) }
    }
}
