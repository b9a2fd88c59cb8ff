/** How version 1 of the protocol calls the networks that version 2 calls by their chain. */
const FIRST_NAMES: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'base'],
  ['eip155:84532', 'base-sepolia'],
  ['eip155:137', 'polygon'],
]);

/** Undefined for a network that version 1 has no name for: there only version 2 is taken. */
export function firstNameOf(network: string): string | undefined {
  return FIRST_NAMES.get(network);
}
