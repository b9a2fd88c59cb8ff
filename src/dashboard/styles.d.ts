/** The bundler collects these. */
declare module '*.css';
