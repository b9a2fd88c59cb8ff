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
  /** Loaded only when the code comes to it. */
  readonly isLater: boolean;
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
    return { target, isType: type !== undefined, isLater: dynamic !== undefined };
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

/** All that is loaded when a file is, sooner or later. */
function loadedBy(path: string, isLaterToo = true, seen = new Set<string>()): Set<string> {
  for (const { target, isType, isLater } of byPath.get(path)?.imports ?? []) {
    if (isType || seen.has(target) || (isLater && !isLaterToo)) continue;
    seen.add(target);
    loadedBy(target, isLaterToo, seen);
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

/** Seen by every room of `src`. */
const BASE = ['streams/internal.ts', 'src/contract', 'src/errors.ts', 'src/resilience'];

/**
 * Who may import whom: the rooms or files that a room sees beside itself; `type x` allows types of x alone. A room is
 * a folder of `src` or `streams`; a file at the top of `src` is a room of its own.
 */
const MAY_SEE: Readonly<Record<string, readonly string[]>> = {
  'streams/model': [],
  'streams/operators': [],
  'streams/pipelines': ['streams'],
  'streams/*.ts': ['streams'],
  'src/errors.ts': [],
  'src/resilience': BASE,
  'src/contract': BASE,
  'src/client': ['type src/contract'],
  'src/dashboard': ['src/client/browser.ts', 'src/contract/alert-figures.ts', 'src/alerts/condition.ts'],
  'src/store': BASE,
  'src/bus': BASE,
  'src/sources': BASE,
  'src/world': BASE,
  'src/simulation': BASE,
  'src/views': [...BASE, 'src/store/store.ts', 'type src/sources', 'src/access/tiers.ts'],
  'src/access': [...BASE, 'src/store/store.ts'],
  'src/payments': [...BASE, 'src/store/store.ts', 'src/access'],
  'src/server': [
    ...BASE,
    'src/views',
    'src/access',
    'src/payments',
    'type src/store',
    'type src/sources',
    'type src/alerts',
    // The pages of the API keep the colours and the key where the dashboard does.
    'src/dashboard/stored-choices.ts',
  ],
  'src/feed': [...BASE, 'src/views', 'src/access', 'type src/store'],
  'src/engine': [...BASE, 'src/store', 'src/simulation', 'type src/sources', 'src/views/latest.ts'],
  'src/research': [...BASE, 'src/store', 'src/simulation'],
  'src/observability': [...BASE, 'type src/'],
  'src/alerts': [...BASE, 'type src/store', 'src/views'],
  'src/config': BASE,
  'src/cluster': [
    ...BASE,
    'src/bus',
    'src/store',
    'src/feed',
    'src/views',
    'src/access',
    'src/payments',
    'type src/engine',
  ],
  'src/service': ['src/', 'streams/internal.ts'],
  'src/cli': ['src/', 'streams/internal.ts'],
  'src/main.ts': ['src/cli'],
  'src/index.ts': [
    'src/service',
    'src/config',
    'src/errors.ts',
    'src/research',
    'src/store',
    'src/world',
    'streams/index.ts',
  ],
  'src/bundle-dashboard.ts': [],
  'src/bundle-program.ts': [],
  'src/copy-database.ts': [],
  'src/bundle-docs.ts': [],
  'src/package-client.ts': ['src/client-types.ts', 'src/contract'],
  'src/client-types.ts': ['src/contract'],
  'src/examples': [],
};

/** Who alone may see a room that holds everything together. */
const SEEN_BY: Readonly<Record<string, readonly string[]>> = {
  'src/service': ['src/cli', 'src/index.ts'],
  'src/observability': ['src/service'],
  'src/cli': ['src/main.ts'],
  'src/main.ts': [],
  'src/index.ts': [],
};

/** The rooms that use a package; each one earns its place there. */
const USED_IN: Readonly<Record<string, readonly string[]>> = {
  '#database': ['src/store'],
  '@koa/router': ['src/server'],
  '@nats-io/jetstream': ['src/bus'],
  '@nats-io/transport-node': ['src/bus'],
  '@noble/curves': ['src/world'],
  '@noble/hashes': ['src/world', 'streams/pipelines'],
  '@x402/core': ['src/examples'],
  '@x402/evm': ['src/examples'],
  commander: ['src/cli'],
  esbuild: [
    'src/bundle-dashboard.ts',
    'src/bundle-docs.ts',
    'src/bundle-program.ts',
    'src/copy-database.ts',
    'src/package-client.ts',
  ],
  'hyparquet-writer': ['src/research'],
  koa: ['src/server'],
  'lru-cache': ['src/feed', 'src/resilience', 'src/server', 'src/views', 'src/world'],
  preact: ['src/dashboard'],
  'prom-client': ['src/observability'],
  rxjs: [
    'src/cli',
    'src/client',
    'src/cluster',
    'src/dashboard',
    'src/engine',
    'src/feed',
    'src/sources',
    'src/views',
    'streams/*.ts',
    'streams/operators',
    'streams/pipelines',
  ],
  tallywire: ['src/examples'],
  'temporal-polyfill': ['src/research', 'src/sources', 'src/world'],
  uplot: ['src/dashboard'],
  viem: ['src/examples'],
  ws: ['src/client', 'src/feed', 'src/sources', 'src/world'],
  zod: [
    'src/access',
    'src/alerts',
    'src/bus',
    'src/cli',
    'src/client',
    'src/client-types.ts',
    'src/cluster',
    'src/config',
    'src/contract',
    'src/feed',
    'src/payments',
    'src/server',
    'src/service',
    'src/sources',
    'src/views',
    'src/world',
  ],
};

/** Rooms that run in a browser, or anywhere. */
const WITHOUT_NODE = ['streams/', 'src/contract/', 'src/client/', 'src/dashboard/', 'src/errors.ts'];

function roomOf(path: string): string {
  const [top = '', folder = '', deeper] = path.split('/');
  if (top !== 'src' && top !== 'streams') return path;
  if (deeper === undefined) return top === 'streams' ? 'streams/*.ts' : path;
  return `${top}/${folder}`;
}

function allows(entry: string, { target, isType }: Import): boolean {
  const [, typeOnly, name = ''] = /^(type )?(.*)$/.exec(entry) ?? [];
  if (typeOnly !== undefined && !isType) return false;
  return target === name || target.startsWith(name.endsWith('/') ? name : `${name}/`);
}

/** The imports of other rooms, with the room that has them. */
const seen = sources.flatMap(({ path, imports }) =>
  imports
    .filter(({ target }) => /^(src|streams)\//.test(target) && roomOf(target) !== roomOf(path))
    .map((imported) => ({ path, room: roomOf(path), imported })),
);

const packagesSeen = sources.flatMap(({ path, imports }) =>
  imports
    .filter(({ target }) => !/^(src|streams|test|bench)\/|^node:/.test(target))
    .map(({ target }) => ({
      path,
      room: roomOf(path),
      name: /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target,
    })),
);

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

  it('lets every room see what its row of the table names, and nothing else', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(path)));
    assert.deepEqual(Object.keys(MAY_SEE).sort(), [...rooms].sort());
    const found = seen.filter(
      ({ room, imported }) => !MAY_SEE[room]?.some((entry) => allows(entry, imported)),
    );
    assert.deepEqual(
      found.map(({ path, imported }) => `${path} -> ${imported.isType ? 'type ' : ''}${imported.target}`),
      [],
    );
  });

  it('grants no sight that nobody needs', () => {
    const idle = Object.entries(MAY_SEE).flatMap(([room, row]) =>
      row
        .filter((entry) => !BASE.includes(entry))
        .filter((entry) => !seen.some((each) => each.room === room && allows(entry, each.imported)))
        .map((entry) => `${room}: ${entry}`),
    );
    assert.deepEqual(idle, []);
  });

  it('hides the rooms that hold everything together', () => {
    const found = seen.filter(({ room, imported }) => {
      const viewers = SEEN_BY[roomOf(imported.target)];
      return viewers !== undefined && !viewers.includes(room);
    });
    assert.deepEqual(
      found.map(({ path, imported }) => `${path} -> ${imported.target}`),
      [],
    );
  });

  it('keeps each package in the rooms that need it, and node out of what runs anywhere', () => {
    const pairs = new Set(packagesSeen.map(({ room, name }) => `${name} in ${room}`));
    const table = Object.entries(USED_IN).flatMap(([name, rooms]) =>
      rooms.map((room) => `${name} in ${room}`),
    );
    assert.deepEqual([...pairs].sort(), table.sort());
    assert.deepEqual(
      breaches(within(...WITHOUT_NODE), (target) => !target.startsWith('node:')),
      [],
    );
  });

  it('loads no database, actor or world behind those who answer', () => {
    const readers = within('src/server/', 'src/feed/', 'src/views/', 'src/access/', 'src/payments/');
    const isBarred = starts(
      '#database',
      'src/engine/',
      'src/world/',
      'src/cli/',
      'src/service/',
      'src/main.ts',
    );
    const loaded = readers.flatMap(({ path }) =>
      [...loadedBy(path)].filter(isBarred).map((target) => `${path} loads ${target}`),
    );
    assert.deepEqual(loaded, []);
  });

  it('loads nothing of several machines until there is a bus', () => {
    const isOfSeveral = starts('@nats-io/', 'src/bus/', 'src/cluster/');
    assert.deepEqual([...loadedBy('src/service/service.ts', false)].filter(isOfSeveral), []);
    assert.ok([...loadedBy('src/service/shard-member.ts', false)].some(isOfSeveral));
  });

  it('lets no source depend on a test or a benchmark', () => {
    assert.deepEqual(
      breaches(sources, (target) => !starts('test/', 'bench/')(target)),
      [],
    );
  });

  it('opens the public door of the streams to about forty names', () => {
    const names = (byPath.get('streams/index.ts')?.code.match(/[\w$]+(?=\s*[,}])/g) ?? []).length;
    assert.ok(names >= 30 && names <= 50, `${names} names`);
  });

  it('keeps sockets out of the client for browsers, and schemas out of the page', () => {
    assert.ok(![...loadedBy('src/client/browser.ts')].includes('ws'));
    const loaded = [...loadedBy('src/dashboard/main.tsx')];
    assert.ok(loaded.includes('src/dashboard/parts/app.tsx') && !loaded.includes('zod'));
    const pages = breaches(within('src/', 'test/'), (target) => !/^src\/dashboard\/.*\.tsx$/.test(target));
    assert.deepEqual(
      pages.filter((line) => !line.startsWith('src/dashboard/')),
      [],
    );
  });

  it('uses no private part of Node', () => {
    // In pieces, so that this file does not hold what it looks for.
    const parts = ['process\\.bin' + 'ding', '\\b_han' + 'dle\\b', 'getOwnProperty' + 'Symbols'];
    assert.deepEqual(
      findings(files, new RegExp(parts.join('|')), ({ code }) => code),
      [],
    );
  });

  it('exports nothing that no other file uses', () => {
    const doors = starts(
      'src/index.ts',
      'src/main.ts',
      'streams/index.ts',
      'src/client/exports.ts',
      'src/client/browser.ts',
      'src/client/node.ts',
    );
    const declared = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
    const idle = sources
      .filter(({ path }) => !doors(path))
      .flatMap(({ path, code }) => {
        const users = files.filter(({ imports }) => imports.some(({ target }) => target === path));
        return [...code.matchAll(declared)]
          .map(([, name = '']) => name)
          .filter(
            (name) =>
              !users.some(
                (user) => /export \* from/.test(user.code) || new RegExp(`\\b${name}\\b`).test(user.code),
              ),
          )
          .map((name) => `${path} ${name}`);
      });
    assert.deepEqual(idle, []);
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
