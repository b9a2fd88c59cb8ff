import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Tier } from '../tiers.ts';

/** `tw_<tier>_`, 24 random characters, and 6 of a checksum over all before them. */
const FORM = /^(tw_(?:free|pro|internal)_[0-9A-Za-z]{24})([0-9A-Za-z]{6})$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARS = 24;
const CHECKSUM_CHARS = 6;
const ID_CHARS = 8;

/** A secret of 142 bits. */
export function mintKey(tier: Tier, bytesOf: (length: number) => Uint8Array = randomBytes): string {
  const body = `tw_${tier.toLowerCase()}_${randomText(SECRET_CHARS, bytesOf)}`;
  return body + checksumOf(body);
}

export function mintId(): string {
  return randomText(ID_CHARS, randomBytes);
}

/** Whether a text has the form and the checksum of a key, so that most mistyped ones are refused without a look-up. */
export function isWellFormed(text: string): boolean {
  const [, body, checksum] = FORM.exec(text) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_CHARS; digit++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function randomText(length: number, bytesOf: (length: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of bytesOf(length)) {
      // 248 is the largest multiple of 62 in a byte: above it some characters would come more often.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
