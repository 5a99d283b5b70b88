//! The frames.
#![allow(unsafe_code, reason = "calls OpenGL, and shares its buffer")]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "each function of OpenGL is unsafe, and all of them want the same: that its context is current"
)]

use crate::headless::Headless;
use cuscope::graphics::{GlDevices, Usage, gl_devices};
use cuscope::{Context, ContextStack, Device, LaunchConfig, driver_kind, driver_version};
use glow::HasContext;
use std::error::Error;

/// Points, with two coordinates each.
const POINTS: usize = 48;
const FRAMES: usize = 100;
/// The extent of the picture.
const SIZE: usize = 24;

const VERTEX: &str = "#version 330 core
layout(location = 0) in vec2 at;
void main() { gl_Position = vec4(at, 0.0, 1.0); }";
const FRAGMENT: &str = "#version 330 core
out vec4 color;
void main() { color = vec4(1.0); }";

pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    if driver_kind() == "software" {
        println!("skipped: no OpenGL shares its memory with the software driver");
        return Ok(());
    }
    let headless = match Headless::new() {
        Ok(headless) => headless,
        Err(why) => {
            println!("skipped: {why}");
            return Ok(());
        }
    };
    let device =
        gl_devices(GlDevices::All)?.first().copied().ok_or("OpenGL uses no GPU of CUDA")?;
    let gl = &headless.gl;
    // SAFETY: the context is current.
    println!("OpenGL: {}", unsafe { gl.get_parameter_string(glow::RENDERER) });
    let buffer = points(gl)?;

    let context = Context::primary(device)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.ordered_stream()?;
    let module = gpu.load_guarded(include_str!("../../../../kernels/saxpy.ptx"))?;
    let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
    // SAFETY: 1. The context of OpenGL is dropped last. 2. OpenGL draws between the mappings. 3. The buffer is
    // registered once. 4. It is read and written.
    let shared = unsafe { gpu.register_gl_buffer(buffer.0.get(), Usage::ReadWrite) }?;

    // Each point leaves the middle in its own direction.
    let directions: Vec<f32> = (0..POINTS)
        .map(|point| point as f32 / POINTS as f32 * std::f32::consts::TAU)
        .flat_map(|angle| [angle.cos(), angle.sin()])
        .collect();
    let speed = stream.from_slice(&directions)?;
    let (n, step) = (2 * POINTS as u32, 0.8 / FRAMES as f32);
    for _ in 0..FRAMES {
        let mut at = stream.map_buffer::<f32>(&shared)?;
        let config = LaunchConfig::for_num_elems(n as usize)?;
        stream.launch(&saxpy, config, (n, step, &speed, &mut at))?;
        drop(at);
        // SAFETY: the context is current, and the buffer is not mapped.
        unsafe {
            gl.clear(glow::COLOR_BUFFER_BIT);
            gl.draw_arrays(glow::POINTS, 0, POINTS as i32);
        }
    }

    let mut pixels = vec![0_u8; 4 * SIZE * SIZE];
    let (side, to) = (SIZE as i32, glow::PixelPackData::Slice(Some(&mut pixels)));
    // SAFETY: the context is current, and the pixels are as many.
    unsafe { gl.read_pixels(0, 0, side, side, glow::RGBA, glow::UNSIGNED_BYTE, to) };
    let lit: Vec<bool> = pixels.chunks(4).map(|pixel| pixel[0] > 0).collect();
    for row in lit.chunks(SIZE) {
        println!("{}", row.iter().map(|&lit| if lit { "##" } else { "  " }).collect::<String>());
    }
    // The ring has a radius of 0.8 of half the picture.
    for [x, y] in directions.chunks(2).map(|at| [at[0], at[1]]) {
        let pixel = |at: f32| ((0.8 * at + 1.0) / 2.0 * SIZE as f32) as usize;
        let near = |at: usize| at.saturating_sub(1)..=(at + 1).min(SIZE - 1);
        let found = near(pixel(y)).any(|y| near(pixel(x)).any(|x| lit[y * SIZE + x]));
        assert!(found, "there is a point near {x}, {y}");
    }
    assert!(!lit[SIZE / 2 * SIZE + SIZE / 2], "they have left the middle");
    println!("{FRAMES} frames, and every point is where it should be");
    Ok(())
}

/// Makes what draws the points, and their buffer, which holds zeros.
fn points(gl: &glow::Context) -> Result<glow::NativeBuffer, String> {
    // SAFETY: the context is current, and all that is used was made in it.
    unsafe {
        let picture = gl.create_renderbuffer()?;
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(picture));
        gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, SIZE as i32, SIZE as i32);
        let target = gl.create_framebuffer()?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target));
        let (to, kind) = (glow::COLOR_ATTACHMENT0, glow::RENDERBUFFER);
        gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, to, kind, Some(picture));
        gl.viewport(0, 0, SIZE as i32, SIZE as i32);
        let program = gl.create_program()?;
        for (kind, source) in [(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, FRAGMENT)] {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(gl.get_program_info_log(program));
        }
        gl.use_program(Some(program));
        let buffer = gl.create_buffer()?;
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
        let zeros = [0; POINTS * 2 * size_of::<f32>()];
        gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &zeros, glow::DYNAMIC_DRAW);
        let points = gl.create_vertex_array()?;
        gl.bind_vertex_array(Some(points));
        gl.vertex_attrib_pointer_f32(0, 2, glow::FLOAT, false, 0, 0);
        gl.enable_vertex_attrib_array(0);
        Ok(buffer)
    }
}
