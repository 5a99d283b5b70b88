//! The ratios, drawn.

use crate::bench::OPERATIONS;
use crate::page::COLUMNS;
use crate::report::numbers;
use plotters::prelude::*;
use serde_json::Value;
use std::path::Path;

/// One line of dots an operation: cuscope, the null test, the peers.
pub fn write(measured: &Value, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let colour = |name: &str| match name {
        "C, again" => RGBColor(150, 150, 150),
        "cuscope" => RGBColor(200, 30, 30),
        "cuscope, in a scope" => RGBColor(240, 130, 30),
        "cust" => RGBColor(30, 110, 200),
        "RustaCUDA" => RGBColor(120, 190, 240),
        "cudarc" => RGBColor(20, 120, 60),
        "cudarc, untracked" => RGBColor(110, 190, 100),
        "cudarc, default stream" => RGBColor(180, 220, 120),
        "cuda-core" => RGBColor(0, 150, 150),
        "oxicuda" => RGBColor(130, 60, 170),
        _ => RGBColor(80, 60, 40),
    };
    let rows: Vec<_> =
        OPERATIONS.iter().filter(|it| measured[it.name]["values"].is_object()).collect();
    let area = SVGBackend::new(path, (1100, 120 + 28 * rows.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption("time of an operation, relative to C (median and quartiles)", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(290)
        .build_cartesian_2d(0.9..2.9, -0.5..count - 0.5)?;
    let title = |y: &f64| {
        let at = count - 1.0 - y;
        let near = (at - at.round()).abs() < 0.01 && at.round() >= 0.0;
        near.then(|| rows.get(at.round() as usize))
            .flatten()
            .map_or(String::new(), |row| row.title.into())
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(rows.len() * 2)
        .y_label_formatter(&title)
        .x_label_formatter(&|x| format!("{x:.2}"))
        .x_labels(20)
        .draw()?;
    chart.draw_series([PathElement::new(
        [(1.02, -0.5), (1.02, count - 0.5)],
        RGBColor(200, 30, 30).mix(0.4),
    )])?;
    for (place, name) in COLUMNS[1..].iter().enumerate() {
        let style = colour(name);
        let dots: Vec<_> = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| {
                let spread = numbers(&measured[row.name]["values"][name]["ratio"])?;
                let y = count - 1.0 - at as f64 + 0.36 - 0.072 * place as f64;
                Some((y, spread.map(|ratio| ratio.clamp(0.9, 2.9))))
            })
            .collect();
        chart.draw_series(
            dots.iter().map(|&(y, [low, _, high])| {
                PathElement::new([(low, y), (high, y)], style.mix(0.6))
            }),
        )?;
        chart
            .draw_series(
                dots.iter().map(|&(y, [_, median, _])| Circle::new((median, y), 3, style.filled())),
            )?
            .label(*name)
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, style.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
