//! OpenGL and EGL, as far as tests of graphics need them: buffers and images of the process, which
//! `cuGraphicsGLRegisterBuffer`, `cuGraphicsGLRegisterImage` and `cuGraphicsEGLRegisterImage` find by their names.
//!
//! ```
//! use cuscope_softdriver::gl::{self, Object};
//!
//! gl::make_current(true);
//! let buffer = Object::buffer(4);
//! assert!(buffer.write(0, &[1, 2, 3, 4]));
//! // cuGraphicsGLRegisterBuffer(&mut resource, buffer.name(), 0) …
//! assert_eq!(buffer.read(0), Some(vec![1, 2, 3, 4]));
//! ```
#![allow(unsafe_code, reason = "copies bytes of objects")]
use crate::entry::Answer;
use crate::model::array;
use crate::model::graphics::RESOURCES;
use crate::model::memory::storage::Storage;
use crate::queue::Ticket;
use crate::sync;
use cuscope_sys::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUarray_format};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The target of an image of two dimensions.
pub const TEXTURE_2D: u32 = 0x0DE1;
/// The target of layers of images.
pub const TEXTURE_2D_ARRAY: u32 = 0x8C1A;
/// The target of a renderbuffer.
pub const RENDERBUFFER: u32 = 0x8D41;

/// The place of EGL images in the addresses, which no mapping of a program has.
const EGL: usize = 0x7e << 56;

thread_local! {
    /// Whether a context of OpenGL is current on the thread.
    static CURRENT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a context of OpenGL was current on any thread.
static USED: AtomicBool = AtomicBool::new(false);

/// The objects that were not deleted, by their names.
static OBJECTS: Mutex<BTreeMap<u32, Arc<Inner>>> = Mutex::new(BTreeMap::new());

/// Says whether a context of OpenGL is current on the calling thread. At first, none is.
pub fn make_current(current: bool) {
    CURRENT.set(current);
    USED.fetch_or(current, Ordering::Relaxed);
}

/// Whether one was current on any thread.
pub(crate) fn is_used() -> bool {
    USED.load(Ordering::Relaxed)
}

/// Whether one is.
pub(crate) fn is_current() -> bool {
    CURRENT.get()
}

/// An image to create.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The target that it is bound to, such as [`TEXTURE_2D`].
    pub target: u32,
    /// The format of a channel.
    pub format: CUarray_format,
    /// The number of channels.
    pub channels: u32,
    /// Texels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Layers.
    pub layers: usize,
    /// Levels, each half as large as the one before.
    pub levels: usize,
}

impl Image {
    /// One layer of a level, as an array.
    pub(crate) fn level(&self, level: usize, flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
        let half = |extent: usize| (extent >> level).max(1);
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: half(self.width),
            Height: half(self.height),
            Depth: 0,
            Format: self.format,
            NumChannels: self.channels,
            Flags: flags,
        }
    }

    /// All layers of a level, as an array.
    pub(crate) fn layers_of(&self, level: usize, flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
        let one = self.level(level, flags);
        if self.target != TEXTURE_2D_ARRAY {
            return one;
        }
        CUDA_ARRAY3D_DESCRIPTOR { Depth: self.layers, Flags: flags | CUDA_ARRAY3D_LAYERED, ..one }
    }

    /// The bytes of a layer of a level.
    pub(crate) fn layer_bytes(&self, level: usize) -> Answer<usize> {
        array::bytes(&self.level(level, 0)).map(|(_, bytes)| bytes)
    }
}

/// A buffer or an image. Its parts are the bytes of a buffer, or the levels of an image, each with its layers. The drop
/// deletes it.
pub struct Object(Arc<Inner>);

/// An object, which lives as long as it is registered.
pub(crate) struct Inner {
    name: u32,
    image: Option<Image>,
    parts: Vec<Arc<Storage>>,
    /// The ends of mappings that streams come to.
    unmaps: Mutex<Vec<Arc<Ticket>>>,
}

impl Object {
    /// Creates a buffer of so many zeros. Panics if there is no memory.
    pub fn buffer(bytes: usize) -> Self {
        Self::new(None, [bytes])
    }

    /// Creates an image of zeros. Panics if no array has such texels, or there is no memory.
    pub fn image(image: Image) -> Self {
        let layer = |level| image.layer_bytes(level).expect("a format of arrays");
        Self::new(Some(image), (0..image.levels).map(|level| image.layers * layer(level)))
    }

    fn new(image: Option<Image>, sizes: impl IntoIterator<Item = usize>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = |bytes| Arc::new(Storage::device(bytes).expect("memory"));
        let parts = sizes.into_iter().map(part).collect();
        let object = Arc::new(Inner { name, image, parts, unmaps: Mutex::default() });
        sync::lock(&OBJECTS).insert(name, object.clone());
        Self(object)
    }

    /// Its name in OpenGL.
    pub fn name(&self) -> u32 {
        self.0.name
    }

    /// The image of EGL that is the same object.
    pub fn egl_image(&self) -> *mut c_void {
        std::ptr::without_provenance_mut(EGL | self.0.name as usize)
    }

    /// The bytes of a part, once the streams that unmap the object have come to that; none while it is mapped. Panics for
    /// a part that it does not have.
    pub fn read(&self, part: usize) -> Option<Vec<u8>> {
        let part = self.0.when_unmapped(part)?;
        let mut bytes = vec![0; part.len()];
        // SAFETY: the bytes are as many, and a local's.
        unsafe { part.copy_out(0, bytes.as_mut_ptr(), bytes.len()) };
        Some(bytes)
    }

    /// Writes the start of a part, once the streams that unmap the object have come to that; false while it is mapped.
    /// Panics beyond the end, and for a part that it does not have.
    pub fn write(&self, part: usize, bytes: &[u8]) -> bool {
        let Some(part) = self.0.when_unmapped(part) else { return false };
        // SAFETY: the bytes are borrowed, so that nobody writes them.
        unsafe { part.copy_in(0, bytes.as_ptr(), bytes.len()) };
        true
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        sync::lock(&OBJECTS).remove(&self.0.name);
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.0.name).finish()
    }
}

impl Inner {
    /// The object of a name.
    pub(crate) fn find(name: u32) -> Option<Arc<Self>> {
        sync::lock(&OBJECTS).get(&name).cloned()
    }

    /// The object of an image of EGL.
    pub(crate) fn of_egl(image: *mut c_void) -> Option<Arc<Self>> {
        let name = image.addr().checked_sub(EGL)?;
        Self::find(u32::try_from(name).ok()?)
    }

    pub(crate) fn as_image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    pub(crate) fn parts(&self) -> &[Arc<Storage>] {
        &self.parts
    }

    /// Notes that a stream will end a mapping.
    pub(crate) fn unmapped_behind(&self, ticket: Arc<Ticket>) {
        sync::lock(&self.unmaps).push(ticket);
    }

    fn when_unmapped(&self, part: usize) -> Option<&Storage> {
        if RESOURCES.count(|one| one.maps(self)) > 0 {
            return None;
        }
        let unmaps = std::mem::take(&mut *sync::lock(&self.unmaps));
        unmaps.iter().for_each(|ticket| {
            ticket.settle();
        });
        Some(&self.parts[part])
    }
}
