/** Names are parts of subjects and of stream names, so they have only what both allow. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function checkName(name: string): string {
  if (!NAME.test(name)) {
    throw new RangeError(`"${name}" is no name: it has 1 to 64 letters, digits, hyphens and underscores`);
  }
  return name;
}
