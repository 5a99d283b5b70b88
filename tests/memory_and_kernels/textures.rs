//! Arrays, textures and surfaces.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{try_with_gpu, uploaded};
use crate::fresh;
use cuscope::kernel::{SurfaceObject, TextureObject};
use cuscope::texture::*;
use cuscope::*;
use cuscope_softdriver::{control, schedule};

/// `fetch(image, at, out)`: fetches a texel of a plane for each pair of coordinates.
pub(crate) const FETCH: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry fetch(.param .u64 image, .param .u64 at, .param .u64 out)
{
    .reg .b64 %rd<6>;
    .reg .b32 %r<2>;
    .reg .f32 %f<7>;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [at];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 8;
    add.u64 %rd4, %rd2, %rd4;
    ld.global.f32 %f1, [%rd4];
    ld.global.f32 %f2, [%rd4+4];
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
    mul.wide.u32 %rd5, %r1, 4;
    add.u64 %rd5, %rd3, %rd5;
    st.global.f32 [%rd5], %f3;
    ret;
}
";

/// `add(image, value)`: adds to the texel of a plane of floats at the thread's coordinates.
pub(crate) const ADD: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry add(.param .u64 image, .param .f32 value)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<5>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [image];
    ld.param.f32 %f1, [value];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    shl.b32 %r3, %r1, 2;
    suld.b.2d.b32.trap %r4, [%rd1, {%r3, %r2}];
    mov.b32 %f2, %r4;
    add.f32 %f2, %f2, %f1;
    mov.b32 %r4, %f2;
    sust.b.2d.b32.trap [%rd1, {%r3, %r2}], %r4;
    ret;
}
";

pub(crate) const D2: ArrayShape = ArrayShape::D2 { width: 4, height: 3 };

fn counting(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32).collect()
}

/// The texels at some places of a texture.
fn fetched<'ctx, M: TextureMemory<'ctx>>(
    gpu: &PushedGuard<'ctx>,
    texture: &Texture<'ctx, M>,
    places: &[[f32; 2]],
) -> Result<Vec<f32>> {
    let stream = gpu.stream()?;
    let fetch = gpu.load_ptx(FETCH)?.function("fetch")?;
    let at = uploaded(gpu, &stream, places);
    let mut out = gpu.alloc::<f32>(places.len())?;
    let config = LaunchConfig::new(1, places.len() as u32);
    // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
    unsafe { gpu.on(&stream).launch_unchecked(&fetch, config, (texture, &at, &mut out)) }?;
    gpu.on(&stream).to_vec(&out)
}

#[test]
fn arrays_of_every_shape_are_copied_whole_and_in_part() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        for shape in [
            ArrayShape::D1 { width: 24 },
            ArrayShape::D2 { width: 6, height: 4 },
            ArrayShape::D3 { width: 2, height: 3, depth: 4 },
            ArrayShape::Layered1 { width: 8, layers: 3 },
            ArrayShape::Layered2 { width: 4, height: 3, layers: 2 },
            ArrayShape::Cubemap { width: 2 },
            ArrayShape::LayeredCubemap { width: 1, cubes: 4 },
        ] {
            let mut array = gpu.alloc_array::<f32>(shape, ArrayFlags::empty())?;
            assert_eq!((array.shape(), array.len()), (shape, 24));
            on.upload(&counting(24), &mut array)?;
            assert_eq!(on.to_vec(&array)?, counting(24));
            let mut other = gpu.alloc_array::<f32>(shape, ArrayFlags::empty())?;
            on.copy(&array, &mut other)?;
            let mut buffer = gpu.alloc::<f32>(24)?;
            on.copy(&other, &mut buffer)?;
            assert_eq!(on.to_vec(&buffer)?, counting(24));
        }
        let mut array =
            gpu.alloc_array(ArrayShape::D3 { width: 4, height: 3, depth: 2 }, ArrayFlags::empty())?;
        on.upload(&counting(24), &mut array)?;
        let part = array.part(1..3, 1.., 1..)?;
        assert_eq!(on.to_vec(&part)?, [17., 18., 21., 22.]);
        assert_eq!(on.to_vec(&part.part(1.., ..1, ..)?)?, [18.]);
        on.upload(&[-1.0_f32, -2.0], &mut array.part_mut(2.., 2.., ..1)?)?;
        assert_eq!(on.to_vec(&array)?[10..12], [-1., -2.]);
        // Between an array and rows that are a pitch apart.
        let mut rows = gpu.alloc_pitched::<f32>((4, 3))?;
        on.copy(&array.part(.., .., 1..)?, &mut rows)?;
        assert_eq!(on.to_vec(&rows)?, counting(24)[12..]);
        on.copy(&rows, &mut array.part_mut(.., .., ..1)?)?;
        assert_eq!(on.to_vec(&array)?[..12], counting(24)[12..]);
        Ok(())
    });
}

#[test]
fn every_texel_type_goes_there_and_back() {
    try_with_gpu(|gpu| {
        macro_rules! each {
            ($($texel:ty, $value:expr;)*) => { $({
                let stream = gpu.stream()?;
                let shape = ArrayShape::D1 { width: 2 };
                let mut array = gpu.alloc_array::<$texel>(shape, ArrayFlags::empty())?;
                gpu.on(&stream).upload(&[$value; 2], &mut array)?;
                assert_eq!(gpu.on(&stream).to_vec(&array)?, [$value; 2]);
            })* };
        }
        each! {
            u8, 1; i8, -2; u16, 3; i16, -4; u32, 5; i32, -6; f32, 7.5;
            [u8; 2], [1, 2]; [i16; 4], [1, -2, 3, -4]; [f32; 4], [0.5, 1.5, 2.5, 3.5];
            [half::f16; 2], [half::f16::ONE; 2];
        }
        Ok(())
    });
}

#[test]
fn textures_read_arrays_buffers_and_rows() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let mut array = gpu.alloc_array(D2, ArrayFlags::empty())?;
        gpu.on(&stream).upload(&counting(12), &mut array)?;
        let point = gpu.texture(&array, Sampling::default())?;
        assert_eq!(
            fetched(gpu, &point, &[[0.5, 0.5], [3.5, 2.5], [1.2, 1.9], [-5.0, 9.0]])?,
            [0., 11., 5., 8.]
        );
        let linear = gpu.texture(&array, Sampling::default().linear())?;
        assert_eq!(fetched(gpu, &linear, &[[1.0, 0.5], [0.5, 1.0], [2.25, 1.5]])?, [0.5, 2., 5.75]);
        let wrap = Sampling::default().normalized().edges(Edge::Wrap);
        let wrapped = gpu.texture(&array, wrap)?;
        assert_eq!(fetched(gpu, &wrapped, &[[1.125, 0.1], [-0.125, 0.1]])?, [0., 3.]);
        let border = Sampling::default().edges(Edge::Border).border([9.0; 4]);
        assert_eq!(fetched(gpu, &gpu.texture(&array, border)?, &[[4.5, 0.5]])?, [9.]);
        drop((point, linear, wrapped));
        // One that owns its array, which is written through it.
        let mut owner = gpu.texture(array, Sampling::default())?;
        gpu.on(&stream).upload(&[50.0], &mut owner.array_mut().part_mut(..1, ..1, ..)?)?;
        assert_eq!(fetched(gpu, &owner, &[[0.5, 0.5], [1.5, 0.5]])?, [50., 1.]);
        let array = owner.into_memory();
        assert_eq!(gpu.on(&stream).to_vec(&array)?[0], 50.);
        let mut rows = gpu.alloc_pitched::<f32>((4, 3))?;
        gpu.on(&stream).upload(&counting(12), &mut rows)?;
        assert_eq!(fetched(gpu, &gpu.texture(&rows, Sampling::default())?, &[[2.5, 1.5]])?, [6.]);
        // Bytes are read as numbers from 0 to 1.
        let mut bytes = gpu.alloc_array::<[u8; 4]>(D2, ArrayFlags::empty())?;
        gpu.on(&stream).upload(&[[255, 0, 0, 0]; 12], &mut bytes)?;
        let texture = gpu.texture(bytes, Sampling::default())?;
        assert_eq!(fetched(gpu, &texture, &[[0.5, 0.5]])?, [1.]);
        Ok(())
    });
}

#[test]
fn levels_are_written_one_by_one() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let shape = ArrayShape::D2 { width: 4, height: 4 };
        let mut levels = gpu.alloc_mipmapped_array::<f32>(shape, 3, ArrayFlags::SURFACE)?;
        assert_eq!(levels.levels(), 3);
        for (level, len) in [(0, 16), (1, 4), (2, 1)] {
            let mut one = levels.level_mut(level)?;
            assert_eq!(one.len(), len);
            gpu.on(&stream).upload(&vec![level as f32; len], &mut one)?;
        }
        assert_eq!(gpu.on(&stream).to_vec(&levels.level(1)?)?, [1.; 4]);
        let add = gpu.load_ptx(ADD)?.function("add")?;
        let mut surface = gpu.surface(levels.level_mut(1)?)?;
        let config = LaunchConfig::new(1, (2, 2));
        // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the level.
        unsafe { gpu.on(&stream).launch_unchecked(&add, config, (&mut surface, 0.5_f32)) }?;
        drop(surface);
        let level = gpu.texture(levels.level(1)?, Sampling::default())?;
        assert_eq!(fetched(gpu, &level, &[[0.5, 0.5]])?, [1.5]);
        drop(level);
        let all = gpu.texture(&levels, Sampling::default().normalized().levels(1.0, 2.0, 0.0))?;
        assert_eq!(fetched(gpu, &all, &[[0.5, 0.5]])?, [1.5]);
        assert!(matches!(levels.level(3), Err(Error::InvalidRange { end: 4, len: 3, .. })));
        Ok(())
    });
}

#[test]
fn surfaces_write_what_textures_read() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let module = gpu.load_ptx(ADD)?;
        let add = module.kernel::<(SurfaceObject, f32)>("add")?;
        let fetch = gpu.load_ptx(FETCH)?;
        let _typed = fetch.kernel::<(TextureObject, &[[f32; 2]], &mut [f32])>("fetch")?;
        let mut array = gpu.alloc_array(D2, ArrayFlags::SURFACE)?;
        gpu.on(&stream).upload(&counting(12), &mut array)?;
        let mut surface = gpu.surface(&mut array)?;
        let config = LaunchConfig::new(1, (4, 3));
        // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the array.
        unsafe { gpu.on(&stream).launch_unchecked(&add, config, (&mut surface, 100.0_f32)) }?;
        drop(surface);
        let texture = gpu.texture(&array, Sampling::default())?;
        assert_eq!(fetched(gpu, &texture, &[[0.5, 0.5], [3.5, 2.5]])?, [100., 111.]);
        Ok(())
    });
}

#[test]
fn scopes_copy_arrays_and_read_textures() {
    try_with_gpu(|gpu| {
        let (first, second) = (gpu.stream()?, gpu.stream()?);
        let fetch = gpu.load_ptx(FETCH)?.function("fetch")?;
        let mut array = gpu.alloc_array::<f32>(D2, ArrayFlags::empty())?;
        let mut other = gpu.alloc_array::<f32>(D2, ArrayFlags::empty())?;
        let (values, mut back) = (counting(12), vec![0.0; 12]);
        gpu.scope(|s| {
            let (mut one, mut two) = (s.hold(&mut array), s.hold(&mut other));
            s.on(&first).upload(&values, &mut one)?;
            s.on(&second).copy(&one, &mut two)?;
            s.on(&first).download(&two, &mut back)
        })?;
        assert_eq!(back, values);
        let texture = gpu.texture(&other, Sampling::default())?;
        let at = uploaded(gpu, &first, &[[1.5_f32, 1.5]]);
        let (mut a, mut b) = (gpu.alloc::<f32>(1)?, gpu.alloc::<f32>(1)?);
        gpu.scope(|s| {
            let config = LaunchConfig::new(1, 1);
            // SAFETY: the kernel reads a pair of coordinates and writes an element.
            unsafe { s.on(&first).launch_unchecked(&fetch, config, (&texture, &at, &mut a)) }?;
            // SAFETY: as above.
            unsafe { s.on(&second).launch_unchecked(&fetch, config, (&texture, &at, &mut b)) }
        })?;
        assert_eq!((gpu.on(&first).to_vec(&a)?, gpu.on(&first).to_vec(&b)?), (vec![5.], vec![5.]));
        Ok(())
    });
}

#[test]
fn graphs_keep_the_objects_that_they_use() {
    try_with_gpu(|gpu| {
        let (mut captured, stream) = (gpu.stream()?, gpu.stream()?);
        let fetch = gpu.load_ptx(FETCH)?.function("fetch")?;
        let mut array = gpu.alloc_array::<f32>(D2, ArrayFlags::empty())?;
        gpu.on(&stream).upload(&counting(12), &mut array)?;
        let mut source = uploaded(gpu, &stream, &[7.0_f32; 12]);
        let at = uploaded(gpu, &stream, &[[1.5_f32, 1.5]]);
        let mut out = gpu.alloc::<f32>(1)?;
        let config = LaunchConfig::new(1, 1);
        let texture = gpu.texture(&array, Sampling::default())?;
        let graph = gpu.capture(&mut captured, |c| {
            let mut out = c.hold(&mut out);
            // SAFETY: the kernel reads a pair of coordinates and writes an element.
            unsafe { c.stream().launch_unchecked(&fetch, config, (&texture, &at, &mut out)) }
        })?;
        drop(texture);
        gpu.on(&stream).replay(&graph, (&array, &at, &mut out))?;
        assert_eq!(gpu.on(&stream).to_vec(&out)?, [5.]);
        // A copy to the array, as a node; then the graph above reads what it wrote.
        let (fill, ()) = gpu.build_graph(|b| {
            let mut array = b.hold(&mut array);
            b.copy(&[], &source, &mut array).map(drop)
        })?;
        gpu.on(&stream).replay(&fill, (&source, &mut array))?;
        gpu.on(&stream).replay(&graph, (&array, &at, &mut out))?;
        assert_eq!(gpu.on(&stream).to_vec(&out)?, [7.]);
        gpu.on(&stream).fill(&mut source, 8.0)?;
        gpu.on(&stream).replay(&fill, (&source, &mut array))?;
        assert_eq!(gpu.on(&stream).to_vec(&array)?, [8.; 12]);
        let wrong = gpu.on(&stream).replay(&fill, (&source, &array));
        assert!(matches!(wrong, Err(Error::GraphBuffers { .. })));
        Ok(())
    });
}

#[test]
fn bad_input_is_an_error_that_says_what_to_do() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let none =
            gpu.alloc_array::<f32>(ArrayShape::D2 { width: 4, height: 0 }, ArrayFlags::empty());
        assert!(none.unwrap_err().to_string().contains("at least one element"));
        let huge = ArrayShape::D2 { width: 1 << 20, height: 4 };
        let huge = gpu.alloc_array::<f32>(huge, ArrayFlags::empty()).unwrap_err();
        assert_eq!(huge.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        let levels = gpu.alloc_mipmapped_array::<f32>(D2, 4, ArrayFlags::empty());
        assert!(levels.unwrap_err().to_string().contains("levels"));
        let mut array = gpu.alloc_array::<u32>(D2, ArrayFlags::empty())?;
        let on = gpu.on(&stream);
        assert!(matches!(on.upload(&[1; 3], &mut array), Err(Error::LengthMismatch { .. })));
        assert!(matches!(array.part(..9, .., ..), Err(Error::InvalidRange { .. })));
        let filled = on.fill(&mut array, 1_u32).unwrap_err().to_string();
        assert!(filled.contains("surface"), "{filled}");
        let filtered = gpu.texture(&array, Sampling::default().linear()).unwrap_err().to_string();
        assert!(filtered.contains("no filter of integers"), "{filtered}");
        let part = gpu.texture(array.part(1.., .., ..)?, Sampling::default()).unwrap_err();
        assert!(part.to_string().contains("whole"), "{part}");
        let empty = gpu.alloc::<f32>(0)?;
        let empty = gpu.texture(&empty, Sampling::default()).unwrap_err().to_string();
        assert!(empty.contains("not empty"), "{empty}");
        let planes = gpu.alloc_pitched::<f32>((4, 3, 2))?;
        let planes = gpu.texture(&planes, Sampling::default()).unwrap_err().to_string();
        assert!(planes.contains("one plane"), "{planes}");
        let huge = ArrayShape::D3 { width: usize::MAX, height: 2, depth: 2 };
        let huge = gpu.alloc_array::<f32>(huge, ArrayFlags::empty()).unwrap_err().to_string();
        assert!(huge.contains("address space"), "{huge}");
        let surface = gpu.surface(&mut array).unwrap_err().to_string();
        assert!(surface.contains("ArrayFlags::SURFACE"), "{surface}");
        let part = gpu.surface(array.part_mut(1.., .., ..)?).unwrap_err().to_string();
        assert!(part.contains("whole"), "{part}");
        let mut other =
            gpu.alloc_array::<u32>(ArrayShape::D2 { width: 3, height: 4 }, ArrayFlags::empty())?;
        assert!(matches!(on.copy(&array, &mut other), Err(Error::ExtentMismatch { .. })));
        Ok(())
    });
}

#[test]
fn detached_objects_work_under_another_guard() {
    try_with_gpu(|gpu| {
        let stream = gpu.stream()?;
        let mut array = gpu.alloc_array(D2, ArrayFlags::SURFACE)?;
        gpu.on(&stream).upload(&counting(12), &mut array)?;
        let texture = gpu.texture(array, Sampling::default())?.detach();
        let texture = std::thread::spawn(move || texture).join().expect("it only moves");
        let texture = gpu.attach(texture).expect("of this context");
        assert_eq!(fetched(gpu, &texture, &[[2.5, 1.5]])?, [6.]);
        let surface = gpu.surface(texture.into_memory())?.detach();
        drop(surface);
        Ok(())
    });
}

#[test]
fn scopes_order_arrays_in_every_order_of_the_streams() {
    fresh!(scopes_order_arrays_in_every_order_of_the_streams, {
        if !crate::common::software() {
            crate::skip!("the software driver chooses the order");
        }
        for seed in 0..crate::common::fewer(60, 3) as u64 {
            schedule::seed(seed);
            try_with_gpu(|gpu| {
                let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
                let mut levels = gpu.alloc_mipmapped_array::<f32>(D2, 2, ArrayFlags::empty())?;
                let mut array = gpu.alloc_array::<f32>(D2, ArrayFlags::empty())?;
                let (values, mut first, mut second) = (counting(12), [0.0; 2], vec![0.0; 12]);
                let mut buffer = gpu.alloc::<f32>(12)?;
                gpu.scope(|s| {
                    let [a, b, c] = [0, 1, 2].map(|i| s.on(&streams[i]));
                    let (mut array, mut buffer) = (s.hold(&mut array), s.hold(&mut buffer));
                    a.upload(&values, &mut array)?;
                    b.copy(&array, &mut buffer)?;
                    c.zero(&mut buffer)?;
                    a.copy(&buffer, &mut array)?;
                    c.download(&array, &mut second)
                })?;
                assert_eq!(second, [0.0; 12]);
                let mut level = levels.level_mut(1)?;
                gpu.scope(|s| {
                    let mut level = s.hold(&mut level);
                    s.on(&streams[0]).upload(&values[3..5], &mut level)?;
                    s.on(&streams[1]).download(&level, &mut first)
                })?;
                assert_eq!(first, [3.0, 4.0]);
                Ok(())
            });
            assert_eq!(control::take_races(), [], "{seed}");
        }
        schedule::stop();
    });
}

#[test]
fn nothing_of_them_is_left() {
    fresh!(nothing_of_them_is_left, {
        if !crate::common::software() {
            crate::skip!("counts what is alive in the software driver");
        }
        try_with_gpu(|gpu| {
            let before = control::live();
            let mut array = gpu.alloc_array::<f32>(D2, ArrayFlags::SURFACE)?;
            let levels = gpu.alloc_mipmapped_array::<f32>(D2, 2, ArrayFlags::empty())?;
            let texture = gpu.texture(&levels, Sampling::default())?;
            let surface = gpu.surface(&mut array)?;
            let live = control::live();
            let counts = (live.arrays, live.mipmapped_arrays, live.textures, live.surfaces);
            assert_eq!(counts, (1, 1, 1, 1));
            drop((texture, surface));
            drop((array, levels));
            assert_eq!(control::live(), before);
            Ok(())
        });
    });
}
