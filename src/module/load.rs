//! Module loading.
#![allow(unsafe_code, reason = "calls the driver")]

use super::ModuleInner;
use crate::call::{answer, name};
use crate::context::Context;
use crate::error::Result;
use crate::image::{Cubin, Fatbin, Image, ImageKind, LOAD, Ptx, PtxContents};
use crate::jit::{JitLog, JitOptions, Request};
use crate::module::Module;
use crate::name::Text;
use crate::stack::PushedGuard;
use std::path::Path;
use std::{fmt, ptr};

/// A module, and the log of its compiler.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded<'ctx> {
    /// The module.
    pub module: Module<'ctx>,
    /// The log.
    pub log: JitLog,
}

/// The time at which kernel code is loaded to the device, which the variable `CUDA_MODULE_LOADING` sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadingMode {
    /// When the module is loaded.
    Eager,
    /// When a kernel is first used, or by [`Module::load_functions`].
    Lazy,
}

impl LoadingMode {
    /// Returns the loading mode of this process.
    ///
    /// # Errors
    /// [`UnknownValue`](crate::Error::UnknownValue); a driver error.
    #[doc(alias = "cuModuleGetLoadingMode")]
    #[inline]
    pub fn current() -> Result<LoadingMode> {
        crate::init()?;
        let mut mode = ffi::CUmoduleLoadingMode(0);
        // SAFETY: writes one value to `mode`, which is valid for it (null would be followed, F274).
        unsafe { answer!(cuModuleGetLoadingMode(&raw mut mode)) }.check()?;
        match mode {
            ffi::CU_MODULE_EAGER_LOADING => Ok(LoadingMode::Eager),
            ffi::CU_MODULE_LAZY_LOADING => Ok(LoadingMode::Lazy),
            other => Err(crate::Error::UnknownValue {
                call: name!(cuModuleGetLoadingMode),
                value: other.0,
            }),
        }
    }
}

impl fmt::Display for LoadingMode {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == LoadingMode::Eager { "eager" } else { "lazy" })
    }
}

/// # Modules
impl Context {
    /// Loads an image, as [`PushedGuard::load`] does, for [ordered streams](crate::OrderedStream). The context is current
    /// only while this runs.
    ///
    /// [`kernel`](Module::kernel) returns kernels that every stream of the context launches. A module that a guard loads
    /// has functions and variables for the operations under that guard.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with) and [`PushedGuard::load`].
    #[doc(alias = "cuModuleLoadDataEx")]
    #[doc(alias = "cuModuleLoadFatBinary")]
    #[doc(alias = "load_module")]
    pub fn load(&self, image: impl Image) -> Result<Module<'static>> {
        self.with(|gpu| Ok(gpu.load(image)?.unguarded()))
    }

    /// Compiles PTX text for the device of the context and loads it: [`load`](Self::load) with [`Ptx::new`].
    ///
    /// # Errors
    /// The errors of [`Ptx::new`] and [`load`](Self::load).
    ///
    /// # Examples
    /// ```standalone_crate
    /// use cuscope::{Context, Device, In, Kernel, LaunchConfig, OrderedStream, Out, Result};
    ///
    /// struct Saxpy {
    ///     stream: OrderedStream,
    ///     kernel: Kernel<(u32, f32, In<f32>, Out<f32>)>,
    /// }
    ///
    /// # fn main() -> Result {
    /// let context = Context::primary(Device::get(0)?)?;
    /// let module = context.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?;
    /// let saxpy = Saxpy { stream: context.ordered_stream()?, kernel: module.kernel("saxpy")? };
    ///
    /// let x = saxpy.stream.from_slice(&[1.0_f32, 2.0])?;
    /// let mut y = saxpy.stream.from_slice(&[0.5_f32, 0.5])?;
    /// // SAFETY: the kernel uses the first 2 elements of `x` and `y`, and both have 2.
    /// unsafe { saxpy.stream.launch_unchecked(&saxpy.kernel, LaunchConfig::for_num_elems(2)?, (2, 10.0, &x, &mut y)) }?;
    /// assert_eq!(saxpy.stream.to_vec(&y)?, [10.5, 20.5]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuModuleLoadData")]
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_ptx(&self, ptx: impl Text) -> Result<Module<'static>> {
        self.load(&Ptx::new(ptx)?)
    }
}

/// # Modules
impl<'ctx> PushedGuard<'ctx> {
    /// Loads an image: PTX, which is compiled for this device, a cubin or a fatbin.
    ///
    /// Waits for all work of the context ([F50](crate::driver_facts#F50)).
    ///
    /// # Errors
    /// [`Error::Load`](crate::Error::Load) with the compiler's log and the line of PTX that it names:
    /// `CUDA_ERROR_INVALID_PTX`, `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`, or `CUDA_ERROR_NO_BINARY_FOR_GPU` for
    /// machine code of another architecture ([F63](crate::driver_facts#F63), [F281](crate::driver_facts#F281)).
    /// [`NotCurrent`](crate::Error::NotCurrent).
    ///
    /// # Examples
    /// ```standalone_crate
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, Ptx};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let ptx = Ptx::new(include_str!("../../examples/kernels/saxpy.ptx"))?;
    /// let saxpy = gpu.load(&ptx)?.function("saxpy")?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuModuleLoadDataEx")]
    #[doc(alias = "cuModuleLoadFatBinary")]
    pub fn load(&self, image: impl Image) -> Result<Module<'ctx>> {
        Ok(self.load_with(image, &JitOptions::new())?.module)
    }

    /// Loads an image with compiler options, and returns the compiler's log too. See [`load`](Self::load).
    ///
    /// # Errors
    /// The errors of [`load`](Self::load); `CUDA_ERROR_INVALID_VALUE` for an option that the driver does not
    /// support; [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an option that would make it
    /// divide by zero.
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_with(&self, image: impl Image, options: &JitOptions) -> Result<Loaded<'ctx>> {
        let mut request = Request::new(LOAD, options)?;
        let ptx = (image.kind() == ImageKind::Ptx).then(|| image.bytes().get());
        self.enter(LOAD)?;
        // SAFETY: PTX is text that ends in NUL, without that of which the compiler is known to die (F293); machine
        // code has what compilers write, and lies whole in the image, which has zeros behind it (F113). What was
        // made to deceive these checks is a known hole of SOUNDNESS.md.
        let module = unsafe { self.load_raw(image.bytes().get().as_ptr(), &mut request, ptx) }?;
        Ok(Loaded { module, log: request.log() })
    }

    /// Loads an image of any kind that the driver supports, without checking it.
    ///
    /// # Errors
    /// The errors of [`load_with`](Self::load_with).
    ///
    /// # Safety
    /// 1. `image` begins an image that the driver can load: PTX that ends in NUL, a whole cubin, or a whole
    ///    fatbin, each as a compiler wrote it. At least 128 bytes can be read
    ///    ([F113](crate::driver_facts#F113)). The driver checks little of its structure, and follows the
    ///    offsets that it finds there ([F290](crate::driver_facts#F290)).
    #[doc(alias = "cuModuleLoadData")]
    #[inline]
    pub unsafe fn load_unchecked(
        &self,
        image: *const u8,
        options: &JitOptions,
    ) -> Result<Loaded<'ctx>> {
        let mut request = Request::new(LOAD, options)?;
        self.enter(LOAD)?;
        // SAFETY: the caller's obligation 1.
        let module = unsafe { self.load_raw(image, &mut request, None) }?;
        Ok(Loaded { module, log: request.log() })
    }

    /// # Safety
    /// 1. As [`load_unchecked`](Self::load_unchecked); the guard was entered.
    #[inline]
    unsafe fn load_raw(
        &self,
        image: *const u8,
        request: &mut Request,
        ptx: Option<&[u8]>,
    ) -> Result<Module<'ctx>> {
        let (count, options, values) = request.parts();
        let mut raw = ptr::null_mut();
        // SAFETY: 1. `raw` is valid for one handle. 2. The image is one: the caller's obligation 1.
        // 3. `options` and `values` have `count` elements each, of the types that the options say, and live
        // in `request`. 4. The current context is the guard's: the caller called `enter`.
        unsafe { answer!(cuModuleLoadDataEx(&raw mut raw, image.cast(), count, options, values)) }
            .check()
            .map_err(|driver| request.not_loaded(driver, ptx, Some(self.device())))?;
        let contents = ptx.map(PtxContents::of).unwrap_or_default();
        Ok(Module::new(ModuleInner::new(raw, self.context().clone(), contents)))
    }

    /// Compiles PTX text for this device and loads it: [`load`](Self::load) with [`Ptx::new`].
    ///
    /// # Errors
    /// The errors of [`Ptx::new`] and [`load`](Self::load).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let module = gpu.load_ptx(
    ///     ".version 7.0 .target sm_52 .address_size 64 .visible .entry nothing() { ret; }",
    /// )?;
    /// let nothing = module.function("nothing")?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuModuleLoadData")]
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load_ptx(&self, ptx: impl Text) -> Result<Module<'ctx>> {
        self.load(&Ptx::new(ptx)?)
    }

    /// Reads a file of PTX text, compiles it for this device and loads it.
    ///
    /// # Errors
    /// The errors of [`Ptx::from_file`] and [`load`](Self::load).
    #[doc(alias = "cuModuleLoad")]
    pub fn load_ptx_file(&self, path: impl AsRef<Path>) -> Result<Module<'ctx>> {
        self.load(&Ptx::from_file(path)?)
    }

    /// Loads a cubin from memory: [`load`](Self::load) with [`Cubin::new`].
    ///
    /// # Errors
    /// The errors of [`Cubin::new`] and [`load`](Self::load).
    #[doc(alias = "cuModuleLoadData")]
    pub fn load_cubin(&self, cubin: impl AsRef<[u8]>) -> Result<Module<'ctx>> {
        self.load(&Cubin::new(cubin)?)
    }

    /// Loads a fatbin from memory: [`load`](Self::load) with [`Fatbin::new`].
    ///
    /// # Errors
    /// The errors of [`Fatbin::new`] and [`load`](Self::load).
    #[doc(alias = "cuModuleLoadFatBinary")]
    pub fn load_fatbin(&self, fatbin: impl AsRef<[u8]>) -> Result<Module<'ctx>> {
        self.load(&Fatbin::new(fatbin)?)
    }
}

impl Module<'_> {
    /// Loads the code of all kernels to the device now, instead of when each is first used.
    ///
    /// # Errors
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.4; a driver error.
    #[doc(alias = "cuFuncLoad")]
    #[inline]
    pub fn load_functions(&self) -> Result {
        self.functions()?.iter().try_for_each(|function| function.load())
    }
}
