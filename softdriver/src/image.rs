//! Kinds of images: PTX, alone or in a fatbin, compressed or not. Machine code is of no use here.

use crate::entry::{self, Answer};
use crate::model::logs;
use crate::summary;
use core::ffi::c_void;
use cuscope_sys::*;
use ruzstd::decoding::FrameDecoder;
use std::ops::Range;
use std::sync::Once;

/// How a fatbin begins.
const FATBIN: u32 = 0xba55_ed50;
/// Bytes of the header of the container.
const HEADER: usize = 16;
/// The kind of an entry with PTX.
const PTX: u16 = 1;
/// The flags of compressed code: a block of LZ4, a frame of Zstandard.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// The most bytes of a fatbin that are looked at.
const MOST: usize = 1 << 30;

/// The advice for machine code.
pub(crate) const MACHINE_CODE: &str = "the image has no PTX that this device can run, and the software driver runs no \
    machine code: compile with --gpu-architecture=compute_90 (nvcc, NVRTC) or with \
    -gencode arch=compute_90,code=compute_90 (nvcc)";

/// Says that machine code was refused, and what to do: in the summary, and once on stderr, as programs show no more
/// than the code as a rule.
pub(crate) fn refused() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| eprintln!("cuscope-softdriver: {MACHINE_CODE}"));
    summary::refused_machine_code(MACHINE_CODE);
}

/// The PTX in an image that is to be loaded; what is said of machine code goes to the driver's log too.
pub(crate) fn ptx_to_load(image: *const c_void) -> Answer<Vec<u8>> {
    ptx_of(image).inspect_err(|&code| {
        if code == CUDA_ERROR_NO_BINARY_FOR_GPU {
            refused();
            logs::reason(MACHINE_CODE);
        }
    })
}

/// The PTX in an image, without its NUL: INVALID_IMAGE for what is none, NO_BINARY_FOR_GPU for machine code.
pub(crate) fn ptx_of(image: *const c_void) -> Answer<Vec<u8>> {
    let at = |i: usize| entry::element(image.cast::<u8>(), i);
    let mut start = 0;
    while at(start)?.is_ascii_whitespace() {
        start += 1;
    }
    let starts = |with: &[u8]| {
        with.iter()
            .enumerate()
            .try_fold(true, |same, (i, byte)| Ok(same && at(start + i)? == *byte))
    };
    match at(start)? {
        b'/' if matches!(at(start + 1)?, b'/' | b'*') => text(image),
        b'.' if starts(b".version")? => text(image),
        0x7f if starts(b"\x7fELF")? => Err(CUDA_ERROR_NO_BINARY_FOR_GPU),
        0x50 if starts(&FATBIN.to_le_bytes())? => fatbin(image),
        _ => Err(CUDA_ERROR_INVALID_IMAGE),
    }
}

fn text(image: *const c_void) -> Answer<Vec<u8>> {
    Ok(entry::text(image.cast())?.to_bytes().to_vec())
}

/// The PTX for the newest architecture that is not newer than the device.
fn fatbin(image: *const c_void) -> Answer<Vec<u8>> {
    // Version and size of the header, byte by byte: what ends there is not read any further (F113).
    for (i, byte) in [1, 0, HEADER as u8, 0].into_iter().enumerate() {
        if entry::element(image.cast::<u8>(), 4 + i)? != byte {
            return Err(CUDA_ERROR_INVALID_IMAGE);
        }
    }
    let size = entry::read(image.cast::<u64>().wrapping_add(1))?;
    let size = usize::try_from(size).ok().filter(|&size| size <= MOST);
    let end = HEADER + size.ok_or(CUDA_ERROR_INVALID_IMAGE)?;
    let byte = |i: usize| entry::element(image.cast::<u8>(), i);
    let number = |i: usize, bytes: usize| {
        (0..bytes).try_fold(0_u64, |sum, j| Ok(sum | u64::from(byte(i + j)?) << (8 * j)))
    };
    // The architecture, flags, where the code is, and its size unpacked.
    let (mut at, mut best) = (HEADER, None::<(u64, u64, Range<usize>, usize)>);
    while at + 64 <= end {
        let (kind, header) = (number(at, 2)? as u16, number(at + 4, 4)? as usize);
        let (size, arch) = (number(at + 8, 8)? as usize, number(at + 28, 4)?);
        let begin = at.saturating_add(header);
        let next = begin.saturating_add(size);
        if header < 64 || next > end {
            return Err(CUDA_ERROR_INVALID_IMAGE);
        }
        let flags = number(at + 40, 8)? & (LZ4 | ZSTD);
        let fits = arch <= u64::from(crate::model::module::TARGET);
        if kind == PTX && fits && best.as_ref().is_none_or(|(than, ..)| arch > *than) {
            let packed = if flags == 0 { size } else { number(at + 16, 4)? as usize };
            let place = begin..next.min(begin.saturating_add(packed));
            best = Some((arch, flags, place, number(at + 56, 8)? as usize));
        }
        at = next;
    }
    let (_, flags, place, size) = best.ok_or(CUDA_ERROR_NO_BINARY_FOR_GPU)?;
    let text: Vec<u8> = place.map(byte).collect::<Answer<_>>()?;
    let text = if flags == 0 { text } else { unpack(flags, &text, size)? };
    Ok(text.into_iter().take_while(|&byte| byte != 0).collect())
}

/// The code that was compressed, which has so many bytes.
fn unpack(flags: u64, packed: &[u8], size: usize) -> Answer<Vec<u8>> {
    if size > MOST {
        return Err(CUDA_ERROR_INVALID_IMAGE);
    }
    let mut code = vec![0; size];
    let len = if flags == LZ4 {
        lz4_flex::block::decompress_into(packed, &mut code).ok()
    } else {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MOST as u64);
        decoder.decode_all(packed, &mut code).ok()
    };
    if len == Some(size) { Ok(code) } else { Err(CUDA_ERROR_INVALID_IMAGE) }
}
