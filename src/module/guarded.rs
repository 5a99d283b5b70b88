//! Modules whose kernels are guarded.

use super::Module;
use crate::brand::Brand;
use crate::call::name;
use crate::context::Context;
use crate::error::{Error, GuardError, Result};
use crate::function::Function;
use crate::image::{Image, ImageKind, LOAD, Ptx, PtxContents, PtxEntry};
use crate::kernel::{Guard, GuardedFunction, GuardedKernel, Kernel, Signature, Use, laid_out};
use crate::memory::watch::{Board, Code};
use crate::name::Text;
use crate::stack::PushedGuard;
use cuscope_guard::Refused;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// A module whose kernels are guarded: each access to memory is compared with the arguments, so that launches are safe
/// (feature `guard`). [`PushedGuard::load_guarded`] and [`Context::load_guarded`] return one.
///
/// It lends no variables, since its kernels may write them.
pub struct GuardedModule<'ctx> {
    module: Module<'ctx>,
    code: Arc<Code>,
    /// The kernels as the text declared them before.
    entries: Vec<PtxEntry>,
    refused: Vec<GuardError>,
}

/// # Guarded modules
impl<'ctx> PushedGuard<'ctx> {
    /// Rewrites PTX text so that its kernels stay inside their arguments, compiles it for this device and loads it.
    ///
    /// A kernel that cannot be guarded is left out: [`GuardedModule::kernel`] tells why. The guide has a page about this:
    /// [safe kernels](crate::guide::safe_kernels).
    ///
    /// # Errors
    /// [`Guard`](Error::Guard) for a text that the guard cannot read; the errors of [`Ptx::new`] and [`load`](Self::load),
    /// whose lines are those of the guarded text.
    ///
    /// # Examples
    /// ```standalone_crate
    /// # use cuscope::{Context, ContextStack, Device, Error, LaunchConfig};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// let module = gpu.load_guarded(include_str!("../../examples/kernels/saxpy.ptx"))?;
    /// let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
    /// let (x, mut y) = (gpu.on(&stream).from_slice(&[1.0; 8])?, gpu.on(&stream).from_slice(&[2.0; 7])?);
    ///
    /// // The kernel is told that `y` has 8 elements, and it has 7.
    /// let launched = gpu.on(&stream).launch(&saxpy, LaunchConfig::for_num_elems(8)?, (8, 3.0, &x, &mut y));
    /// let Err(Error::OutOfBounds(error)) = launched else { panic!("{launched:?}") };
    /// assert_eq!((error.kernel(), error.arguments()), ("saxpy", [3].as_slice()));
    ///
    /// // Nothing else was touched, and everything goes on.
    /// gpu.on(&stream).launch(&saxpy, LaunchConfig::for_num_elems(7)?, (7, 3.0, &x, &mut y))?;
    /// # assert_eq!(gpu.on(&stream).to_vec(&y)?, [8.0; 7]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_guarded(&self, ptx: impl Text) -> Result<GuardedModule<'ctx>> {
        self.load_guarded_image(&Ptx::new(ptx)?)
    }

    /// Guards and loads an image: see [`load_guarded`](Self::load_guarded).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for machine code, which cannot be guarded; the errors of
    /// [`load_guarded`](Self::load_guarded).
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_guarded_image(&self, image: impl Image) -> Result<GuardedModule<'ctx>> {
        let reason =
            "machine code cannot be guarded: compile the kernels to PTX, as by `nvcc -ptx`";
        let machine_code = Error::InvalidArgument { call: LOAD, reason: reason.into() };
        if image.kind() != ImageKind::Ptx {
            return Err(machine_code);
        }
        let text = std::str::from_utf8(image.bytes().get()).map_err(|_| machine_code)?;
        let text = text.trim_end_matches('\0');
        let line_of = |line: u32| {
            let line = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
            line.trim().to_owned()
        };
        let guarded = cuscope_guard::guard(text).map_err(|error| {
            let (line, reason) = (error.line(), error.message().to_owned());
            Box::new(GuardError { kernel: None, line, instruction: line_of(line), reason })
        })?;
        let refused = |Refused { kernel, line, reason }: &Refused| GuardError {
            kernel: Some(kernel.clone()),
            line: *line,
            instruction: line_of(*line),
            reason: reason.clone(),
        };
        let refused = guarded.refused().iter().map(refused).collect();
        let code = Arc::new(Board::of(self)?.load(guarded.kernels().into())?);
        let mut module = self.load(&Ptx::new(guarded.text())?).map_err(of_the_guarded_text)?;
        match Arc::get_mut(&mut module.inner) {
            Some(inner) => inner.used = Some(Box::new(code.clone())),
            // Nobody else has the module yet. If somebody had, the board would stay for ever.
            None => std::mem::forget(code.clone()),
        }
        let entries = PtxContents::of(image.bytes().get()).kernels;
        Ok(GuardedModule { module, code, entries, refused })
    }
}

/// # Guarded modules
impl Context {
    /// Guards PTX text and loads it, as [`PushedGuard::load_guarded`] does, for [ordered streams](crate::OrderedStream). The
    /// context is current only while this runs.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with) and [`PushedGuard::load_guarded`].
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_guarded(&self, ptx: impl Text) -> Result<GuardedModule<'static>> {
        self.load_guarded_image(&Ptx::new(ptx)?)
    }

    /// Guards an image and loads it, as [`PushedGuard::load_guarded_image`] does.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with) and [`PushedGuard::load_guarded_image`].
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_guarded_image(&self, image: impl Image) -> Result<GuardedModule<'static>> {
        self.with(|gpu| {
            let GuardedModule { module, code, entries, refused } = gpu.load_guarded_image(image)?;
            Ok(GuardedModule { module: module.unguarded(), code, entries, refused })
        })
    }
}

/// Says of a refusal that its lines are those of the guarded text, which the caller does not see.
#[cold]
fn of_the_guarded_text(error: Error) -> Error {
    match error {
        Error::Load(load) if load.reason().is_none() && load.ptx_line().is_some() => {
            let reason = "the log's lines are those of the guarded text: load yours with `load_ptx`, whose log names its own";
            Error::Load(Box::new(load.because(Some(reason.to_owned()))))
        }
        other => other,
    }
}

/// A kernel of the text.
struct Found<'m> {
    guarded: &'m cuscope_guard::GuardedKernel,
    entry: &'m PtxEntry,
    guard: Guard,
}

impl<'ctx> GuardedModule<'ctx> {
    /// Returns a kernel by name and compares its parameters with a [`Signature`], as [`Module::kernel`] does.
    ///
    /// Memory that the kernel writes is `&mut [T]` or [`Out<T>`](crate::Out) in the signature, and handles of textures and
    /// surfaces are [`TextureObject`](crate::kernel::TextureObject) and [`SurfaceObject`](crate::kernel::SurfaceObject).
    ///
    /// # Errors
    /// [`Guard`](Error::Guard) for a kernel that cannot be guarded; [`Signature`](Error::Signature);
    /// `CUDA_ERROR_NOT_FOUND` if there is no such kernel.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn kernel<S: Signature>(&self, name: impl Text) -> Result<GuardedKernel<S>> {
        let name = name.with_nul(name!(cuModuleGetFunction))?;
        let Found { guarded, entry, guard } = self.find(&name)?;
        let kernel = Kernel::guarded(|| self.module.find(&name), guarded, entry)?;
        Ok(GuardedKernel::new(kernel, guard))
    }

    /// Returns a kernel by name, to launch it with lists of arguments that are built at run time.
    ///
    /// # Errors
    /// [`Guard`](Error::Guard) for a kernel that cannot be guarded; [`InvalidArgument`](Error::InvalidArgument) for a kernel with
    /// more than 32 parameters; `CUDA_ERROR_NOT_FOUND` if there is no such kernel.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: impl Text) -> Result<GuardedFunction> {
        let name = name.with_nul(name!(cuModuleGetFunction))?;
        let Found { guarded, entry, guard } = self.find(&name)?;
        let parameters = guarded.parameters();
        if parameters.len() > 32 {
            let reason = "a guarded kernel has at most 32 parameters: pass a struct by value for some of them";
            return Err(Error::InvalidArgument {
                call: name!(cuModuleGetFunction),
                reason: reason.into(),
            });
        }
        let layout = laid_out(parameters.iter().map(|one| (one.size, one.align)));
        let uses = parameters.iter().enumerate().map(|(index, one)| Use {
            param: entry.params.get(index).cloned(),
            reads: one.reads,
            writes: one.writes,
            texture: one.texture,
            surface: one.surface,
            extents: one.extents,
            bounds: one.bounds,
        });
        let function = Function { inner: self.module.find(&name)?.inner, _brand: Brand::new() };
        let uses = uses.collect();
        Ok(GuardedFunction::new(function, guard, layout, uses))
    }

    /// Finds a kernel in the text. The driver is asked only for one that is not there, and then says so.
    fn find(&self, with_nul: &CStr) -> Result<Found<'_>> {
        let name = with_nul.to_string_lossy();
        if let Some(refused) = self.refused.iter().find(|one| one.kernel() == Some(&name)) {
            return Err(Error::Guard(Box::new(refused.clone())));
        }
        let found =
            self.code.kernel(&name).zip(self.entries.iter().find(|entry| entry.name == name));
        let Some(((guarded, tag), entry)) = found else {
            self.module.find(with_nul)?;
            let reason = format!("the text has no guarded kernel of this name, `{name}`");
            return Err(Error::InvalidArgument {
                call: name!(cuModuleGetFunction),
                reason: reason.into(),
            });
        };
        // No more than 32 are launched.
        let bit = |index: usize| 1_u32.checked_shl(index as u32).unwrap_or_default();
        let with_extents = guarded
            .parameters()
            .iter()
            .filter(|one| one.extents)
            .fold(0, |all, one| all | bit(one.index));
        let bounds = guarded.parameters().iter().map(|one| one.bounds).collect();
        let guard =
            Guard { board: self.code.board().clone(), with_extents, tag, bounds, quick: true };
        Ok(Found { guarded, entry, guard })
    }

    /// Returns the kernels that cannot be guarded, with the reasons.
    #[must_use]
    pub fn refused(&self) -> &[GuardError] {
        &self.refused
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.module.context()
    }
}

impl fmt::Debug for GuardedModule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedModule").field(&self.module).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{DriverError, LoadError};

    /// What a refusal says of its reason.
    fn reason(log: &str, known: Option<&str>) -> Option<String> {
        let driver = DriverError::new(LOAD, ffi::CUDA_ERROR_INVALID_PTX);
        let text = b".version 7.0\n  frob;\n";
        let load =
            LoadError::new(driver, log.to_owned(), Some(text)).because(known.map(Into::into));
        let told = of_the_guarded_text(Error::Load(Box::new(load)));
        let Error::Load(load) = told else { panic!("it is the same error") };
        load.reason().map(Into::into)
    }

    #[test]
    fn a_refusal_that_names_a_line_says_that_it_is_one_of_the_guarded_text() {
        let line = "ptxas application ptx input, line 2; error   : Not a name: 'frob'";
        let said = reason(line, None).unwrap();
        assert!(said.starts_with("the log's lines are those of the guarded text"), "{said}");
        assert_eq!(reason(line, Some("known")).as_deref(), Some("known"));
        assert_eq!(reason("no line", Some("known")).as_deref(), Some("known"));
        assert_eq!(reason("no line", None), None);
    }
}
