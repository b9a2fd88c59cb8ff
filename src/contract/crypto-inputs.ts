/** What a crypto record is made of. */
export const CRYPTO_INPUTS = ['prices', 'events', 'crypto'] as const;
