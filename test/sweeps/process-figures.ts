import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What the system knows of a process. Only Linux tells. */
export interface ProcessFigures {
  readonly rssBytes: number;
  /** The part of it that belongs to the process alone. */
  readonly anonymousBytes: number;
  /** The part that is pages of files, the store's among them. */
  readonly fileBytes: number;
  readonly openFiles: number;
  readonly threads: number;
}

const KILOBYTE = 1_024;

export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    rssBytes: figure('VmRSS') * KILOBYTE,
    anonymousBytes: figure('RssAnon') * KILOBYTE,
    fileBytes: figure('RssFile') * KILOBYTE,
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure('Threads'),
  };
}

/** Ports of IPv4 that the process listens on. */
export function listeningPorts(pid: number): readonly number[] {
  const owned = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return readFileSync(`/proc/${pid}/net/tcp`, 'latin1')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && owned.has(`socket:[${inode}]`))
    .map(([, local = '']) => Number.parseInt(local.slice(local.indexOf(':') + 1), 16));
}

const LISTENING = '0A';

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since the folder was listed.
    return undefined;
  }
}
