// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A minimal parser of token streams.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// An error in the source, and its location.
pub struct Mistake {
    pub place: Span,
    pub text: String,
}

impl Mistake {
    pub fn new(place: Span, text: impl Into<String>) -> Self {
        Mistake { place, text: text.into() }
    }

    /// Converts it to a compiler error.
    pub fn report(&self) -> TokenStream {
        let text = format!("::core::compile_error!({:?});", format!("sartor: {}", self.text));
        let tokens: TokenStream = text.parse().expect("an error is Rust");
        let place = self.place;
        tokens
            .into_iter()
            .map(|mut token| {
                token.set_span(place);
                token
            })
            .collect()
    }
}

pub fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

pub fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

pub fn as_group(token: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

pub fn as_ident(token: &TokenTree) -> Option<&Ident> {
    match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    }
}

/// Splits at commas outside of angle brackets; groups are one token anyway.
pub fn split_at_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0usize;
    let mut after_dash = false;
    for token in tokens {
        if is_punct(&token, '<') {
            depth += 1;
        } else if is_punct(&token, '>') && !after_dash {
            depth = depth.saturating_sub(1);
        }
        after_dash = is_punct(&token, '-');
        if is_punct(&token, ',') && depth == 0 {
            parts.push(Vec::new());
        } else {
            parts.last_mut().expect("there is one").push(token);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Skips leading attributes.
pub fn without_attributes(mut tokens: &[TokenTree]) -> &[TokenTree] {
    while tokens.len() >= 2 && is_punct(&tokens[0], '#') {
        tokens = &tokens[2..];
    }
    tokens
}

/// Index of the colon between a pattern and its type.
pub fn colon_of(tokens: &[TokenTree]) -> Option<usize> {
    (0..tokens.len()).find(|&i| {
        is_punct(&tokens[i], ':')
            && !tokens.get(i + 1).is_some_and(|next| is_punct(next, ':'))
            && !(i > 0 && is_punct(&tokens[i - 1], ':'))
    })
}

/// Replaces every named lifetime by `'_`: the name is not defined outside of the function.
pub fn with_lifetimes_left_out(tokens: &[TokenTree]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .iter()
        .map(|token| {
            let replaced = match token {
                TokenTree::Ident(ident) if after_quote && ident.to_string() != "static" => {
                    TokenTree::Ident(Ident::new("_", ident.span()))
                }
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let mut copy = Group::new(group.delimiter(), with_lifetimes_left_out(&inside));
                    copy.set_span(group.span());
                    TokenTree::Group(copy)
                }
                other => other.clone(),
            };
            after_quote = is_punct(token, '\'');
            replaced
        })
        .collect()
}
