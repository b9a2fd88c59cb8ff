import fc from 'fast-check';

/** One change to a payload: the number of the value that is changed, and how. */
interface Mutation {
  readonly place: number;
  readonly how: 'delete' | 'replace' | 'duplicate';
  readonly value: unknown;
}

const HOSTILE = [
  null,
  true,
  '',
  'NaN',
  'Infinity',
  '-0.1',
  '1.0000001',
  '0x10',
  '12abc',
  '1e400',
  '2026-02-30T00:00:00Z',
  '\ud800',
  '[1,2',
  '[]',
  '{}',
  -1,
  0,
  1.5,
  1.7,
  1e300,
  2 ** 60,
  Number.POSITIVE_INFINITY,
  [],
  {},
  [null],
];

const anyValueMutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  how: fc.constantFrom('delete', 'replace', 'replace', 'replace', 'duplicate'),
  value: fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue({ maxDepth: 2 })),
});

/** The bytes of a payload after one to three mutations, cut short or with another byte; or random bytes. */
export function anyMutation(payload: unknown): fc.Arbitrary<Buffer> {
  const json = JSON.stringify(payload);
  const mutated = fc.array(anyValueMutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
    let value: unknown = JSON.parse(json);
    for (const mutation of mutations) value = mutate(value, mutation);
    return Buffer.from(toJson(value));
  });
  const truncated = fc.nat({ max: json.length }).map((length) => Buffer.from(json.slice(0, length)));
  const withOtherByte = fc
    .tuple(fc.nat({ max: json.length - 1 }), fc.integer({ min: 0, max: 255 }))
    .map(([at, byte]) => {
      const bytes = Buffer.from(json);
      bytes[at] = byte;
      return bytes;
    });
  const noise = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof(
    { weight: 12, arbitrary: mutated },
    { weight: 1, arbitrary: truncated },
    { weight: 2, arbitrary: withOtherByte },
    { weight: 1, arbitrary: noise },
  );
}

// JSON has no Infinity, but a number too large for it parses to that.
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) => (inner === Number.POSITIVE_INFINITY ? '<1e400>' : inner));
  return (text ?? '').replaceAll('"<1e400>"', '1e400');
}

function mutate(root: unknown, { place, how, value }: Mutation): unknown {
  const places: { readonly holder: unknown[] | Record<string, unknown>; readonly key: string }[] = [];
  collect(root, places);
  const target = places[place % Math.max(1, places.length)];
  if (target === undefined) return value;
  const { holder, key } = target;
  if (Array.isArray(holder)) {
    const index = Number(key);
    if (how === 'delete') holder.splice(index, 1);
    else if (how === 'duplicate') holder.splice(index, 0, holder[index]);
    else holder[index] = value;
  } else if (how === 'delete') delete holder[key];
  else if (how === 'replace') holder[key] = value;
  else holder[`${key}2`] = holder[key];
  return root;
}

function collect(
  value: unknown,
  places: { readonly holder: unknown[] | Record<string, unknown>; readonly key: string }[],
): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as unknown[] | Record<string, unknown>;
  for (const [key, inner] of Object.entries(holder)) {
    places.push({ holder, key });
    collect(inner, places);
  }
}
