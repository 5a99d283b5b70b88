//! Compressed code of a fatbin. What is not what a compressor writes is the death of the driver in many cases
//! (F264), so that it is unpacked here first.

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::Read;

/// How an entry is compressed.
#[derive(Clone, Copy)]
pub(super) enum Packing {
    /// One block, without a frame.
    Lz4,
    /// One frame.
    Zstd,
}

/// The most that a byte can stand for.
const MOST: u64 = 1 << 15;

impl Packing {
    /// That of the flags of an entry; an error for two that contradict each other, and for the one between them, which no
    /// compiler sets and which has been the driver's death (F267).
    pub(super) fn of(flags: u64) -> Result<Option<Packing>, ()> {
        match flags & 0xe000 {
            0 => Ok(None),
            0x2000 => Ok(Some(Packing::Lz4)),
            0x8000 => Ok(Some(Packing::Zstd)),
            _ => Err(()),
        }
    }

    /// The code, if it is whole and has `size` bytes.
    pub(super) fn unpack(self, packed: &[u8], size: u64) -> Option<Vec<u8>> {
        if size > MOST.saturating_mul(packed.len() as u64) {
            return None;
        }
        let mut code = Vec::new();
        code.try_reserve_exact(size as usize).ok()?;
        code.resize(size as usize, 0);
        let whole = match self {
            Packing::Lz4 => lz4_flex::block::decompress_into(packed, &mut code)
                .is_ok_and(|len| len as u64 == size),
            Packing::Zstd => frame(packed, &mut code).is_some(),
        };
        whole.then_some(code)
    }
}

/// Unpacks one frame, behind which nothing is, to fill `code`.
fn frame(mut packed: &[u8], code: &mut [u8]) -> Option<()> {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size((code.len() as u64).max(8 << 20));
    decoder.init(&mut packed).ok()?;
    let mut len = 0;
    while !decoder.is_finished() {
        // At most what a block has more than is asked for.
        let some = BlockDecodingStrategy::UptoBytes(1 << 20);
        decoder.decode_blocks(&mut packed, some).ok()?;
        len += decoder.read(&mut code[len..]).ok()?;
        if len == code.len() && decoder.can_collect() != 0 {
            return None;
        }
    }
    (len == code.len() && decoder.can_collect() == 0 && packed.is_empty()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of so many zeros: one block that repeats a byte.
    fn zeros(size: u32) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
        frame.extend(size.to_le_bytes());
        frame.extend(&((size << 3) | 0b011).to_le_bytes()[..3]);
        frame.push(0);
        frame
    }

    #[test]
    fn what_is_unpacked_has_the_size_that_was_said() {
        let packed = zeros(100_000);
        assert_eq!(Packing::Zstd.unpack(&packed, 100_000), Some(vec![0; 100_000]));
        for size in [0, 1, 99_999, 100_001, 1 << 20, 1 << 40, u64::MAX] {
            assert_eq!(Packing::Zstd.unpack(&packed, size), None, "{size}");
        }
        let more = [&*packed, &[0]].concat();
        assert_eq!(Packing::Zstd.unpack(&more, 100_000), None);
        // A literal, and a repetition of it.
        let lz4 = [0x1f, b'x', 1, 0, 200, 0x10, b'y'];
        let code = Packing::Lz4.unpack(&lz4, 221).unwrap();
        assert_eq!((&code[..220], code[220]), (&[b'x'; 220][..], b'y'));
        for size in [0, 220, 222, u64::MAX] {
            assert_eq!(Packing::Lz4.unpack(&lz4, size), None, "{size}");
        }
        assert_eq!(Packing::Lz4.unpack(&[0x1f, b'x', 2, 0, 200, 0x10, b'y'], 221), None);
    }
}
