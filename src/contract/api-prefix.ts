/** Prefix of every path of the interface (spec 9). */
export const API_PREFIX = '/api/v1';
