//! The driver functions about [`managed`](crate::model::memory::managed).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry;
use crate::entry::Answer;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::managed::{HOST_BIT, INVALID, NOWHERE, Page, Place, users};
use crate::model::memory::set::Pattern;
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::{capture, device, stack, usable};
use crate::race;
use crate::race::Access;
use core::ffi::{c_int, c_uint, c_void};
use cuscope_sys::*;
use std::sync::{Arc, PoisonError};

/// Bytes of a page, to which advice applies.
const PAGE: u64 = 4096;

/// The managed memory of so many bytes, which are not 0; INVALID_VALUE for other memory.
fn managed(address: CUdeviceptr, bytes: usize) -> Answer<Arc<Allocation>> {
    let found = SPACE.find(address, bytes)?;
    if bytes > 0 && found.kind.is_managed() { Ok(found) } else { Err(INVALID) }
}

/// Calls `f` with the pages that have one of the bytes.
fn with_pages<R>(
    one: &Allocation,
    address: u64,
    bytes: usize,
    f: impl FnOnce(&mut [Page]) -> R,
) -> R {
    let mut pages = one.pages.lock().unwrap_or_else(PoisonError::into_inner);
    pages.resize(one.size.div_ceil(PAGE as usize), Page::NEW);
    let first = (address - one.base) / PAGE;
    let end = (address - one.base + bytes as u64).div_ceil(PAGE);
    f(&mut pages[first as usize..end as usize])
}

/// Moves memory that is everywhere, after what the stream holds.
fn prefetch(address: CUdeviceptr, bytes: usize, stream: CUstream, place: Answer<Place>) -> Answer {
    let target = usable::target(stream)?;
    crate::calls::capture::refuse(&target)?;
    let place = place?;
    let one = managed(address, bytes)?;
    let work = move || {
        with_pages(&one, address, bytes, |pages| {
            pages.iter_mut().for_each(|page| page.moved_to = place);
        });
        Ok(())
    };
    target.submit_short(work).map(drop)
}

/// Takes advice on memory.
fn advise(
    address: CUdeviceptr,
    bytes: usize,
    advice: CUmem_advise,
    place: Answer<Place>,
) -> Answer {
    let known = CU_MEM_ADVISE_SET_READ_MOSTLY.0..=CU_MEM_ADVISE_UNSET_ACCESSED_BY.0;
    if !known.contains(&advice.0) {
        return Err(INVALID);
    }
    stack::current()?;
    capture::check_unsafe()?;
    let one = managed(address, bytes)?;
    let user = || {
        let Place { kind, id } = place?;
        match kind {
            CU_MEM_LOCATION_TYPE_HOST => Ok(1 << HOST_BIT),
            CU_MEM_LOCATION_TYPE_DEVICE => Ok(1_u128 << id),
            _ => Err(INVALID),
        }
    };
    let change: Box<dyn Fn(&mut Page)> = match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY => Box::new(|page| page.read_mostly = true),
        CU_MEM_ADVISE_UNSET_READ_MOSTLY => Box::new(|page| page.read_mostly = false),
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION => {
            let place = place?;
            // A node is not told (F423).
            let at = if place.kind == CU_MEM_LOCATION_TYPE_DEVICE { place } else { Place::HOST };
            Box::new(move |page| page.preferred = at)
        }
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => Box::new(|page| page.preferred = Place::NONE),
        CU_MEM_ADVISE_SET_ACCESSED_BY => {
            let user = user()?;
            Box::new(move |page| page.users |= user)
        }
        _ => {
            let user = user()?;
            Box::new(move |page| page.users &= !user)
        }
    };
    with_pages(&one, address, bytes, |pages| pages.iter_mut().for_each(change));
    Ok(())
}

/// Writes an attribute of a range: what all its pages have.
fn tell(
    data: *mut c_void,
    size: usize,
    attribute: CUmem_range_attribute,
    address: CUdeviceptr,
    bytes: usize,
) -> Answer {
    entry::wanted(data)?;
    let known =
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY.0..=CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID.0;
    let list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    let fits = if list { size > 0 && size.is_multiple_of(4) } else { size == 4 };
    if !known.contains(&attribute.0) || !fits {
        return Err(INVALID);
    }
    let one = managed(address, bytes)?;
    let all = with_pages(&one, address, bytes, |pages| {
        let same = |of: fn(&Page) -> Place| {
            let first = of(&pages[0]);
            if pages.iter().all(|page| of(page) == first) { first } else { Place::NONE }
        };
        Page {
            read_mostly: pages.iter().all(|page| page.read_mostly),
            preferred: same(|page| page.preferred),
            users: pages.iter().fold(u128::MAX, |all, page| all & page.users),
            moved_to: same(|page| page.moved_to),
        }
    });
    let number = match attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => c_int::from(all.read_mostly),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION => all.preferred.number(),
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => all.moved_to.number(),
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => all.preferred.kind.0 as c_int,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => all.preferred.id,
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => all.moved_to.kind.0 as c_int,
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => all.moved_to.id,
        _ => {
            let mut users = users(all.users);
            for place in 0..size / 4 {
                let to = data.cast::<c_int>().wrapping_add(place);
                entry::write(to, users.next().unwrap_or(NOWHERE))?;
            }
            return Ok(());
        }
    };
    entry::write(data.cast(), number)
}

/// A list of ranges of managed memory, which is not empty, and a stream that is not under capture.
fn ranges(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    stream: CUstream,
) -> Answer<(Target, Vec<(CUdeviceptr, usize)>)> {
    entry::wanted(dptrs)?;
    entry::wanted(sizes)?;
    if count == 0 || flags != 0 {
        return Err(INVALID);
    }
    let target = usable::target(stream)?;
    crate::calls::capture::refuse(&target)?;
    let range = |index| {
        let range = (
            entry::element(dptrs.cast_const(), index)?,
            entry::element(sizes.cast_const(), index)?,
        );
        managed(range.0, range.1).map(|_| range)
    };
    Ok((target, (0..count).map(range).collect::<Answer<_>>()?))
}

/// The places of a batch: for each range, one of the list. The numbers say which range is the first for each place.
fn places(
    list: *mut CUmemLocation,
    firsts: *mut usize,
    places: usize,
    ranges: usize,
) -> Answer<Vec<Place>> {
    entry::wanted(list)?;
    entry::wanted(firsts)?;
    let (mut all, mut first) = (Vec::with_capacity(ranges), 0);
    for index in 0..places {
        let from = entry::element(firsts.cast_const(), index)?;
        let until = if index + 1 == places {
            ranges
        } else {
            entry::element(firsts.cast_const(), index + 1)?
        };
        let fits = from == first && from < until && until <= ranges;
        if !fits {
            return Err(INVALID);
        }
        let place = Place::new(entry::element(list.cast_const(), index)?)?;
        all.resize(until, place);
        first = until;
    }
    if all.len() == ranges { Ok(all) } else { Err(INVALID) }
}

/// Bytes that nobody wrote, as far as they are discarded memory.
fn discard(target: &Target, address: CUdeviceptr, bytes: usize) -> Answer {
    let one = managed(address, bytes)?;
    let pattern = Pattern::new(0xdb, 1)?;
    let work = move || {
        race::touch(&one, one.offset(address), bytes, Access::Write);
        pattern.write(&one, address, bytes);
        Ok(())
    };
    target.submit_sized(bytes, work).map(drop)
}

driver! {
    /// Allocates memory for the host and all devices, for whatever streams (1) or those it is attached
    /// to (2).
    fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) {
        entry::wanted(dptr)?;
        if bytesize == 0 || !matches!(flags, 1 | 2) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let life = crate::calls::stack::current_home()?;
        if device::all()[life.device].lacks(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        capture::check_unsafe()?;
        entry::write(dptr, SPACE.allocate_with(&life, bytesize, Kind::Managed, flags, None)?)
    }
    /// Moves managed memory to a device or to the host.
    fn cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream) {
        prefetch(devPtr, count, hStream, Place::of_device(dstDevice))
    }
    /// Moves managed memory to a place.
    fn cuMemPrefetchAsync_v2(
        devPtr: CUdeviceptr,
        count: usize,
        location: CUmemLocation,
        flags: c_uint,
        hStream: CUstream,
    ) {
        let place = if flags == 0 { Place::new(location) } else { Err(INVALID) };
        prefetch(devPtr, count, hStream, place)
    }
    /// Attaches managed memory to all streams (1), the host (2) or one stream (4), which changes nothing here
    /// (F159).
    fn cuStreamAttachMemAsync(
        hStream: CUstream,
        dptr: CUdeviceptr,
        length: usize,
        flags: c_uint,
    ) [host_fn, zero_is_current(0)] {
        let target = usable::target(hStream)?;
        crate::calls::capture::refuse(&target)?;
        capture::check_unsafe()?;
        let whole = SPACE.exactly(dptr, Kind::Managed);
        let whole = whole.or_else(|_| SPACE.exactly(dptr, Kind::ManagedVariable))?;
        let all = length == 0 || length == whole.size;
        // The real driver dies of 0.
        let known = matches!(flags, 1 | 2) || (flags == 4 && !hStream.is_null());
        if !all || !known {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        target.submit_short(|| Ok(())).map(drop)
    }
    /// Takes advice on managed memory.
    fn cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice) {
        advise(devPtr, count, advice, Place::of_device(device))
    }
    /// The same, with a place.
    fn cuMemAdvise_v2(
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        location: CUmemLocation,
    ) {
        advise(devPtr, count, advice, Place::new(location).map_err(|_| INVALID))
    }
    /// One attribute of a range (F422).
    fn cuMemRangeGetAttribute(
        data: *mut c_void,
        dataSize: usize,
        attribute: CUmem_range_attribute,
        devPtr: CUdeviceptr,
        count: usize,
    ) {
        stack::current()?;
        tell(data, dataSize, attribute, devPtr, count)
    }
    /// Several attributes of a range.
    fn cuMemRangeGetAttributes(
        data: *mut *mut c_void,
        dataSizes: *mut usize,
        attributes: *mut CUmem_range_attribute,
        numAttributes: usize,
        devPtr: CUdeviceptr,
        count: usize,
    ) {
        stack::current()?;
        entry::wanted(data)?;
        entry::wanted(dataSizes)?;
        entry::wanted(attributes)?;
        if numAttributes == 0 {
            return Err(INVALID);
        }
        (0..numAttributes).try_for_each(|index| {
            let to = entry::element(data.cast_const(), index)?;
            let size = entry::element(dataSizes.cast_const(), index)?;
            tell(to, size, entry::element(attributes.cast_const(), index)?, devPtr, count)
        })
    }
    /// Moves several ranges.
    fn cuMemPrefetchBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: u64,
        hStream: CUstream,
    ) {
        let (_, all) = ranges(dptrs, sizes, count, flags, hStream)?;
        let places = places(prefetchLocs, prefetchLocIdxs, numPrefetchLocs, count)?;
        all.into_iter().zip(places).try_for_each(|((at, bytes), place)| prefetch(at, bytes, hStream, Ok(place)))
    }
    /// Ends the contents of several ranges.
    fn cuMemDiscardBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        flags: u64,
        hStream: CUstream,
    ) {
        let (target, all) = ranges(dptrs, sizes, count, flags, hStream)?;
        all.into_iter().try_for_each(|(at, bytes)| discard(&target, at, bytes))
    }
    /// Ends the contents of several ranges, and moves the ranges.
    fn cuMemDiscardAndPrefetchBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: u64,
        hStream: CUstream,
    ) {
        let (target, all) = ranges(dptrs, sizes, count, flags, hStream)?;
        let places = places(prefetchLocs, prefetchLocIdxs, numPrefetchLocs, count)?;
        all.into_iter().zip(places).try_for_each(|((at, bytes), place)| {
            discard(&target, at, bytes)?;
            prefetch(at, bytes, hStream, Ok(place))
        })
    }
}
