//! Arrays of the crate `ndarray` on the device, and back. `cargo run -p cuscope-examples --bin tensors`

use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, LaunchConfig, PushedGuard, Result,
    Stream, driver_kind, memory::PitchedBuffer,
};
use ndarray::{Array2, ArrayView2, s};

/// Copies an array to the device, row by row without gaps.
///
/// The elements of an array in standard layout are a slice already. Of another array, such as a transposed one, the
/// host first makes a copy in this layout.
fn upload<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    name: &str,
    array: ArrayView2<'_, f32>,
) -> Result<DeviceBuffer<'ctx, f32>> {
    let standard = array.as_standard_layout();
    let copied = if standard.is_view() { "as it is" } else { "through a copy on the host" };
    println!("{name}: {:?}, uploaded {copied}", array.dim());
    gpu.on(stream).from_slice(standard.as_slice().expect("standard layout"))
}

/// Copies an array with such a shape from the device.
fn download<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, f32>,
    shape: (usize, usize),
) -> Result<Array2<f32>> {
    let mut array = Array2::zeros(shape);
    gpu.on(stream).download(buffer, array.as_slice_mut().expect("a new array"))?;
    Ok(array)
}

/// Copies the rows of an array to the device, where each begins at an address that suits it.
///
/// Some columns of an array are no slice, but each of their rows is. So the host copies nothing.
fn upload_rows<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    array: ArrayView2<'_, f32>,
) -> Result<PitchedBuffer<'ctx, f32>> {
    let (height, width) = array.dim();
    let mut rows = gpu.alloc_pitched((width, height))?;
    gpu.scope(|s| {
        let (stream, mut rows) = (s.on(stream), s.hold(&mut rows));
        for (number, row) in array.rows().into_iter().enumerate() {
            let row = row.to_slice().expect("the elements of a row follow each other");
            stream.upload(row, &mut rows.part_mut(.., number..=number, ..)?)?;
        }
        Ok(())
    })?;
    Ok(rows)
}

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver", driver_kind());
    let stream = gpu.stream()?;
    let saxpy = gpu.load_guarded(include_str!("../../../kernels/saxpy.ptx"))?.kernel::<(
        u32,
        f32,
        &[f32],
        &mut [f32],
    )>("saxpy")?;

    // y = 2 x + y, where x is in standard layout and y is transposed.
    let shape = (30, 40);
    let x = Array2::from_shape_fn(shape, |(row, column)| (100 * row + column) as f32);
    let y = Array2::from_shape_fn((40, 30), |(row, column)| (row + 1000 * column) as f32);
    let x_dev = upload(&gpu, &stream, "x", x.view())?;
    let mut y_dev = upload(&gpu, &stream, "y, transposed", y.t())?;
    let n = x.len() as u32;
    let config = LaunchConfig::for_num_elems(n as usize)?;
    gpu.on(&stream).launch(&saxpy, config, (n, 2.0, &x_dev, &mut y_dev))?;
    let sum = download(&gpu, &stream, &y_dev, shape)?;
    assert_eq!(sum, 2.0 * &x + y.t());
    println!("2 x + y: {:?}", sum.dim());

    // Some columns of x, as rows that are a pitch apart on the device.
    let columns = x.slice(s![.., 8..24]);
    let mut rows = upload_rows(&gpu, &stream, columns)?;
    println!("columns 8 to 23 of x: {}, {} bytes from row to row", rows.extent(), rows.pitch());
    // A rectangle of them is what ndarray calls a slice: its first four columns, from row 10 on.
    gpu.on(&stream).zero(&mut rows.part_mut(..4, 10.., ..)?)?;
    let back = gpu.on(&stream).to_vec(&rows)?; // without the gaps
    let back = Array2::from_shape_vec(columns.dim(), back).expect("as many elements");
    let mut expected = columns.to_owned();
    expected.slice_mut(s![10.., ..4]).fill(0.0);
    assert_eq!(back, expected);
    gpu.pop()
}
