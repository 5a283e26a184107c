fn main() {
    sartor_build::handlers("src/handlers.rs");
}
