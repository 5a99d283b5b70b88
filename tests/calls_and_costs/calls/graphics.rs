//! Objects of graphics, which the software driver plays.
#![allow(unsafe_code, reason = "registers objects of OpenGL")]

use super::table::Table;
use crate::common;
use cuscope::PushedGuard;
use cuscope::ffi::CU_AD_FORMAT_FLOAT;
use cuscope::graphics::{GlDevices, Usage, gl_devices};
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope_softdriver::gl::{self, Image, Object, TEXTURE_2D};

const MAP: &str = "cuGraphicsMapResources";
const UNMAP: &str = "cuGraphicsUnmapResources";
const UNREGISTER: &str = "cuGraphicsUnregisterResource";
const DESCRIBE: &str = "cuArray3DGetDescriptor_v2";
const WHY: &str = "compares its shape and texels";

pub(crate) fn graphics(t: &mut Table, gpu: &PushedGuard<'_>) {
    if !common::software() {
        return;
    }
    t.heading("Objects of graphics");
    gl::make_current(true);
    let image = Image {
        target: TEXTURE_2D,
        format: CU_AD_FORMAT_FLOAT,
        channels: 1,
        width: 8,
        height: 4,
        layers: 1,
        levels: 1,
    };
    let (bytes, image) = (Object::buffer(64), Object::image(image));
    // SAFETY: 1. It stays current. 2. Nothing else uses it. 3. Registered once.
    let register = || unsafe { gpu.register_gl_buffer(bytes.name(), Usage::ReadWrite) };
    let row = "PushedGuard::register_gl_buffer";
    let buffer = t.row(row, &["cuGraphicsGLRegisterBuffer"], register).unwrap();
    let (stream, ordered) = (gpu.stream().unwrap(), gpu.ordered_stream().unwrap());
    let (on, pointer) = (gpu.on(&stream), "cuGraphicsResourceGetMappedPointer_v2");
    let calls = [MAP, "cuStreamSynchronize", pointer];
    let x = t.row("SyncStream::map_buffer", &calls, || on.map_buffer::<u32>(&buffer)).unwrap();
    t.row("DeviceBuffer of graphics, dropped", &[UNMAP], || drop(x));
    let row = "OrderedStream::map_buffer";
    let x = t.row(row, &[MAP, pointer], || ordered.map_buffer::<u32>(&buffer)).unwrap();
    t.row("OrderedBuffer of graphics, dropped", &[UNMAP], || drop(x));
    t.row("GraphicsBuffer, dropped", &[UNREGISTER], || drop(buffer));
    let (shape, none) = (ArrayShape::D2 { width: 8, height: 4 }, ArrayFlags::empty());
    let (name, usage) = (image.name(), Usage::ReadWrite);
    // SAFETY: 1. to 5. As above, and it has that level.
    let register =
        || unsafe { gpu.register_gl_image::<f32>(name, TEXTURE_2D, shape, 1, none, usage) };
    let row = "PushedGuard::register_gl_image";
    let registered = t.row(row, &["cuGraphicsGLRegisterImage"], register).unwrap();
    let (levels, level) = ("cuGraphicsResourceGetMappedMipmappedArray", "cuMipmappedArrayGetLevel");
    let by_hand = [MAP, "cuStreamSynchronize", levels, level];
    let calls = [MAP, "cuStreamSynchronize", levels, level, DESCRIBE, level];
    let map = || on.map_image(&registered);
    let array = t.unlike("SyncStream::map_image, one level", &by_hand, &calls, WHY, map).unwrap();
    t.row("MipmappedArray of graphics, dropped", &[UNMAP], || drop(array));
    drop(registered);
    let (asked, count) = ("cuGLGetDevices_v2", "cuDeviceGetCount");
    let why = "asks how many there are at most";
    let devices = || gl_devices(GlDevices::All);
    drop(t.unlike("gl_devices", &[asked], &[count, asked], why, devices).unwrap());
}
