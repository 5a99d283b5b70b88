//! cuscope and cudarc in one process, which works only if both use one driver: each works on streams and memory of the
//! other, and a program of cudarc has a part in cuscope.

use cudarc::driver::sys;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut};
use cuscope::{
    Context, ContextStack, Detached, Device, Event, Function, LaunchConfig, PushedGuard, Stream,
    stack::OwnedGuard,
};
use std::error::Error;
use std::ffi::c_void;
use std::sync::Arc;

/// `scale(x, factor, n)`.
const SCALE: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra $end;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    ld.param.f32 %f2, [factor];
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%rd3], %f3;
$end:
    ret;
}
";

/// cuscope works on a stream and on memory of cudarc.
fn ours_on_theirs(gpu: &PushedGuard<'_>, theirs: &Arc<CudaContext>) -> Result<(), Box<dyn Error>> {
    let stream = theirs.new_stream()?;
    let mut x = stream.clone_htod(&[1.0_f32; 64])?;
    // SAFETY: the stream lives as long as the value that is kept, and nothing captures it.
    let ours = unsafe { gpu.stream_from_raw(stream.cu_stream().cast(), stream.clone()) }?;
    let len = x.len();
    let (address, used) = x.device_ptr_mut(&stream);
    // SAFETY: `x` lives longer than the buffer, and is not used meanwhile.
    let mut y = unsafe { gpu.buffer_from_raw::<f32>(address, len, ()) }?;
    gpu.on(&ours).fill(&mut y.slice_mut(..32)?, 2.0)?;
    drop((y, ours, used));
    let host = stream.clone_dtoh(&x)?;
    assert_eq!((host[31], host[32]), (2.0, 1.0));
    println!("cudarc reads what cuscope wrote");
    Ok(())
}

/// cudarc works on a stream and on memory of cuscope.
fn theirs_on_ours(gpu: &PushedGuard<'_>, theirs: &Arc<CudaContext>) -> Result<(), Box<dyn Error>> {
    let ours = gpu.stream()?;
    let x = gpu.on(&ours).from_slice(&[3.0_f32; 64])?;
    // SAFETY: the stream is of this context, and lives longer than the value.
    let stream = unsafe { theirs.wrap_borrowed_stream(ours.raw().cast()) };
    // SAFETY: memory of so many numbers. It is leaked below, so that its owner frees it.
    let mut slice: CudaSlice<f32> = unsafe { stream.upgrade_device_ptr(x.address(), x.len()) };
    stream.memcpy_htod(&[4.0_f32; 32], &mut slice.slice_mut(..32))?;
    stream.synchronize()?;
    let _address = slice.leak();
    let host = gpu.on(&ours).to_vec(&x)?;
    assert_eq!((host[31], host[32]), (4.0, 3.0));
    println!("cuscope reads what cudarc wrote");
    Ok(())
}

/// A program of cudarc: contexts, streams and memory are its own. One part of it is in cuscope.
struct Program {
    stream: Arc<CudaStream>,
    part: Part,
}

/// The part, which needs no lifetime of a guard.
struct Part {
    context: Context,
    scale: Detached<Function<'static>>,
    /// Their stream, as a handle of this crate.
    stream: Detached<Stream<'static>>,
}

/// A command of the part in flight. Its context is current until it is dropped.
struct Command<'p> {
    part: &'p Part,
    gpu: OwnedGuard,
}

impl Part {
    fn new(stream: &Arc<CudaStream>) -> cuscope::Result<Part> {
        let context = Context::primary(Device::get(0)?)?;
        let (scale, stream) = context.with(|gpu| {
            let scale = gpu.load_ptx(SCALE)?.function("scale")?.detach();
            // SAFETY: the stream lives as long as the value that is kept, and nothing captures it.
            let ours = unsafe { gpu.stream_from_raw(stream.cu_stream().cast(), stream.clone()) }?;
            Ok((scale, ours.detach()))
        })?;
        Ok(Part { context, scale, stream })
    }

    fn command(&self) -> cuscope::Result<Command<'_>> {
        Ok(Command { part: self, gpu: self.context.push_owned()? })
    }
}

impl Command<'_> {
    /// Scales memory of cudarc in its own stream, and does not wait.
    fn scale(&mut self, x: sys::CUdeviceptr, len: usize, factor: f32) -> cuscope::Result<()> {
        let Part { scale, stream, .. } = self.part;
        self.gpu.with(|gpu| {
            let (scale, stream) = (gpu.bind(scale)?, gpu.bind(stream)?);
            let mut list = scale.arguments()?;
            // SAFETY: 1. and 2. The caller's slice lives, and all its uses are in this stream.
            list.push(unsafe { gpu.device_range::<f32>(x, len) }?)?.push(factor)?.push(len as u32)?;
            let config = LaunchConfig::for_num_elems(len)?;
            // SAFETY: the kernel is scale(float *, float, unsigned), and stays inside the memory.
            unsafe { gpu.on(stream).launch_unscoped(scale, config, list) }?;
            // The same by pointers to the values, as cudarc's own launches have them.
            let (mut x, mut factor, mut n) = (x, factor, len as u32);
            let mut pointers: [*mut c_void; 3] =
                [(&raw mut x).cast(), (&raw mut factor).cast(), (&raw mut n).cast()];
            // SAFETY: 1. to 3. As above.
            unsafe { gpu.on(stream).launch_raw(scale, config, &mut pointers) }
        })
    }
}

impl Program {
    fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut x = self.stream.clone_htod(&[1.5_f32; 1000])?;
        let len = x.len();
        let (address, used) = x.device_ptr_mut(&self.stream);
        let mut command = self.part.command()?;
        command.scale(address, len, 2.0)?;
        drop(command);
        drop(used);
        assert_eq!(self.stream.clone_dtoh(&x)?, [6.0; 1000]);

        // Fences in both directions: an event of one is waited for in a stream of the other.
        let event: Event<'static> = self.part.context.event()?;
        // SAFETY: 1. The stream lives, and nothing captures it.
        unsafe { event.record_in(self.stream.cu_stream().cast()) }?;
        event.synchronize()?;
        let other = self.stream.context().new_stream()?;
        let wait = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both handles are alive and of one driver.
        unsafe { cudarc::driver::result::stream::wait_event(other.cu_stream(), event.raw().cast(), wait) }?;
        let theirs = other.record_event(None)?;
        let raw = theirs.cu_event().cast();
        self.part.context.with(|gpu| {
            // SAFETY: 1. to 3. The event lives as long as the value that is kept, and is of this context.
            let theirs = unsafe { gpu.event_from_raw(raw, theirs) }?;
            gpu.on(gpu.bind(&self.part.stream)?).wait(&theirs)
        })?;
        let (address, _used) = x.device_ptr(&self.stream);
        assert_ne!(address, 0);
        println!("a part in cuscope works in a program of cudarc");
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let theirs = CudaContext::new(0)?;
    // The primary context of the device is one for all who use the driver. That of another driver has the same number.
    let context = Context::primary(Device::get(0)?)?;
    println!("{} driver", cuscope::driver_kind());
    {
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        ours_on_theirs(&gpu, &theirs)?;
        theirs_on_ours(&gpu, &theirs)?;
        gpu.pop()?;
    }
    assert_eq!(context.raw().addr(), theirs.cu_ctx().addr());
    let stream = theirs.new_stream()?;
    Program { part: Part::new(&stream)?, stream }.run()
}
