import { getSystemErrorMap } from 'node:util';

/** What the codes of the system mean, where its own words are for programmers. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EEXIST: 'something else of this name is in the way',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EADDRINUSE: 'the port is taken by another program',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side ended the connection',
  ETIMEDOUT: 'there was no answer in time',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up now',
};

/** `ENOENT: no such file or directory, open 'posts.csv'`, as Node says it of files. */
const OF_FILE = /\b(E[A-Z0-9_]{3,}): ([^,]+), \w+(?: '([^']*)')?(?: -> '[^']*')?/g;
/** `connect ECONNREFUSED 127.0.0.1:80` or `listen EACCES: permission denied /a.sock`, as Node says it of connections. */
const OF_CONNECTION = /\b[a-z]+ (E[A-Z0-9_]{3,})(?:: [a-z]+(?: [a-z]+)*)?(?: (\S+))?/g;

export function wordsFor(code: string): string | undefined {
  const known = WORDS[code];
  if (known !== undefined) return known;
  for (const [name, words] of getSystemErrorMap().values()) if (name === code) return words;
  return undefined;
}

/** The same text with words for the codes of the system in it. */
export function inWords(text: string): string {
  return text
    .replace(OF_FILE, (_all, code: string, said: string, path: string | undefined, at: number) => {
      const words = wordsFor(code) ?? said;
      const isNamed = path === undefined || text.slice(0, at).includes(path);
      return isNamed ? words : `${path}: ${words}`;
    })
    .replace(OF_CONNECTION, (all: string, code: string, at: string | undefined) => {
      const words = wordsFor(code);
      if (words === undefined) return all;
      return at === undefined ? words : `${at}: ${words}`;
    });
}
