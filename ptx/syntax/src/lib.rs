//! The syntax of PTX: a lexer, a parser, and the tree that it makes of a text.
//!
//! [`parse`](parse::parse) reads a text. The tree says what the text says: names are not resolved, and instructions are not checked.
//!
//! ```
//! use cuscope_ptx_syntax::{parse::parse, tree::StatementKind};
//!
//! let text = ".version 8.0\n.target sm_80\n.visible .entry nothing() {\n    ret;\n}";
//! let module = parse(text)?;
//! let body = module.functions[0].body.as_ref().unwrap();
//! assert!(matches!(&body[0].kind, StatementKind::Instruction(one) if one.opcode == "ret"));
//! assert_eq!(body[0].line, 4);
//!
//! let error = parse(&text.replace('{', "")).unwrap_err();
//! assert_eq!(error.errors[0].line, 4);
//! # Ok::<(), cuscope_ptx_syntax::error::ParseError>(())
//! ```

pub mod error;
pub mod lex;
pub mod parse;
pub mod tree;
pub mod types;
