import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The rules of the folders, read off the sources themselves. */

interface Import {
  /** A path from the root, or the name of a package. */
  readonly target: string;
  /** Erased when it is built. */
  readonly isType: boolean;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without its comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const files = ['streams', 'src', 'test', 'bench'].flatMap(readFolder);
const byPath = new Map(files.map((file) => [file.path, file]));
const sources = within('streams/', 'src/');

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

function readFolder(folder: string): SourceFile[] {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => /\.tsx?$/.test(name)).map((name) => posix.join(folder, name));
  return paths.sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const code = withoutComments(text);
    return { path, text, code, imports: importsOf(path, code) };
  });
}

// Strings are matched as well, so that an address in one is not taken for a comment.
function withoutComments(text: string): string {
  const stringOrComment =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(stringOrComment, (_match, string: string | undefined) => string ?? '');
}

function importsOf(path: string, code: string): Import[] {
  const clause =
    /\b(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]*?\s+from\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/g;
  return [...code.matchAll(clause)].map(([, type, from, dynamic]) => {
    const name = from ?? dynamic ?? '';
    const target = name.startsWith('.') ? posix.join(posix.dirname(path), name) : name;
    return { target, isType: type !== undefined };
  });
}

function within(...folders: string[]): SourceFile[] {
  return files.filter(({ path }) => folders.some((folder) => path.startsWith(folder)));
}

function starts(...prefixes: string[]): (target: string) => boolean {
  return (target) => prefixes.some((prefix) => target === prefix || target.startsWith(prefix));
}

/** `importer -> imported` for every import that is not allowed. */
function breaches(importers: readonly SourceFile[], isAllowed: (target: string) => boolean): string[] {
  return importers.flatMap(({ path, imports }) =>
    imports.filter(({ target }) => !isAllowed(target)).map(({ target }) => `${path} -> ${target}`),
  );
}

/** `path:line word` for every match of a pattern in what `read` gives of a file. */
function findings(
  where: readonly SourceFile[],
  pattern: RegExp,
  read: (file: SourceFile) => string,
): string[] {
  return where.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line) => line.match(pattern)?.[0] ?? [])
      .map((word) => `${file.path} ${word}`),
  );
}

/** All that is loaded when a file is. */
function loadedBy(path: string, seen = new Set<string>()): Set<string> {
  for (const { target, isType } of byPath.get(path)?.imports ?? []) {
    if (isType || seen.has(target)) continue;
    seen.add(target);
    loadedBy(target, seen);
  }
  return seen;
}

function cycles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

describe('boundaries', () => {
  it('finds the sources and reads their imports', () => {
    const graph = byPath.get('streams/graph.ts')?.imports.map(({ target }) => target) ?? [];
    assert.ok(graph.includes('rxjs') && graph.includes('streams/operators/actors.ts'));
    const unknown = files.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target }) => /^(streams|src|test|bench)\/.*(?<!\.css)$/.test(target) && !byPath.has(target),
        )
        .map(({ target }) => `${path} -> ${target}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('lets the model import nothing but itself', () => {
    assert.deepEqual(breaches(within('streams/model/'), starts('streams/model/')), []);
  });

  it('lets the operators import rxjs only', () => {
    assert.deepEqual(breaches(within('streams/operators/'), starts('rxjs', 'streams/operators/')), []);
  });

  it('lets the streams import rxjs, hashes and themselves', () => {
    assert.deepEqual(breaches(within('streams/'), starts('rxjs', '@noble/hashes', 'streams/')), []);
  });

  it('shows the streams to the service through their two doors', () => {
    const isDoor = starts('streams/index.ts', 'streams/internal.ts');
    const isAllowed = (target: string) => !target.startsWith('streams/') || isDoor(target);
    assert.deepEqual(breaches(within('src/'), isAllowed), []);
  });

  it('lets no source depend on a test or a benchmark', () => {
    assert.deepEqual(
      breaches(sources, (target) => !starts('test/', 'bench/')(target)),
      [],
    );
  });

  it('keeps the database and the actors from those who answer', () => {
    const readers = within('src/server/', 'src/feed/', 'src/access/');
    const isBarred = starts('lmdb', 'src/engine/', 'src/world/', 'src/cli/', 'src/main.ts');
    assert.deepEqual(
      breaches(readers, (target) => !isBarred(target)),
      [],
    );
    const loaded = readers.flatMap(({ path }) =>
      [...loadedBy(path)].map((target) => `${path} loads ${target}`),
    );
    assert.deepEqual(
      loaded.filter((line) => isBarred(line.split(' loads ')[1] ?? '')),
      [],
    );
  });

  it('shows those who answer no more of a source than its types', () => {
    const readers = within('src/server/', 'src/feed/', 'src/access/');
    const values = readers.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isType }) => !isType && target.startsWith('src/sources/'))
        .map(({ target }) => `${path} -> ${target}`),
    );
    assert.deepEqual(values, []);
  });

  it('lets the contract see zod and itself', () => {
    assert.deepEqual(breaches(within('src/contract/'), starts('zod', 'src/contract/')), []);
  });

  it('lets the client see rxjs, itself and types of the contract, and in Node the package of sockets', () => {
    const values = within('src/client/').flatMap(({ path, imports }) =>
      imports.filter(({ isType }) => !isType).map(({ target }) => `${path} -> ${target}`),
    );
    const isAllowed = starts('rxjs', 'src/client/');
    const others = values.filter((line) => !isAllowed(line.split(' -> ')[1] ?? ''));
    assert.deepEqual(others, ['src/client/node.ts -> ws']);
    assert.ok(![...loadedBy('src/client/browser.ts')].includes('ws'));
    assert.deepEqual(
      breaches(within('src/client/'), starts('rxjs', 'src/client/', 'src/contract/', 'zod', 'ws')),
      [],
    );
  });

  it('lets the dashboard see the client for browsers, itself, and what draws it', () => {
    const isAllowed = starts('src/dashboard/', 'preact', 'uplot', 'rxjs');
    const isDoor = (target: string) => target === 'src/client/browser.ts';
    assert.deepEqual(
      breaches(within('src/dashboard/'), (target) => isAllowed(target) || isDoor(target)),
      [],
    );
    const loaded = [...loadedBy('src/dashboard/main.tsx')];
    assert.ok(loaded.includes('src/dashboard/parts/app.tsx') && !loaded.includes('zod'));
    assert.deepEqual(
      breaches(within('src/', 'test/'), starts('src/dashboard/')).filter(
        (line) => line.endsWith('.tsx') && !line.startsWith('src/dashboard/'),
      ),
      [],
    );
  });

  it('keeps the sources and the world from seeing each other', () => {
    assert.deepEqual(
      breaches(within('src/sources/'), (target) => !starts('src/world/')(target)),
      [],
    );
    assert.deepEqual(
      breaches(within('src/world/'), (target) => !starts('src/sources/')(target)),
      [],
    );
  });

  it('lets the store see the streams, the database, rxjs, the platform and the errors', () => {
    const isAllowed = starts('src/store/', 'src/errors.ts', 'streams/internal.ts', 'lmdb', 'rxjs', 'node:');
    assert.deepEqual(breaches(within('src/store/'), isAllowed), []);
  });

  it('leaves the database to the store', () => {
    const others = sources.filter(({ path }) => !path.startsWith('src/store/'));
    assert.deepEqual(
      breaches(others, (target) => target !== 'lmdb'),
      [],
    );
  });

  it('leaves the wiring to the engine, the command line and research', () => {
    const wiring = starts('src/engine/', 'src/cli/', 'src/research/', 'src/main.ts', 'src/index.ts');
    const others = sources.filter(({ path }) => !wiring(path));
    assert.deepEqual(
      breaches(others, (target) => !wiring(target)),
      [],
    );
    assert.deepEqual(
      breaches(sources, (target) => target !== 'src/main.ts'),
      [],
    );
  });

  it('has no cycles', () => assert.deepEqual(cycles(), []));

  it('has no folder for what belongs nowhere', () => {
    const homeless = /(^|\/)(utils?|helpers?|common|types)(\/|\.ts$)/;
    assert.deepEqual(
      files.map(({ path }) => path).filter((path) => homeless.test(path)),
      [],
    );
  });

  it('keeps clocks, chance, timers, the process and the console out of the streams', () => {
    const banned =
      /\bDate\b|\bMath\.random\b|\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bprocess\b|\bconsole\b|\bperformance\.(now|timeOrigin|mark|measure)\b|\bglobalThis\b|\bcrypto\.|\bfetch\(|\b(async|animationFrame)Scheduler\b|\b(debounceTime|auditTime|bufferTime|delay|interval|timer)\(/;
    assert.deepEqual(
      findings(within('streams/'), banned, ({ code }) => code),
      [],
    );
  });

  it('has no way around the types and no test left out', () => {
    // In pieces, so that this file does not hold what it looks for.
    const casts = ['as an' + 'y\\b', 'as unknown' + ' as\\b', ':\\s*an' + 'y\\b', '<an' + 'y>'];
    const comments = ['@ts-' + '(ignore|expect-error|nocheck)', 'biome-' + 'ignore'];
    const left = ['\\b(it|describe|context)\\.' + '(only|skip)\\b', '\\bx(it|describe)\\('];
    assert.deepEqual(
      findings(files, new RegExp([...casts, ...left].join('|')), ({ code }) => code),
      [],
    );
    assert.deepEqual(
      findings(files, new RegExp(comments.join('|')), ({ text }) => text),
      [],
    );
  });

  it('names providers and persons in one file only', () => {
    const words = [
      ['poly', 'market'],
      ['kal', 'shi'],
      ['x', 'tracker'],
      ['twit', 'ter'],
      ['bin', 'ance'],
      ['coin', 'base'],
      ['kra', 'ken'],
      ['mu', 'sk\\b'],
      ['zelen', 'sk'],
      ['tru', 'mp\\b'],
      ['truth', '[ -]?social'],
      ['bs', 'ky\\b'],
      ['blue', 'sky'],
      ['\\bx\\.', 'com\\b'],
    ];
    const names = new RegExp(words.map((pieces) => pieces.join('')).join('|'), 'i');
    // Inside many a word, so it is meant only where a part of a name begins and ends.
    const shortName = new RegExp(['(?<![A-Za-z])[Ee]lo', 'n(?![a-z])'].join(''));
    const others = files.filter(({ path }) => path !== 'src/sources/live.ts');
    for (const pattern of [names, shortName]) {
      assert.deepEqual(
        findings(others, pattern, ({ text, path }) => `${path}\n${text}`),
        [],
      );
    }
    const live = files.filter(({ path }) => path === 'src/sources/live.ts');
    assert.ok(live.length === 0 || findings(live, names, ({ text }) => text).length > 0);
  });
});
