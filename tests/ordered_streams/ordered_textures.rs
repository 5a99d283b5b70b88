//! Textures that ordered streams read.

use crate::common::gpu::{kernel, new_context, try_with_gpu, uploaded};
use crate::common::kernels::SPIN;
use crate::common::longer;
use crate::{common, fresh, skip};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling, SharedTexture};
use cuscope::*;
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::sync::Mutex;
use std::time::Duration;

/// `fetch(image, out)`: fetches the texel of an array at each thread's index; `fetch_linear` that of linear memory, which
/// alone takes an index.
const FETCH: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry fetch(.param .u64 image, .param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<2>;
    .reg .f32 %f<6>;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f5, %r1;
    add.f32 %f5, %f5, 0f3f000000;
    tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd3, %rd2, %rd3;
    st.global.f32 [%rd3], %f1;
    ret;
}
.visible .entry fetch_linear(.param .u64 image, .param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<2>;
    .reg .f32 %f<5>;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd3, %rd2, %rd3;
    st.global.f32 [%rd3], %f1;
    ret;
}
";

const LEN: usize = 4;
const TEXELS: [f32; LEN] = [1., 2., 3., 4.];
const LONG: Duration = longer(Duration::from_millis(50));

/// A texture of an array with `TEXELS`.
fn table<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<SharedTexture> {
    let stream = gpu.stream()?;
    let mut array = gpu.alloc_array(ArrayShape::D1 { width: LEN }, ArrayFlags::empty())?;
    gpu.on(&stream).upload(&TEXELS, &mut array)?;
    Ok(gpu.texture(array, Sampling::default())?.share())
}

/// A texture of a surface of such an array.
fn of_surface<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<SharedTexture> {
    let stream = gpu.stream()?;
    let array = gpu.alloc_array(ArrayShape::D1 { width: LEN }, ArrayFlags::SURFACE)?;
    let mut texture = gpu.texture(gpu.surface(array)?, Sampling::default())?;
    gpu.on(&stream).upload(&TEXELS, &mut texture)?;
    Ok(texture.share())
}

/// Keeps a stream busy.
#[allow(unsafe_code, reason = "launches a kernel")]
fn spin<'ctx>(ordered: &OrderedStream, kernel: &Function<'ctx>) -> Result {
    let args = (LONG.as_nanos() as u64,);
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }
}

/// Starts to fetch all texels.
#[allow(unsafe_code, reason = "launches a kernel")]
fn fetch<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    table: &SharedTexture,
) -> Result<OrderedBuffer<f32>> {
    let mut out = ordered.zeroed(LEN)?;
    // SAFETY: the kernel writes one element for each of its LEN threads, and fetches from the texture.
    unsafe {
        ordered.launch_unchecked(kernel, LaunchConfig::new(1, LEN as u32), (table, &mut out))
    }?;
    Ok(out)
}

#[test]
fn several_streams_read_a_texture_that_is_dropped_at_once() {
    try_with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let module = gpu.load_ptx(FETCH)?;
        let streams = [gpu.ordered_stream()?, gpu.ordered_stream()?];
        // Any memory that the texture owns.
        let linear =
            gpu.texture(uploaded(gpu, &gpu.stream()?, &TEXELS), Sampling::default())?.share();
        let tables =
            [("fetch", table(gpu)?), ("fetch", of_surface(gpu)?), ("fetch_linear", linear)];
        for (name, table) in tables {
            let fetcher = module.function(name)?;
            let mut outs = Vec::new();
            for stream in &streams {
                spin(stream, &spinner)?;
                outs.push(fetch(stream, &fetcher, &table.clone())?);
            }
            drop(table);
            // Memory that takes its place would be read in its stead.
            let _other =
                gpu.alloc_array::<f32>(ArrayShape::D1 { width: LEN }, ArrayFlags::empty())?;
            for (stream, out) in streams.iter().zip(&outs) {
                assert_eq!(stream.to_vec(out)?, TEXELS);
            }
        }
        Ok(())
    });
}

#[test]
fn a_shared_texture_is_stored_and_sent() {
    try_with_gpu(|gpu| {
        let fetcher = gpu.load_ptx(FETCH)?.function("fetch")?;
        let stored = table(gpu)?;
        let table = std::thread::spawn(move || stored).join().unwrap();
        assert!(table.raw() != 0 && table.raw() == table.clone().raw());
        let ordered = gpu.ordered_stream()?;
        let out = fetch(&ordered, &fetcher, &table)?;
        assert_eq!(ordered.to_vec(&out)?, TEXELS);
        assert_eq!(table.context(), gpu.context());
        assert!(format!("{table:?}").starts_with("SharedTexture(0x"));
        Ok(())
    });
}

#[test]
fn a_shared_texture_of_another_context_is_refused() {
    try_with_gpu(|gpu| {
        let other = new_context();
        let inner = gpu.push(&other)?;
        let elsewhere = table(&inner)?;
        inner.pop()?;
        let fetcher = gpu.load_ptx(FETCH)?.function("fetch")?;
        let refused = fetch(&gpu.ordered_stream()?, &fetcher, &elsewhere);
        assert!(matches!(refused.unwrap_err(), Error::OtherStream { .. }));
        Ok(())
    });
}

/// What reads it is waited for, wherever that is.
#[test]
fn a_shared_texture_that_ends_on_a_thread_of_the_driver_is_waited_for_later() {
    if !common::software() {
        skip!("only the software driver tells its calls");
    }
    fresh!(a_shared_texture_that_ends_on_a_thread_of_the_driver_is_waited_for_later, {
        try_with_gpu(|gpu| {
            let fetcher = gpu.load_ptx(FETCH)?.function("fetch")?;
            let (reader, other) = (gpu.ordered_stream()?, gpu.ordered_stream()?);
            let table = table(gpu)?;
            let out = fetch(&reader, &fetcher, &table)?;
            other.host_function(move || drop(table))?;
            other.synchronize()?;
            let (_, calls) = record(|| ContextStack::reentrant(|_| Ok(())).unwrap());
            let at = |name| calls.iter().position(|call| *call == name).expect(name);
            assert!(at("cuStreamSynchronize") < at("cuTexObjectDestroy"), "{calls:?}");
            assert_eq!(reader.to_vec(&out)?, TEXELS);
            Ok(())
        });
    });
}

/// The errors of releases.
static REPORTED: Mutex<Vec<Option<&'static str>>> = Mutex::new(Vec::new());

#[test]
fn a_shared_texture_whose_readers_cannot_be_waited_for_leaks() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_shared_texture_whose_readers_cannot_be_waited_for_leaks, {
        on_release_error(|error| REPORTED.lock().unwrap().push(error.call()));
        try_with_gpu(|gpu| {
            let fetcher = gpu.load_ptx(FETCH)?.function("fetch")?;
            let ordered = gpu.ordered_stream()?;
            for (fails, expected) in [
                (false, &["cuStreamSynchronize", "cuTexObjectDestroy", "cuArrayDestroy"][..]),
                (true, &["cuStreamSynchronize"; 2]),
            ] {
                let table = table(gpu)?;
                let out = fetch(&ordered, &fetcher, &table)?;
                let fault = Fault {
                    which: Which::Named(if fails { "cuStreamSynchronize" } else { "none" }),
                    code: ffi::CUDA_ERROR_OUT_OF_MEMORY,
                    performed: false,
                };
                let (_, calls) = record(|| with_fault(fault, || drop(table)));
                let calls: Vec<_> = calls
                    .into_iter()
                    .filter(|call| !call.contains("Ctx") && !call.contains("CaptureMode"))
                    .collect();
                assert_eq!(calls, expected);
                let reported = std::mem::take(&mut *REPORTED.lock().unwrap());
                assert_eq!(reported.contains(&Some("cuStreamSynchronize")), fails, "{reported:?}");
                assert_eq!(ordered.to_vec(&out)?, TEXELS);
            }
            Ok(())
        });
    });
}
