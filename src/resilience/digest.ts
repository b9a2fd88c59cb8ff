import { hash } from 'node:crypto';

/**
 * Stands for a value in little room: the same for the same JSON, and practically never for another one. What was delivered
 * last is compared with by it, as the texts of thousands of events and posts would take more memory than all else.
 */
export function digestOf(value: unknown): string {
  return textDigest(JSON.stringify(value));
}

/** The same of a text that there is already. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'base64');
}
