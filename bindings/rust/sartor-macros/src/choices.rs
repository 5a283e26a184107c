// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Enumerations as choices of points.

use proc_macro::{Delimiter, TokenStream, TokenTree};

use crate::tokens::{as_group, as_ident, is_word, split_at_commas, without_attributes, Mistake};

pub fn derive(item: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    match name_of_enumeration(&tokens) {
        Ok(name) => format!(
            "unsafe impl ::sartor::Choice for {name} {{
                const SIGNED: ::core::ffi::c_int = 0;
                const BOOL: ::core::ffi::c_int = 0;
            }}"
        )
        .parse()
        .expect("an implementation is Rust"),
        Err(mistake) => mistake.report(),
    }
}

fn name_of_enumeration(tokens: &[TokenTree]) -> Result<String, Mistake> {
    let wrong = |token: &TokenTree| {
        Mistake::new(token.span(), "#[derive(Choice)] is for enumerations without fields")
    };
    let at = tokens.iter().position(|token| is_word(token, "enum")).ok_or_else(|| wrong(&tokens[0]))?;
    let name = tokens.get(at + 1).and_then(as_ident).ok_or_else(|| wrong(&tokens[at]))?;
    let body = tokens
        .get(at + 2)
        .and_then(|token| as_group(token, Delimiter::Brace))
        .ok_or_else(|| wrong(&tokens[at]))?;
    for variant in split_at_commas(body.stream()) {
        let variant = without_attributes(&variant);
        if let Some(fields @ TokenTree::Group(_)) = variant.get(1) {
            return Err(wrong(fields));
        }
    }
    Ok(name.to_string())
}
