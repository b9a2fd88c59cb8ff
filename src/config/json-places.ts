/** A line and a column, both from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** The place of the character at an index, counted in code points as editors do. */
export function placeAt(text: string, index: number): Place {
  const lines = text.slice(0, index).split('\n');
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An array or an object that is open, and the path of what comes next in it. */
interface Open {
  readonly path: string;
  /** Undefined in an object. */
  index: number | undefined;
  key: string;
}

/** Where everything in a valid JSON text stands, by its path, such as `accounts[2].id`. What has a name stands at its name. */
export function jsonPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const open: Open[] = [];
  let isKey = false;
  const pathHere = () => {
    const last = open.at(-1);
    if (last === undefined) return '';
    if (last.index !== undefined) return `${last.path}[${last.index}]`;
    return last.path === '' ? last.key : `${last.path}.${last.key}`;
  };
  const found = (at: number) => {
    const path = pathHere();
    if (!places.has(path)) places.set(path, placeAt(text, at));
  };
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const last = open.at(-1);
    if (token === '}' || token === ']') {
      open.pop();
      isKey = false;
    } else if (token === ',') {
      if (last?.index !== undefined) last.index += 1;
      else isKey = true;
    } else if (token === ':') {
      isKey = false;
    } else if (isKey && last !== undefined) {
      last.key = String(JSON.parse(token));
      found(at);
    } else {
      found(at);
      if (token === '{' || token === '[') {
        open.push({ path: pathHere(), index: token === '[' ? 0 : undefined, key: '' });
        isKey = token === '{';
      }
    }
  }
  return places;
}

/** The place of a path, or else of the nearest thing that holds it. */
export function placeOf(places: ReadonlyMap<string, Place>, path: string): Place | undefined {
  for (let part = path; ; part = part.replace(/(?:^|\.)[^.[\]]*$|\[\d+\]$/, '')) {
    const place = places.get(part);
    if (place !== undefined || part === '') return place;
  }
}
