//! A copy of rows and planes (F258), for a stream, a capture (F334) or a node of a graph (F337). A copy of bytes is
//! one row.
#![allow(unsafe_code, reason = "copies through the caller's host pointers")]

use crate::conditions;
use crate::entry::Answer;
use crate::model::array;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::model::memory::space::Space;
use crate::model::memory::storage::Storage;
use crate::race;
use crate::race::Access;
use core::ffi::c_void;
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// The extent of a copy: bytes of a row, rows, planes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Extent {
    width: usize,
    height: usize,
    depth: usize,
}

/// An end of a copy, as the caller describes it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked {
    kind: CUmemorytype,
    /// The pointer to the host, the address of the device, or the handle of the array.
    memory: u64,
    /// Where it begins: bytes, rows, planes.
    from: [usize; 3],
    /// Bytes from row to row, and rows from plane to plane; 0 for as many as are copied.
    pitch: usize,
    rows: usize,
    /// A level, which only counts for arrays.
    level: usize,
}

/// A copy, as the caller describes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Described {
    to: Asked,
    from: Asked,
    extent: Extent,
}

impl Asked {
    /// An end that begins where the memory does.
    fn at(kind: CUmemorytype, host: *const c_void, device: u64, array: CUarray) -> Self {
        let memory = match kind {
            CU_MEMORYTYPE_HOST => host.expose_provenance() as u64,
            CU_MEMORYTYPE_ARRAY => array.addr() as u64,
            _ => device,
        };
        Self { kind, memory, from: [0; 3], pitch: 0, rows: 0, level: 0 }
    }

    /// Its pointer to the host, its address of the device and its array, of which one counts.
    fn pointers(&self) -> (*mut c_void, u64, CUarray) {
        let at = self.memory as usize;
        match self.kind {
            CU_MEMORYTYPE_HOST => (ptr::with_exposed_provenance_mut(at), 0, ptr::null_mut()),
            CU_MEMORYTYPE_ARRAY => (ptr::null_mut(), 0, ptr::without_provenance_mut(at)),
            _ => (ptr::null_mut(), self.memory, ptr::null_mut()),
        }
    }
}

impl From<CUDA_MEMCPY2D> for Described {
    fn from(params: CUDA_MEMCPY2D) -> Self {
        Self {
            from: Asked {
                from: [params.srcXInBytes, params.srcY, 0],
                pitch: params.srcPitch,
                ..Asked::at(params.srcMemoryType, params.srcHost, params.srcDevice, params.srcArray)
            },
            to: Asked {
                from: [params.dstXInBytes, params.dstY, 0],
                pitch: params.dstPitch,
                ..Asked::at(params.dstMemoryType, params.dstHost, params.dstDevice, params.dstArray)
            },
            extent: Extent { width: params.WidthInBytes, height: params.Height, depth: 1 },
        }
    }
}

/// The parameters of both structures of planes have the same names.
macro_rules! described {
    ($($planes:ident),*) => {
        $(impl From<$planes> for Described {
            fn from(params: $planes) -> Self {
                let (height, depth) = (params.Height, params.Depth);
                Self {
                    from: Asked {
                        from: [params.srcXInBytes, params.srcY, params.srcZ],
                        pitch: params.srcPitch,
                        rows: params.srcHeight,
                        level: params.srcLOD,
                        ..Asked::at(params.srcMemoryType, params.srcHost, params.srcDevice, params.srcArray)
                    },
                    to: Asked {
                        from: [params.dstXInBytes, params.dstY, params.dstZ],
                        pitch: params.dstPitch,
                        rows: params.dstHeight,
                        level: params.dstLOD,
                        ..Asked::at(params.dstMemoryType, params.dstHost, params.dstDevice, params.dstArray)
                    },
                    extent: Extent { width: params.WidthInBytes, height, depth },
                }
            }
        })*
    };
}

described!(CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER);

impl Asked {
    /// An end of a copy in a batch, whose numbers count elements of so many bytes.
    fn of_batch(end: &CUmemcpy3DOperand, element: usize) -> Answer<Self> {
        let times = |count: usize| count.checked_mul(element).ok_or(INVALID);
        match end.r#type {
            CU_MEMCPY_OPERAND_TYPE_POINTER => {
                // SAFETY: the member of this type, all of whose values are numbers.
                let memory = unsafe { end.op.ptr };
                let kind = CU_MEMORYTYPE_UNIFIED;
                let at = Self::at(kind, ptr::null(), memory.ptr, ptr::null_mut());
                Ok(Self { pitch: times(memory.rowLength)?, rows: memory.layerHeight, ..at })
            }
            CU_MEMCPY_OPERAND_TYPE_ARRAY => {
                // SAFETY: the member of this type, all of whose values are numbers.
                let array = unsafe { end.op.array };
                let CUoffset3D { x, y, z } = array.offset;
                let at = Self::at(CU_MEMORYTYPE_ARRAY, ptr::null(), 0, array.array);
                Ok(Self { from: [times(x)?, y, z], ..at })
            }
            _ => Err(INVALID),
        }
    }
}

/// The bytes of an element of an end in a batch: a texel, or `None` for memory, which has no elements.
fn element_of(end: &CUmemcpy3DOperand) -> Answer<Option<usize>> {
    if end.r#type != CU_MEMCPY_OPERAND_TYPE_ARRAY {
        return Ok(None);
    }
    // SAFETY: the member of this type, all of whose values are numbers.
    let array = unsafe { end.op.array }.array;
    if array.is_null() {
        return Err(INVALID);
    }
    let image = &array::find(array)?.image;
    Ok(Some(image.channels * image.channel.bytes()))
}

impl Described {
    /// A copy of a batch. It counts the elements of the array, if there is one, and bytes otherwise.
    pub(crate) fn of_batch(one: &CUDA_MEMCPY3D_BATCH_OP) -> Answer<Self> {
        let element = element_of(&one.src)?.or(element_of(&one.dst)?).unwrap_or(1);
        let CUextent3D { width, height, depth } = one.extent;
        let width = width.checked_mul(element).ok_or(INVALID)?;
        Ok(Self {
            from: Asked::of_batch(&one.src, element)?,
            to: Asked::of_batch(&one.dst, element)?,
            extent: Extent { width, height, depth },
        })
    }

    /// Whether rows or planes of an end are longer than the way to the next one.
    pub(crate) fn rows_overlap(&self) -> bool {
        let Extent { width, height, .. } = self.extent;
        let short = |given: usize, needed: usize| given != 0 && given < needed;
        let ends = [self.from, self.to];
        ends.iter().any(|end| short(end.pitch, width) || short(end.rows, height))
    }

    /// Whether it copies nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        let Extent { width, height, depth } = self.extent;
        width == 0 || height == 0 || depth == 0
    }

    /// As a node tells it.
    fn params(&self) -> CUDA_MEMCPY3D {
        let (from, to) = (self.from, self.to);
        let (srcHost, srcDevice, srcArray) = from.pointers();
        let (dstHost, dstDevice, dstArray) = to.pointers();
        CUDA_MEMCPY3D {
            srcXInBytes: from.from[0],
            srcY: from.from[1],
            srcZ: from.from[2],
            srcLOD: from.level,
            srcMemoryType: from.kind,
            srcHost,
            srcDevice,
            srcArray,
            reserved0: ptr::null_mut(),
            srcPitch: from.pitch,
            srcHeight: from.rows,
            dstXInBytes: to.from[0],
            dstY: to.from[1],
            dstZ: to.from[2],
            dstLOD: to.level,
            dstMemoryType: to.kind,
            dstHost,
            dstDevice,
            dstArray,
            reserved1: ptr::null_mut(),
            dstPitch: to.pitch,
            dstHeight: to.rows,
            WidthInBytes: self.extent.width,
            Height: self.extent.height,
            Depth: self.extent.depth,
        }
    }
}

/// Where an end of a copy is; found again at each run.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// Memory of the driver: of a device, or page-locked.
    Known(u64),
    /// Other memory of the host.
    Pageable(usize),
}

impl Place {
    /// Memory of the host.
    pub(crate) fn of_host(at: *const c_void, locked: bool) -> Self {
        let address = at.expose_provenance();
        if locked { Self::Known(address as u64) } else { Self::Pageable(address) }
    }

    /// The memory itself; what is gone by now is a failed launch (F94).
    fn find(self, len: usize) -> Answer<Found> {
        match self {
            Self::Known(address) => {
                let found = SPACE.find_running(address, len);
                let found = found.ok_or(CUDA_ERROR_LAUNCH_FAILED)?;
                let offset = found.offset(address);
                Ok(Found::Known(found, offset))
            }
            Self::Pageable(address) => Ok(Found::Pageable(address)),
        }
    }
}

/// Whose memory an end of a copy is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Device,
    Locked,
    Pageable,
}

impl Sort {
    fn of(known: &Allocation) -> Self {
        if known.kind.is_host() { Self::Locked } else { Self::Device }
    }
}

/// An end of a copy.
#[derive(Clone, Copy)]
struct End {
    /// Where its first row begins.
    start: Place,
    sort: Sort,
    /// The bytes from row to row and from plane to plane.
    pitch: usize,
    plane: usize,
    /// The bytes from its first row to the end of its last one.
    span: usize,
}

/// How memory is looked for: [`Space::find`], or [`Space::find_for_graph`].
type Find = fn(&Space, u64, usize) -> Answer<Arc<Allocation>>;

impl End {
    /// An end with room for the extent, where memory is found; INVALID_VALUE without. A graph takes rows whose offsets
    /// overflow (F335, F337), and fails when it copies them: no memory is as long as their span.
    fn new(
        asked: &Asked,
        extent: Extent,
        writes: bool,
        find: Find,
        of_graph: bool,
    ) -> Answer<Self> {
        let [x, y, z] = asked.from;
        if asked.kind == CU_MEMORYTYPE_ARRAY {
            return Self::of_array(asked, extent);
        }
        let row = x.checked_add(extent.width).ok_or(INVALID)?;
        let rows = y.checked_add(extent.height).ok_or(INVALID)?;
        let pitch = if asked.pitch == 0 { row } else { asked.pitch };
        let height = if asked.rows == 0 { rows } else { asked.rows };
        if row > pitch || rows > height {
            return Err(INVALID);
        }
        let reach = || {
            let plane = pitch.checked_mul(height)?;
            let offset = |x: usize, y: usize, z: usize| {
                let before = z.checked_mul(plane)?.checked_add(y.checked_mul(pitch)?)?;
                before.checked_add(x)
            };
            let last = offset(0, extent.height - 1, extent.depth - 1)?;
            let start = asked.memory.checked_add(offset(x, y, z)? as u64)?;
            Some((start, plane, last.checked_add(extent.width)?))
        };
        let reach = reach();
        let overflows = reach.is_none();
        if overflows && !of_graph {
            return Err(INVALID);
        }
        let (start, plane, span) = reach.unwrap_or((asked.memory, 0, usize::MAX));
        let of_device = match asked.kind {
            CU_MEMORYTYPE_DEVICE => true,
            CU_MEMORYTYPE_HOST | CU_MEMORYTYPE_UNIFIED => false,
            _ => return Err(INVALID),
        };
        if asked.memory == 0 {
            return Err(INVALID);
        }
        let (start, sort) = match find(&SPACE, start, 1) {
            Ok(known) if writes && known.read_only() => return Err(INVALID),
            Ok(known) if !overflows && !known.holds(start, span) => return Err(INVALID),
            Ok(known) => (Place::Known(start), Sort::of(&known)),
            Err(_) if of_device || overflows => return Err(INVALID),
            Err(_) => (Place::Pageable(start as usize), Sort::Pageable),
        };
        Ok(Self { start, sort, pitch, plane, span })
    }

    /// An end in an array: the box is inside, of whole texels or not, whatever the pitch and the height.
    fn of_array(asked: &Asked, extent: Extent) -> Answer<Self> {
        if asked.memory == 0 {
            return Err(INVALID); // F337
        }
        let array = array::find(ptr::without_provenance_mut(asked.memory as usize))?;
        let (room, sizes) = (array.extent(), [extent.width, extent.height, extent.depth]);
        let fits = |i: usize| asked.from[i].checked_add(sizes[i]).is_some_and(|end| end <= room[i]);
        if !(fits(0) && fits(1) && fits(2) && asked.level == 0) {
            return Err(INVALID);
        }
        let (pitch, plane) = (room[0], room[0] * room[1]);
        let [x, y, z] = asked.from;
        let start = array.image.base + (z * plane + y * pitch + x) as u64;
        let span = (extent.depth - 1) * plane + (extent.height - 1) * pitch + extent.width;
        // It may be about to be destroyed.
        SPACE.exactly(array.image.base, Kind::Array)?;
        Ok(Self { start: Place::Known(start), sort: Sort::Device, pitch, plane, span })
    }

    /// An end of one row, with its description.
    fn row(start: Place, len: usize) -> (Self, Asked) {
        let known = |at| SPACE.find_for_graph(at, 1).map(|known| Sort::of(&known));
        let (sort, at) = match start {
            Place::Known(at) => (known(at).unwrap_or(Sort::Device), at),
            Place::Pageable(at) => (Sort::Pageable, at as u64),
        };
        let kind = if sort == Sort::Device { CU_MEMORYTYPE_DEVICE } else { CU_MEMORYTYPE_HOST };
        let asked = Asked { kind, memory: at, from: [0; 3], pitch: 0, rows: 0, level: 0 };
        (Self { start, sort, pitch: len, plane: len, span: len }, asked)
    }

    /// Where the rows begin, after the first one.
    fn rows(self, extent: Extent) -> impl Iterator<Item = usize> {
        (0..extent.depth)
            .flat_map(move |z| (0..extent.height).map(move |y| z * self.plane + y * self.pitch))
    }
}

/// An end of a copy that runs.
enum Found {
    /// Memory of the driver, and the offset in it.
    Known(Arc<Allocation>, usize),
    /// Other memory of the host.
    Pageable(usize),
}

impl Found {
    /// Notes that rows of it are touched.
    fn touch(&self, rows: impl Iterator<Item = usize>, width: usize, access: Access) {
        let (allocation, start) = match self {
            Self::Known(allocation, offset) => {
                (Some(&**allocation), allocation.base + *offset as u64)
            }
            Self::Pageable(address) => (None, *address as u64),
        };
        let row = |behind: usize| start + behind as u64..start + (behind + width) as u64;
        race::touch_rows(allocation, rows.map(row), access);
    }

    /// Copies a row of it.
    fn read(&self, row: usize, width: usize, to: &Storage) {
        match self {
            Self::Known(source, offset) => {
                to.copy_across(0, &source.storage, offset + row, width);
            }
            Self::Pageable(address) => {
                let source = ptr::with_exposed_provenance(address + row);
                // SAFETY: whoever has a stream or a graph copy from host memory promises that its rows
                // are readable, and that nobody writes them, whenever the copy runs. The call that
                // adds it to a stream waits for it or calls it off.
                unsafe { to.copy_in(0, source, width) };
            }
        }
    }

    /// Copies a row to it.
    fn write(&self, row: usize, width: usize, from: &Storage) {
        match self {
            Self::Known(destination, offset) => {
                destination.storage.copy_across(offset + row, from, 0, width);
            }
            Self::Pageable(address) => {
                let destination = ptr::with_exposed_provenance_mut(address + row);
                // SAFETY: as above: writable.
                unsafe { from.copy_out(0, destination, width) };
            }
        }
    }
}

/// A copy that a stream or a graph makes.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    to: End,
    from: End,
    described: Described,
}

impl Transfer {
    /// A copy of something, whose ends have to have room for it where memory is found.
    fn with(described: Described, find: Find, of_graph: bool) -> Answer<Self> {
        let Described { to, from, extent } = &described;
        let to = End::new(to, *extent, true, find, of_graph)?;
        let from = End::new(from, *extent, false, find, of_graph)?;
        Ok(Self { to, from, described })
    }

    /// A copy for a stream or its capture, of something.
    pub(crate) fn new(described: Described, captured: bool) -> Answer<Self> {
        let find: Find = if captured { Space::find_for_graph } else { Space::find };
        Self::with(described, find, captured)
    }

    /// A copy for a node, with memory that the graph may allocate too; INVALID_VALUE for nothing.
    pub(crate) fn of_node(params: CUDA_MEMCPY3D) -> Answer<Self> {
        let described = Described::from(params);
        if described.is_nothing() {
            return Err(INVALID);
        }
        Self::with(described, Space::find_for_graph, true)
    }

    /// A copy of bytes from one place to another, which the caller has checked.
    pub(crate) fn row(to: Place, from: Place, len: usize) -> Self {
        let extent = Extent { width: len, height: 1, depth: 1 };
        let ((to, to_asked), (from, from_asked)) = (End::row(to, len), End::row(from, len));
        Self { to, from, described: Described { to: to_asked, from: from_asked, extent } }
    }

    /// Where the two ends begin that the driver knows.
    pub(crate) fn places(&self) -> [Option<u64>; 2] {
        [self.to.start, self.from.start].map(|place| match place {
            Place::Known(address) => Some(address),
            Place::Pageable(_) => None,
        })
    }

    /// Whether it copies one row.
    fn is_row(&self) -> bool {
        self.described.extent.height == 1 && self.described.extent.depth == 1
    }

    /// Whether a graph that can run may do the other one instead: several rows only stay as they are (F339).
    pub(crate) fn can_become(&self, other: &Self) -> bool {
        self.is_row() && other.is_row() || self.described == other.described
    }

    /// Whether its ends are of the same sorts as those of another one: of a device, of the host, or in an array (F216, F365).
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let sorts = |one: &Self| {
            let arrays =
                [one.described.to, one.described.from].map(|end| end.kind == CU_MEMORYTYPE_ARRAY);
            (arrays, [one.to, one.from].map(|end| end.sort == Sort::Device))
        };
        sorts(self) == sorts(other)
    }

    /// Whether the program sees an end too, so that a copy which is not asynchronous waits.
    pub(crate) fn is_of_host(&self) -> bool {
        [self.to, self.from].iter().any(|end| end.sort != Sort::Device)
    }

    /// Whether an end is memory of the host that is not page-locked.
    pub(crate) fn is_pageable(&self) -> bool {
        [self.to, self.from].iter().any(|end| end.sort == Sort::Pageable)
    }

    /// The bytes that it copies.
    pub(crate) fn bytes(&self) -> usize {
        let Extent { width, height, depth } = self.described.extent;
        width.saturating_mul(height).saturating_mul(depth)
    }

    /// As a node tells it.
    pub(crate) fn params(&self) -> CUDA_MEMCPY3D {
        self.described.params()
    }

    /// Copies, a row at a time by way of memory of its own, so that the ends of a row may overlap.
    pub(crate) fn run(&self) -> Answer {
        conditions::slow_copy();
        let extent = self.described.extent;
        let width = extent.width;
        let staged = Storage::device(width).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let (from, to) = (self.from.start.find(self.from.span)?, self.to.start.find(self.to.span)?);
        from.touch(self.from.rows(extent), width, Access::Read);
        to.touch(self.to.rows(extent), width, Access::Write);
        for (read, write) in self.from.rows(extent).zip(self.to.rows(extent)) {
            from.read(read, width, &staged);
            to.write(write, width, &staged);
        }
        Ok(())
    }
}
