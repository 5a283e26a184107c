// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Derives `Constant` for structures and enumerations that can be declared invariant.

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
            "#[derive(Constant)] is for structures and enumerations; of others, implement sartor::Constant",
        )
    };
    let is_kind = |token: &TokenTree| is_word(token, "struct") || is_word(token, "enum");
    let at = tokens.iter().position(is_kind).ok_or_else(|| wrong(&tokens[0]))?;
    let name = tokens.get(at + 1).and_then(as_ident).ok_or_else(|| wrong(&tokens[at]))?;
    let (generics, behind) = Generics::read(&tokens[at + 2..]);
    let is_body = |token: &TokenTree| {
        as_group(token, Delimiter::Brace).or(as_group(token, Delimiter::Parenthesis)).is_some()
    };
    let body = behind.iter().find(|token| is_body(token));
    let shapes = if is_word(&tokens[at], "enum") {
        body.map_or_else(Vec::new, shapes_of)
    } else {
        vec![Shape { path: "Self".to_string(), fields: body.map_or_else(Vec::new, fields_of) }]
    };
    let mut conditions: String = behind
        .iter()
        .filter(|token| !is_body(token) && !is_punct(token, ';') && !is_word(token, "where"))
        .map(|token| format!("{token} "))
        .collect();
    if !conditions.is_empty() && !conditions.trim_end().ends_with(',') {
        conditions += ", ";
    }
    // Conditions on its parameters, not on its fields: a field may own values of the type itself.
    let Generics { parameters, arguments, types } = generics;
    for of in types {
        conditions += &format!("{of}: ::sartor::Constant, ");
    }
    let mut flat = "true".to_string();
    for (_, of) in shapes.iter().flat_map(|shape| &shape.fields) {
        flat += &format!(" && <{of} as ::sartor::Constant>::FLAT");
    }
    let arms: String = shapes.iter().map(Shape::arm).collect();
    Ok(format!(
        "unsafe impl<{parameters}> ::sartor::Constant for {name}<{arguments}> where {conditions} {{
            const FLAT: bool = {flat};
            fn parts(&self, add: &mut ::sartor::AddPart<'_>) {{ let _ = &add; match *self {{ {arms} }} }}
        }}
        impl<{parameters}> {name}<{arguments}> where {conditions} {{
            #[doc(hidden)]
            pub fn sartor_parts(&self, add: &mut ::sartor::AddPart<'_>) {{
                ::sartor::add_all(self, add);
            }}
        }}"
    ))
}

/// A structure, or a variant of an enumeration: the names or numbers of its fields, and their types.
struct Shape {
    path: String,
    fields: Vec<(String, String)>,
}

impl Shape {
    /// Arm of a match that adds the memory owned by the fields.
    fn arm(&self) -> String {
        let bound = |i: usize, field: &str| format!("{field}: ref field_{i}, ");
        let pattern: String = self.fields.iter().enumerate().map(|(i, (field, _))| bound(i, field)).collect();
        let parts: String =
            (0..self.fields.len()).map(|i| format!("::sartor::Constant::parts(field_{i}, add);")).collect();
        format!("{} {{ {pattern} }} => {{ {parts} }}", self.path)
    }
}

/// Generic parameters in the forms that an implementation needs: with bounds, and without.
#[derive(Default)]
struct Generics {
    parameters: String,
    arguments: String,
    types: Vec<String>,
}

impl Generics {
    /// Returns also the tokens after them.
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
            let is_const = is_word(&named[0], "const");
            let named = if is_const { &named[1..] } else { named };
            generics.arguments += &format!("{}, ", text_of(named));
            if !is_const && !is_punct(&named[0], '\'') {
                generics.types.push(text_of(named));
            }
        }
        (generics, &tokens[end + 1..])
    }
}

fn text_of(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

/// Shapes of the variants of an enumeration.
fn shapes_of(body: &TokenTree) -> Vec<Shape> {
    let body = as_group(body, Delimiter::Brace).expect("an enumeration has braces");
    split_at_commas(body.stream())
        .iter()
        .map(|variant| {
            let variant = without_attributes(variant);
            let fields = variant.get(1).filter(|token| matches!(token, TokenTree::Group(_)));
            Shape { path: format!("Self::{}", variant[0]), fields: fields.map_or_else(Vec::new, fields_of) }
        })
        .collect()
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
