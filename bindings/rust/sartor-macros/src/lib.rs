// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The attributes and derives of the crate `sartor`, where they are described.
//!
//! They read tokens by themselves: all that matters of a function is its name and its parameters'
//! types, and every crate more would be compiled for each program with handlers.

mod binding;
mod choices;
mod constant;
mod function;
mod tokens;

use proc_macro::TokenStream;

/// Makes a function a handler, the unit of specialization. `#[handler(direct)]`: every call of the
/// function, from anywhere and through any pointer to it, goes to the variant in force.
///
/// Parameters are numbers, `bool`, `char`, references, slices and raw pointers (`sartor::Parameter`).
/// A handler has no type parameters, so that there is one of it.
#[proc_macro_attribute]
pub fn handler(words: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Handler, words, item)
}

/// Makes a function one that may be called while a variant is made, and the call replaced by its
/// result: it depends on nothing but its arguments and memory that is promised then, and has no
/// side effects. It is called where every call of the handler calls it. Numbers and pointers only.
#[proc_macro_attribute]
pub fn fold(words: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Fold, words, item)
}

/// Lets values of an enumeration without fields be choices of `point_enum!`.
#[proc_macro_derive(Choice)]
pub fn choice(item: TokenStream) -> TokenStream {
    choices::derive(item)
}

/// Lets a structure be promised (`sartor::Constant`), if each of its fields can be.
#[proc_macro_derive(Constant)]
pub fn constant(item: TokenStream) -> TokenStream {
    constant::derive(item)
}

/// A handler with some arguments bound:
/// `bind!(runtime, |key: u32| -> u32 { lookup(table, key) })`. What is no parameter of the closure
/// is bound, to what it is now.
#[proc_macro]
pub fn bind(input: TokenStream) -> TokenStream {
    binding::expand(input)
}
