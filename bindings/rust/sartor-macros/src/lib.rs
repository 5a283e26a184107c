// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The attributes and derives of the crate `sartor`, which documents them.
//!
//! They parse tokens without other crates: only a function's name and its parameters' types matter, and every
//! additional crate would be compiled for each program with handlers.

mod binding;
mod choices;
mod constant;
mod function;
mod tokens;

use proc_macro::TokenStream;

/// Makes a function a handler, the unit of specialization. `#[handler(direct)]`: every call of the function,
/// from anywhere and through any pointer to it, goes to the active variant.
///
/// Parameters are numbers, `bool`, `char`, references, slices and raw pointers (`sartor::Parameter`). A
/// handler has no type parameters, so that there is only one instance of it.
#[proc_macro_attribute]
pub fn handler(words: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Handler, words, item)
}

/// Allows the compiler to call the function while a variant is compiled, and to replace the call by its
/// result. The function must depend on nothing but its arguments and memory that is declared invariant at
/// that time, and must have no side effects. It is called only where every call of the handler calls it.
/// Numbers and pointers only.
#[proc_macro_attribute]
pub fn fold(words: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Fold, words, item)
}

/// Lets values of an enumeration without fields be choices of `point_enum!`.
#[proc_macro_derive(Choice)]
pub fn choice(item: TokenStream) -> TokenStream {
    choices::derive(item)
}

/// Allows declaring a structure invariant (`sartor::Constant`), if that is allowed for each of its fields.
#[proc_macro_derive(Constant)]
pub fn constant(item: TokenStream) -> TokenStream {
    constant::derive(item)
}

/// A handler with some arguments bound: `bind!(runtime, |key: u32| -> u32 { lookup(table, key) })`. Arguments
/// that are not parameters of the closure are bound to their current values.
#[proc_macro]
pub fn bind(input: TokenStream) -> TokenStream {
    binding::expand(input)
}
