// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Structures that can be promised.

use proc_macro::{Delimiter, TokenStream, TokenTree};

use crate::tokens::{
    as_group, as_ident, colon_of, is_punct, is_word, split_at_commas, without_attributes, Mistake,
};

pub fn derive(item: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    match implementation(&tokens) {
        Ok(text) => text.parse().expect("an implementation is Rust"),
        Err(mistake) => mistake.report(),
    }
}

fn implementation(tokens: &[TokenTree]) -> Result<String, Mistake> {
    let wrong = |token: &TokenTree| {
        Mistake::new(
            token.span(),
            "#[derive(Constant)] is for structures; of others, implement sartor::Constant",
        )
    };
    let at = tokens.iter().position(|token| is_word(token, "struct")).ok_or_else(|| wrong(&tokens[0]))?;
    let name = tokens.get(at + 1).and_then(as_ident).ok_or_else(|| wrong(&tokens[at]))?;
    let (generics, behind) = Generics::read(&tokens[at + 2..]);
    let is_body = |token: &TokenTree| {
        as_group(token, Delimiter::Brace).or(as_group(token, Delimiter::Parenthesis)).is_some()
    };
    let body = behind.iter().position(is_body);
    let fields = body.map_or_else(Vec::new, |body| fields_of(&behind[body]));
    let mut conditions: String = behind
        .iter()
        .filter(|token| !is_body(token) && !is_punct(token, ';') && !is_word(token, "where"))
        .map(|token| format!("{token} "))
        .collect();
    if !conditions.is_empty() && !conditions.trim_end().ends_with(',') {
        conditions += ", ";
    }
    let mut flat = "true".to_string();
    let mut parts = String::new();
    for (field, of) in &fields {
        conditions += &format!("{of}: ::sartor::Constant, ");
        flat += &format!(" && <{of} as ::sartor::Constant>::FLAT");
        parts += &format!("::sartor::Constant::parts(&self.{field}, add);");
    }
    let Generics { parameters, arguments } = generics;
    Ok(format!(
        "unsafe impl<{parameters}> ::sartor::Constant for {name}<{arguments}> where {conditions} {{
            const FLAT: bool = {flat};
            fn parts(&self, add: &mut ::sartor::AddPart<'_>) {{ let _ = &add; {parts} }}
        }}
        impl<{parameters}> {name}<{arguments}> where {conditions} {{
            #[doc(hidden)]
            pub fn sartor_parts(&self, add: &mut ::sartor::AddPart<'_>) {{
                ::sartor::add_all(self, add);
            }}
        }}"
    ))
}

/// As an implementation has them: with bounds, and without.
#[derive(Default)]
struct Generics {
    parameters: String,
    arguments: String,
}

impl Generics {
    /// And what comes behind them.
    fn read(tokens: &[TokenTree]) -> (Generics, &[TokenTree]) {
        if !tokens.first().is_some_and(|token| is_punct(token, '<')) {
            return (Generics::default(), tokens);
        }
        let mut depth = 0;
        let end = tokens.iter().position(|token| {
            depth += i32::from(is_punct(token, '<')) - i32::from(is_punct(token, '>'));
            depth == 0
        });
        let end = end.unwrap_or(tokens.len() - 1);
        let mut generics = Generics::default();
        for parameter in split_at_commas(tokens[1..end].iter().cloned().collect()) {
            let written = parameter.split(|token| is_punct(token, '=')).next().unwrap_or(&[]);
            generics.parameters += &format!("{}, ", text_of(written));
            let named = parameter.split(|token| is_punct(token, ':')).next().unwrap_or(&[]);
            let named = named.split(|token| is_punct(token, '=')).next().unwrap_or(&[]);
            let named = if is_word(&named[0], "const") { &named[1..] } else { named };
            generics.arguments += &format!("{}, ", text_of(named));
        }
        (generics, &tokens[end + 1..])
    }
}

fn text_of(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

fn fields_of(body: &TokenTree) -> Vec<(String, String)> {
    if let Some(fields) = as_group(body, Delimiter::Brace) {
        return split_at_commas(fields.stream()).iter().map(|field| named(field)).collect();
    }
    let fields = as_group(body, Delimiter::Parenthesis).expect("it is one or the other");
    let types = split_at_commas(fields.stream());
    types.iter().enumerate().map(|(i, field)| (i.to_string(), unnamed(field))).collect()
}

fn named(field: &[TokenTree]) -> (String, String) {
    let field = without_attributes(field);
    let colon = colon_of(field).expect("a field has a type");
    let of = text_of(&field[colon + 1..]);
    (field[colon - 1].to_string(), of)
}

fn unnamed(field: &[TokenTree]) -> String {
    let mut field = without_attributes(field);
    if field.first().is_some_and(|token| is_word(token, "pub")) {
        field = &field[1..];
        if field.len() > 1 && as_group(&field[0], Delimiter::Parenthesis).is_some() {
            field = &field[1..];
        }
    }
    text_of(field)
}
