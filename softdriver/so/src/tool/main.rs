//! `cuscope-softcuda`: runs a program with the software driver as its libcuda.so.1.

#[cfg(target_os = "linux")]
mod library;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod report;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use options::Command;
    use std::process::ExitCode;

    let command = match options::parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("cuscope-softcuda: {error}; `cuscope-softcuda --help` lists the options");
            return ExitCode::from(2);
        }
    };
    let done = match command {
        Command::Help => {
            print!("{}", options::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Command::Version => {
            println!("cuscope-softcuda {}", env!("CARGO_PKG_VERSION"));
            Ok(ExitCode::SUCCESS)
        }
        Command::Library(folder) => library::write(&folder).map(|()| {
            println!("{}", folder.display());
            ExitCode::SUCCESS
        }),
        Command::Run(run) => program::run(&run),
    };
    done.unwrap_or_else(|error| {
        eprintln!("cuscope-softcuda: {error}");
        ExitCode::from(2)
    })
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("cuscope-softcuda: only Linux has a libcuda.so.1");
    std::process::exit(2);
}
