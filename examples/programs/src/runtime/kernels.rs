//! Kernels, which are compiled when they are first asked for.

use cuscope::kernel::GuardedFunction;
use cuscope::{Context, Detached, Function, PushedGuard, Result};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The source of a kernel: what it is known by, its name, and its text. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    name: Arc<str>,
    text: Text,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Text {
    /// PTX, which the driver compiles.
    Ptx(Arc<str>),
    /// CUDA C++, which NVRTC compiles.
    #[cfg(feature = "nvrtc")]
    Cuda(Arc<str>),
}

impl Source {
    /// A kernel in PTX.
    pub fn ptx(name: &str, text: impl Into<Arc<str>>) -> Source {
        Source { name: name.into(), text: Text::Ptx(text.into()) }
    }

    /// A kernel in CUDA C++, with C linkage.
    #[cfg(feature = "nvrtc")]
    pub fn cuda(name: &str, text: impl Into<Arc<str>>) -> Source {
        Source { name: name.into(), text: Text::Cuda(text.into()) }
    }

    /// A kernel that is written for an operation of the run: `name(out, x, y, n)` with `out[i] = x[i] op y[i]`, where `op`
    /// is an instruction of PTX for `f32`, such as `add` or `max`.
    #[must_use]
    pub fn binary(op: &str) -> Source {
        let name = format!("binary_{op}");
        let text = format!(
            ".version 7.0\n.target sm_52\n.address_size 64\n\
             .visible .entry {name}(.param .u64 out, .param .u64 x, .param .u64 y, .param .u32 n)\n{{\n\
             .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>;\n\
             mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n\
             mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];\n\
             setp.ge.u32 %p1, %r4, %r5; @%p1 bra $end;\n\
             ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [y];\n\
             cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;\n\
             mul.wide.u32 %rd4, %r4, 4;\n\
             add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;\n\
             ld.global.f32 %f1, [%rd6]; ld.global.f32 %f2, [%rd7];\n\
             {op}.f32 %f3, %f1, %f2;\n\
             st.global.f32 [%rd5], %f3;\n$end:\nret;\n}}\n"
        );
        Source::ptx(&name, text)
    }

    /// Compiles and loads it without a guard.
    pub(crate) fn load_in(&self, context: &Context) -> Result<Function<'static>> {
        let module = match &self.text {
            Text::Ptx(text) => context.load_ptx(&**text)?,
            #[cfg(feature = "nvrtc")]
            Text::Cuda(text) => {
                context.load(&cuscope::nvrtc::compile_ptx(text, context.device())?)?
            }
        };
        module.function(&*self.name)
    }

    /// Compiles and loads it with a guard.
    pub(crate) fn load_guarded(&self, context: &Context) -> Result<GuardedFunction> {
        let module = match &self.text {
            Text::Ptx(text) => context.load_guarded(&**text)?,
            #[cfg(feature = "nvrtc")]
            Text::Cuda(text) => {
                context.load_guarded_image(&cuscope::nvrtc::compile_ptx(text, context.device())?)?
            }
        };
        module.function(&*self.name)
    }

    /// Compiles and loads it.
    pub(crate) fn load<'ctx>(&self, gpu: &PushedGuard<'ctx>) -> Result<Function<'ctx>> {
        let module = match &self.text {
            Text::Ptx(text) => gpu.load_ptx(&**text)?,
            #[cfg(feature = "nvrtc")]
            Text::Cuda(text) => gpu.load(&cuscope::nvrtc::compile_ptx(text, gpu.device())?)?,
        };
        module.function(&*self.name)
    }
}

/// The kernels of a device. One that is known is found without a driver call.
#[derive(Default)]
pub(crate) struct Kernels(HashMap<Source, Detached<Function<'static>>>);

impl Kernels {
    pub(crate) fn get(
        &mut self,
        gpu: &PushedGuard<'_>,
        source: &Source,
    ) -> Result<&Detached<Function<'static>>> {
        // Text is compared, and copied only for a new one.
        Ok(match self.0.entry(source.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(source.load(gpu)?.detach()),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
