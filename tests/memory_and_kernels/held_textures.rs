//! Textures and surfaces of one array, in one launch after the other, in a scope, a graph and on a stream.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{try_with_gpu, uploaded};
use crate::common::{fewer, software};
use crate::textures::{ADD, FETCH};
use crate::{fresh, skip};
use cuscope::kernel::{SurfaceObject, TextureObject};
use cuscope::texture::*;
use cuscope::*;
use cuscope_softdriver::{control, schedule};

const D2: ArrayShape = ArrayShape::D2 { width: 4, height: 3 };
/// The middles of two texels.
const PLACES: [[f32; 2]; 2] = [[0.5, 0.5], [3.5, 2.5]];

type Both<'ctx> = Texture<'ctx, Surface<'ctx, Array<'ctx, f32>>>;

/// A texture of a surface of an array with the values 0 to 11.
fn both<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Both<'ctx>> {
    let surface = gpu.surface(gpu.alloc_array(D2, ArrayFlags::SURFACE)?)?;
    let mut texture = gpu.texture(surface, Sampling::default())?;
    let values: Vec<_> = (0..12).map(|i| i as f32).collect();
    gpu.on(&gpu.stream()?).upload(&values, &mut texture)?;
    Ok(texture)
}

/// The kernels `add` and `fetch`, whose shapes are those of the array and of `PLACES`.
struct Kernels {
    add: Kernel<(SurfaceObject, f32)>,
    fetch: Kernel<Fetch>,
}

type Fetch = (TextureObject, &'static [[f32; 2]], &'static mut [f32]);

const ADDING: (u32, (u32, u32)) = (1, (4, 3));
const FETCHING: (u32, u32) = (1, 2);

fn kernels(gpu: &PushedGuard<'_>) -> Result<Kernels> {
    Ok(Kernels {
        add: gpu.load_ptx(ADD)?.kernel("add")?,
        fetch: gpu.load_ptx(FETCH)?.kernel("fetch")?,
    })
}

#[test]
fn a_texture_reads_what_its_surface_writes_on_a_stream() {
    try_with_gpu(|gpu| {
        let (stream, Kernels { add, fetch }) = (gpu.stream()?, kernels(gpu)?);
        let (on, mut image) = (gpu.on(&stream), both(gpu)?);
        let (at, mut out) = (uploaded(gpu, &stream, &PLACES), gpu.alloc::<f32>(2)?);
        let config = LaunchConfig::new(ADDING.0, ADDING.1);
        // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the array.
        unsafe { on.launch_unchecked(&add, config, (image.surface_mut(), 100.0_f32)) }?;
        let config = LaunchConfig::new(FETCHING.0, FETCHING.1);
        // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
        unsafe { on.launch_unchecked(&fetch, config, (&image, &at, &mut out)) }?;
        assert_eq!(on.to_vec(&out)?, [100., 111.]);
        on.upload(&[3.0; 12], &mut image.array_mut())?;
        assert_eq!(on.to_vec(&image)?, [3.0; 12]);
        assert!(format!("{:?}", image.surface_mut()).starts_with("SurfaceMut(Array<f32>"));
        Ok(())
    });
}

/// Adds on one stream and fetches on another, and the same twice again with copies to and from the array.
fn in_a_scope(gpu: &PushedGuard<'_>) -> Result {
    let (streams, Kernels { add, fetch }) = ([gpu.stream()?, gpu.stream()?], kernels(gpu)?);
    let mut image = both(gpu)?;
    let (at, mut out) = (uploaded(gpu, &streams[0], &PLACES), gpu.alloc::<f32>(2)?);
    let (mut seen, fives, mut texels) = ([[0.0; 2]; 3], [5.0; 12], [0.0; 12]);
    gpu.scope(|s| {
        let [writes, reads] = [s.on(&streams[0]), s.on(&streams[1])];
        let (mut image, mut out) = (s.hold(&mut image), s.hold(&mut out));
        for seen in &mut seen {
            let config = LaunchConfig::new(ADDING.0, ADDING.1);
            // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the array.
            unsafe { writes.launch_unchecked(&add, config, (image.surface_mut(), 100.0_f32)) }?;
            let config = LaunchConfig::new(FETCHING.0, FETCHING.1);
            // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
            unsafe { reads.launch_unchecked(&fetch, config, (&image, &at, &mut out)) }?;
            writes.download(&out, seen)?;
        }
        reads.upload(&fives, &mut image)?;
        writes.download(image.array(), &mut texels)
    })?;
    assert_eq!(seen, [[100., 111.], [200., 211.], [300., 311.]]);
    assert_eq!(texels, fives);
    Ok(())
}

#[test]
fn a_scope_orders_a_texture_behind_its_surface() {
    try_with_gpu(|gpu| in_a_scope(gpu));
}

#[test]
fn a_scope_orders_textures_and_surfaces_in_every_order_of_the_streams() {
    fresh!(a_scope_orders_textures_and_surfaces_in_every_order_of_the_streams, {
        if !software() {
            skip!("the software driver chooses the order");
        }
        for seed in 0..fewer(40, 2) as u64 {
            schedule::seed(seed);
            try_with_gpu(|gpu| in_a_scope(gpu));
            assert_eq!(control::take_races(), [], "{seed}");
        }
        schedule::stop();
    });
}

#[test]
fn a_graph_writes_a_surface_and_reads_it_through_a_texture() {
    try_with_gpu(|gpu| {
        let (mut captured, stream) = (gpu.stream()?, gpu.stream()?);
        let Kernels { add, fetch } = kernels(gpu)?;
        let (on, mut image) = (gpu.on(&stream), both(gpu)?);
        let (at, mut out) = (uploaded(gpu, &stream, &PLACES), gpu.alloc::<f32>(2)?);
        let graph = gpu.capture(&mut captured, |c| {
            let (mut image, mut out) = (c.hold(&mut image), c.hold(&mut out));
            let config = LaunchConfig::new(ADDING.0, ADDING.1);
            // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the array.
            unsafe { c.stream().launch_unchecked(&add, config, (image.surface_mut(), 100.0_f32)) }?;
            let config = LaunchConfig::new(FETCHING.0, FETCHING.1);
            // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
            unsafe { c.stream().launch_unchecked(&fetch, config, (&image, &at, &mut out)) }
        })?;
        for add in [100., 200.] {
            on.replay(&graph, (&mut image, &at, &mut out))?;
            assert_eq!(on.to_vec(&out)?, [add, add + 11.]);
        }
        let refused = on.replay(&graph, (&image, &at, &mut out)).unwrap_err();
        assert!(matches!(refused, Error::GraphBuffers { .. }));
        // In a scope, what it holds names the array.
        gpu.scope(|s| {
            let (mut image, mut out) = (s.hold(&mut image), s.hold(&mut out));
            s.on(&stream).replay(&graph, (&mut image, &at, &mut out))
        })?;
        assert_eq!(on.to_vec(&out)?, [300., 311.]);
        // The graph keeps the objects, and the array.
        drop(image);
        drop(graph);
        Ok(())
    });
}

#[test]
fn surfaces_and_textures_of_arrays_are_held_each_alone() {
    try_with_gpu(|gpu| {
        let (stream, Kernels { add, fetch }) = (gpu.stream()?, kernels(gpu)?);
        let mut surface = gpu.surface(gpu.alloc_array(D2, ArrayFlags::SURFACE)?)?;
        let plain = gpu.alloc_array(D2, ArrayFlags::empty())?;
        let mut texture = gpu.texture(plain, Sampling::default())?;
        let (at, mut out) = (uploaded(gpu, &stream, &PLACES), gpu.alloc::<f32>(2)?);
        gpu.scope(|s| {
            let (mut from, mut to) = (s.hold(&mut surface), s.hold(&mut texture));
            let (on, mut out) = (s.on(&stream), s.hold(&mut out));
            on.upload(&[1.0; 12], &mut from)?;
            let config = LaunchConfig::new(ADDING.0, ADDING.1);
            // SAFETY: the kernel changes the texels at its threads' coordinates, which are those of the array.
            unsafe { on.launch_unchecked(&add, config, (&mut from, 1.5_f32)) }?;
            on.copy(from.array(), &mut to)?;
            let config = LaunchConfig::new(FETCHING.0, FETCHING.1);
            // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
            unsafe { on.launch_unchecked(&fetch, config, (&to, &at, &mut out)) }
        })?;
        assert_eq!(gpu.on(&stream).to_vec(&out)?, [2.5; 2]);
        // A stream copies to the array of each, and from it.
        let on = gpu.on(&stream);
        on.upload(&[4.0; 12], &mut surface)?;
        on.copy(&surface, &mut texture)?;
        assert_eq!(on.to_vec(&texture)?, [4.0; 12]);
        Ok(())
    });
}

#[test]
fn a_graph_keeps_the_texture_that_a_node_was_changed_to() {
    if !software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_graph_keeps_the_texture_that_a_node_was_changed_to, {
        try_with_gpu(|gpu| {
            let (stream, fetch) = (gpu.stream()?, kernels(gpu)?.fetch);
            let array = gpu.alloc_array::<f32>(D2, ArrayFlags::empty())?;
            let one = gpu.texture(&array, Sampling::default())?;
            let two = gpu.texture(&array, Sampling::default().linear())?;
            let (at, mut out) = (uploaded(gpu, &stream, &PLACES), gpu.alloc::<f32>(2)?);
            let config = || LaunchConfig::new(FETCHING.0, FETCHING.1);
            let (mut graph, node) = gpu.build_graph(|g| {
                let mut out = g.hold(&mut out);
                // SAFETY: the kernel reads a pair of coordinates and writes an element for each thread.
                unsafe { g.kernel_unchecked(&[], &fetch, config(), (&one, &at, &mut out)) }
            })?;
            // SAFETY: as above.
            unsafe {
                gpu.set_kernel_unchecked(&mut graph, node, &fetch, config(), (&two, &at, &mut out))
            }?;
            drop((one, two));
            assert_eq!(control::live().textures, 2, "that of the node, and that of copies");
            for _ in 0..fewer(1000, 3) {
                let three = gpu.texture(&array, Sampling::default())?;
                let args = (&three, &at, &mut out);
                // SAFETY: as above.
                unsafe { gpu.set_kernel_unchecked(&mut graph, node, &fetch, config(), args) }?;
                drop(three);
                assert_eq!(control::live().textures, 2);
            }
            // Also behind a launch of the same code that uses no texture.
            let plain = gpu.load_ptx(FETCH)?.function("fetch")?;
            let args = (0_u64, &at, &mut out);
            // SAFETY: as above; the graph does not run with it.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &plain, config(), args) }?;
            assert_eq!(control::live().textures, 1, "that of copies");
            let four = gpu.texture(&array, Sampling::default())?;
            let args = (&four, &at, &mut out);
            // SAFETY: as above.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &plain, config(), args) }?;
            drop(four);
            assert_eq!(control::live().textures, 2);
            gpu.on(&stream).replay(&graph, (&array, &at, &mut out))?;
            drop(graph);
            assert_eq!(control::live().textures, 0);

            let four = gpu.texture(&array, Sampling::default())?;
            let (mut definition, node) = gpu.define_graph(|g| {
                // SAFETY: as above.
                unsafe {
                    g.kernel_unchecked(&[], &fetch, config(), (&four, &at, &mut g.hold(&mut out)))
                }
            })?;
            drop(four);
            for _ in 0..fewer(1000, 3) {
                let five = gpu.texture(&array, Sampling::default())?;
                let args = (&five, &at, &mut out);
                // SAFETY: as above.
                unsafe { definition.set_kernel_unchecked(gpu, node, &fetch, config(), args) }?;
                drop(five);
                assert_eq!(control::live().textures, 1, "that of the node");
            }
            Ok(())
        });
    });
}
