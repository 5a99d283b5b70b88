//! Fatbins with compressed code are errors that name the feature `compressed`. Others are as with the feature.

use cuscope::image::ImageProblem;
use cuscope::{Error, Fatbin};

/// A cubin and PTX, compressed.
const COMPRESSED: [&[u8]; 2] = [
    include_bytes!("../../../tests/code/signatures.lz4.fatbin"),
    include_bytes!("../../../tests/code/signatures.zstd.fatbin"),
];

fn main() {
    for fatbin in COMPRESSED {
        let error = Fatbin::new(fatbin).expect_err("it is compressed");
        let Error::Image(image) = &error else { panic!("{error}") };
        assert!(matches!(image.problem(), ImageProblem::Compressed { .. }), "{image}");
        assert!(image.to_string().contains("enable the feature `compressed`"), "{image}");
        // Damage is reported as damage.
        let Err(Error::Image(image)) = Fatbin::new(&fatbin[..fatbin.len() - 8]) else { panic!() };
        assert!(matches!(image.problem(), ImageProblem::Truncated { .. }), "{image}");
        println!("{error}");
    }
    let fatbin = plain();
    assert_eq!(Fatbin::new(&fatbin).expect("it is not compressed").bytes(), fatbin);
}

/// A fatbin with the PTX of the example, as it is.
fn plain() -> Vec<u8> {
    let mut ptx = [include_bytes!("../../../examples/kernels/saxpy.ptx").as_slice(), &[0]].concat();
    ptx.resize(ptx.len().next_multiple_of(8), 0);
    // The header of an entry, with empty options of the compiler.
    let mut head = vec![0; 72];
    head[..8].copy_from_slice(&[1, 0, 1, 1, 72, 0, 0, 0]);
    head[8..16].copy_from_slice(&(ptx.len() as u64).to_le_bytes());
    head[20] = 64;
    let len = head.len() + ptx.len();
    let magic = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    [&magic, &(len as u64).to_le_bytes()[..], &head, &ptx].concat()
}
