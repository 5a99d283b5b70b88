//! Arrays, textures and surfaces.

use super::rows::{LAUNCH, WAIT};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::IGNORE;
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{LaunchConfig, PushedGuard};

const BOX: &str = "cuMemcpy3DAsync_v2";
const CHECK: &str = "cuCtxGetCurrent";

pub(crate) fn textures(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Arrays, textures and surfaces");
    let mut stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let (shape, flags) = (ArrayShape::D2 { width: 4, height: 4 }, ArrayFlags::SURFACE);
    let alloc = &["cuArray3DCreate_v2"];
    let array = || gpu.alloc_array::<u32>(shape, flags);
    let mut x = t.row("PushedGuard::alloc_array", alloc, array).unwrap();
    let mut y = array().unwrap();
    let level = "cuMipmappedArrayGetLevel";
    let row = "PushedGuard::alloc_mipmapped_array, two levels";
    let levels = || gpu.alloc_mipmapped_array::<u32>(shape, 2, flags);
    let levels = t.row(row, &["cuMipmappedArrayCreate", level, level], levels).unwrap();
    let mut host = [7_u32; 16];
    t.row("SyncStream::upload, array", &[BOX, WAIT], || on.upload(&host, &mut x)).unwrap();
    t.row("SyncStream::download, array", &[BOX, WAIT], || on.download(&x, &mut host)).unwrap();
    t.row("SyncStream::copy, arrays", &[BOX, WAIT], || on.copy(&x, &mut y)).unwrap();
    gpu.scope(|s| {
        let (run, mut y) = (s.on(&stream), s.hold(&mut y));
        t.row("ScopedStream::upload, array", &[BOX], || run.upload(&host, &mut y))?;
        t.row("ScopedStream::copy, arrays", &[BOX], || run.copy(&x, &mut y))
    })
    .unwrap();
    let captured = gpu.capture(&mut stream, |c| {
        let (run, mut y) = (c.stream(), c.hold(&mut y));
        t.row("CaptureStream::copy, arrays", &[BOX], || run.copy(&x, &mut y))
    });
    drop(captured.unwrap());
    let built = gpu.build_graph(|g| {
        let mut y = g.hold(&mut y);
        let add = &["cuGraphAddMemcpyNode"];
        t.row("GraphBuilder::copy, arrays", add, || g.copy(&[], &x, &mut y))
    });
    drop(built.unwrap());
    let create = || gpu.texture(&x, Sampling::default());
    let texture = t.row("PushedGuard::texture", &["cuTexObjectCreate"], create).unwrap();
    t.row("drop of a Texture", &[CHECK, "cuTexObjectDestroy"], || drop(texture));
    let (ordered, ignore) = (gpu.ordered_stream().unwrap(), kernel(gpu, IGNORE, "ignore"));
    let z = array().unwrap();
    let texture = gpu.texture(z, Sampling::default()).unwrap();
    let shared = t.row("Texture::share", &[], || texture.share());
    for row in [
        "OrderedStream::launch_unchecked, first use of a SharedTexture",
        "OrderedStream::launch_unchecked, later uses",
    ] {
        // SAFETY: the kernel uses no memory.
        let launched =
            || unsafe { ordered.launch_unchecked(&ignore, LaunchConfig::new(1, 1), (&shared,)) };
        t.row(row, &[LAUNCH], launched).unwrap();
    }
    let both = &["cuStreamSynchronize", CHECK, "cuTexObjectDestroy", CHECK, "cuArrayDestroy"];
    t.row("drop of a SharedTexture that owns its Array", both, || drop(shared));
    let create = || gpu.surface(y);
    let surface = t.row("PushedGuard::surface", &["cuSurfObjectCreate"], create).unwrap();
    let both = &[CHECK, "cuSurfObjectDestroy", CHECK, "cuArrayDestroy"];
    t.row("drop of a Surface that owns its Array", both, || drop(surface));
    t.row("drop of an Array", &[CHECK, "cuArrayDestroy"], || drop(x));
    t.row("drop of a MipmappedArray", &[CHECK, "cuMipmappedArrayDestroy"], || drop(levels));
}
