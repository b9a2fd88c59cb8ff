import type { PartFinding, UnreadableRows } from './copy-parts.ts';

/** What is wrong with a part, as a sentence. */
export function describeFinding({ part, badRows, bad, unreadable, faults }: PartFinding): string {
  const said: string[] = [];
  if (badRows > 0) {
    const more = badRows > bad.length ? ' and others' : '';
    said.push(`${badRows} rows do not match their checksum (${bad.join(', ')}${more})`);
  }
  if (unreadable !== null) said.push(describeUnreadable(unreadable));
  said.push(...faults.map((fault) => fault.replace(`${part}: `, '')));
  return `${part}: ${said.join('; ')}`;
}

function describeUnreadable({ after, before, reason }: UnreadableRows): string {
  const from = after === null ? 'from the first row on' : `after ${String(after)}`;
  const to = before === null ? 'to the end' : `before ${String(before)}`;
  return `rows cannot be read ${from} ${to} (${reason})`;
}
