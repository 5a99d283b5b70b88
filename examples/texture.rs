//! An image that is magnified by a texture's linear filter, and checked against the same on the CPU.
//! `cargo run --example texture`
#![forbid(unsafe_code)]

use cuscope::kernel::TextureObject;
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

/// `magnify(image, out, factor)`: a pixel for each thread, at its coordinates times the factor.
const MAGNIFY: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry magnify(.param .u64 image, .param .u64 out, .param .f32 factor)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<7>;
    .reg .f32 %f<8>;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [out];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    cvt.rn.f32.u32 %f2, %r1;
    cvt.rn.f32.u32 %f3, %r2;
    add.f32 %f2, %f2, 0f3F000000;
    add.f32 %f3, %f3, 0f3F000000;
    mul.f32 %f2, %f2, %f1;
    mul.f32 %f3, %f3, %f1;
    tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f3}];
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.f32 [%rd4], %f4;
    ret;
}
";

const SIDE: usize = 16;
const FACTOR: usize = 4;
const LARGE: usize = SIDE * FACTOR;

/// A pixel of the image, clamped at its edges.
fn pixel(image: &[u8], x: i32, y: i32) -> f32 {
    let inside = |at: i32| at.clamp(0, SIDE as i32 - 1) as usize;
    f32::from(image[inside(y) * SIDE + inside(x)]) / 255.0
}

/// The four pixels around a place, weighted.
fn filtered(image: &[u8], x: f32, y: f32) -> f32 {
    let (x, y) = (x - 0.5, y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let (right, down) = (x - left, y - top);
    let at = |dx, dy| pixel(image, left as i32 + dx, top as i32 + dy);
    let above = at(0, 0) * (1.0 - right) + at(1, 0) * right;
    let below = at(0, 1) * (1.0 - right) + at(1, 1) * right;
    above * (1.0 - down) + below * down
}

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let module = gpu.load_guarded(MAGNIFY)?;
    let magnify = module.kernel::<(TextureObject, &mut [f32], f32)>("magnify")?;

    // Bytes, which the texture reads as numbers from 0 to 1.
    let image: Vec<u8> = (0..SIDE * SIDE).map(|i| (i * 37 % 251) as u8).collect();
    let mut array =
        gpu.alloc_array::<u8>(ArrayShape::D2 { width: SIDE, height: SIDE }, ArrayFlags::empty())?;
    gpu.on(&stream).upload(&image, &mut array)?;
    let texture = gpu.texture(array, Sampling::default().linear())?;

    let mut out = gpu.alloc::<f32>(LARGE * LARGE)?;
    let config = LaunchConfig::new(LARGE as u32, LARGE as u32);
    let factor = 1.0 / FACTOR as f32;
    gpu.on(&stream).launch(&magnify, config, (&texture, &mut out, factor))?;

    let out = gpu.on(&stream).to_vec(&out)?;
    let mut worst = 0.0_f32;
    for (i, value) in out.iter().enumerate() {
        let place = |at: usize| (at as f32 + 0.5) * factor;
        let expected = filtered(&image, place(i % LARGE), place(i / LARGE));
        worst = worst.max((value - expected).abs());
    }
    println!("{LARGE} x {LARGE} pixels, at most {worst:e} from those of the CPU");
    // The weights of the texture unit have steps of 1/256.
    assert!(worst <= 2.0 / 256.0);
    Ok(())
}
