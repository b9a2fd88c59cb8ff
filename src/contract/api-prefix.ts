/** Every path of the interface lies under it (spec 9). */
export const API_PREFIX = '/api/v1';
