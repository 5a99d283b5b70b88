mod directed;
mod generate;
mod lists;
mod mutate;
mod proof;
mod texts;
mod world;
