//! Unpacks the code that a fatbin has compressed.

use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// The maximum number of bytes that one byte of LZ4 can stand for.
const LZ4_MOST: u64 = 255;

/// Unpacks one block.
#[inline]
pub(super) fn block(packed: &[u8], size: u64) -> Option<Vec<u8>> {
    if size > LZ4_MOST.saturating_mul(packed.len() as u64) {
        return None;
    }
    let mut code = Vec::new();
    code.try_reserve_exact(size as usize).ok()?;
    code.resize(size as usize, 0);
    let len = lz4_flex::block::decompress_into(packed, &mut code).ok()?;
    (len as u64 == size).then_some(code)
}

/// Unpacks one frame, which nothing follows. The code grows as it is read, because the size is unchecked input.
#[inline]
pub(super) fn frame(packed: &[u8], size: u64) -> Option<Vec<u8>> {
    let window = size.max(8 << 20);
    let mut frame = StreamingDecoder::new_with_max_window_size(packed, window).ok()?;
    let mut code = Vec::new();
    // One byte more, if there is one, so that a longer frame is no frame of this size.
    frame.by_ref().take(size.saturating_add(1)).read_to_end(&mut code).ok()?;
    (code.len() as u64 == size && frame.into_inner().is_empty()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a frame of `size` zeros: one block that repeats a byte.
    fn zeros(size: u32) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
        frame.extend(size.to_le_bytes());
        frame.extend(&((size << 3) | 0b011).to_le_bytes()[..3]);
        frame.push(0);
        frame
    }

    /// Creates a frame of 3 bytes whose window has `1 << (10 + exponent)` bytes.
    fn windowed(exponent: u8) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3];
        frame.extend(&(3_u32 << 3 | 0b001).to_le_bytes()[..3]);
        frame.extend(b"abc");
        frame
    }

    #[test]
    #[cfg_attr(miri, ignore = "unpacks for minutes under Miri")]
    fn unpacked_code_has_the_declared_size() {
        let packed = zeros(100_000);
        assert_eq!(frame(&packed, 100_000), Some(vec![0; 100_000]));
        for size in [0, 1, 99_999, 100_001, 1 << 20, 1 << 40, u64::MAX] {
            assert_eq!(frame(&packed, size), None, "{size}");
        }
        let more = [&*packed, &[0]].concat();
        assert_eq!(frame(&more, 100_000), None);
        for (exponent, right) in [(10, true), (13, true), (14, false), (20, false)] {
            let small = windowed(exponent);
            assert_eq!(frame(&small, 3).is_some(), right, "a window of {exponent} bits more");
        }
        // A literal, and a repetition of it.
        let lz4 = [0x1f, b'x', 1, 0, 200, 0x10, b'y'];
        let code = block(&lz4, 221).unwrap();
        assert_eq!((&code[..220], code[220]), (&[b'x'; 220][..], b'y'));
        for size in [0, 220, 222, u64::MAX] {
            assert_eq!(block(&lz4, size), None, "{size}");
        }
        assert_eq!(block(&[0x1f, b'x', 2, 0, 200, 0x10, b'y'], 221), None);
    }
}
