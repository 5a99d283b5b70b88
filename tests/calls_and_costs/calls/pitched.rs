//! Rows and planes.

use super::rows::WAIT;
use super::table::Table;
use cuscope::PushedGuard;

const ROWS: &str = "cuMemcpy2DAsync_v2";
const PLANES: &str = "cuMemcpy3DAsync_v2";
const FILL_ROWS: &str = "cuMemsetD2D32Async";
const ZERO_ROWS: &str = "cuMemsetD2D8Async";

pub(crate) fn pitched(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Rows and planes");
    let mut stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let alloc = &["cuMemAllocPitch_v2"];
    let mut x =
        t.row("PushedGuard::alloc_pitched", alloc, || gpu.alloc_pitched::<u32>((4, 4))).unwrap();
    let mut y = gpu.alloc_pitched::<u32>((4, 4, 2)).unwrap();
    let z = gpu.alloc_pitched::<u32>((4, 4, 2)).unwrap();
    let mut host = [7_u32; 16];
    t.row("SyncStream::upload, rows", &[ROWS, WAIT], || on.upload(&host, &mut x)).unwrap();
    t.row("SyncStream::download, rows", &[ROWS, WAIT], || on.download(&x, &mut host)).unwrap();
    t.row("SyncStream::copy, planes", &[PLANES, WAIT], || on.copy(&z, &mut y)).unwrap();
    t.row("SyncStream::fill, rows", &[FILL_ROWS, WAIT], || on.fill(&mut x, 1)).unwrap();
    t.row("SyncStream::zero, planes", &[ZERO_ROWS, WAIT], || on.zero(&mut y)).unwrap();
    let mut upper = y.part_mut(.., ..2, ..).unwrap();
    let each = [FILL_ROWS, FILL_ROWS, WAIT];
    t.row("SyncStream::fill, some rows of two planes", &each, || on.fill(&mut upper, 1)).unwrap();
    gpu.scope(|s| {
        let (run, mut y) = (s.on(&stream), s.hold(&mut y));
        let row = "ScopedStream::upload, rows";
        t.row(row, &[ROWS], || run.upload(&host, &mut s.hold(&mut x)))?;
        t.row("ScopedStream::copy, planes", &[PLANES], || run.copy(&z, &mut y))?;
        t.row("ScopedStream::fill, planes", &[FILL_ROWS], || run.fill(&mut y, 1))
    })
    .unwrap();
    let captured = gpu.capture(&mut stream, |c| {
        let (run, mut y) = (c.stream(), c.hold(&mut y));
        t.row("CaptureStream::copy, planes", &[PLANES], || run.copy(&z, &mut y))?;
        t.row("CaptureStream::fill, planes", &[FILL_ROWS], || run.fill(&mut y, 1))
    });
    drop(captured.unwrap());
    let built = gpu.build_graph(|g| {
        let mut y = g.hold(&mut y);
        let row = "GraphBuilder::copy, planes";
        t.row(row, &["cuGraphAddMemcpyNode"], || g.copy(&[], &z, &mut y))?;
        let row = "GraphBuilder::fill, planes";
        t.row(row, &["cuGraphAddMemsetNode"], || g.fill(&[], &mut y, 1))
    });
    drop(built.unwrap());
}
