/** Taken in by the bundler. */
declare module '*.css';
