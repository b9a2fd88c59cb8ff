import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FileEndpoint } from './answer.ts';
import { staticFile } from './static-content.ts';

/** The encodings of a file, the smallest first; `identity` is the file itself. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A public file in the smallest encoding that the caller accepts. Each is made or read when it is first asked for. */
export function encodedFile(
  path: string,
  type: string,
  headers: Readonly<Record<string, string>>,
  load: (encoding: Encoding) => Promise<Buffer>,
): FileEndpoint {
  const answers = new Map(
    ENCODINGS.map((encoding) => {
      const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
      const all = { ...headers, ...encoded, Vary: 'Accept-Encoding' };
      return [encoding, staticFile(() => load(encoding), type, all)] as const;
    }),
  );
  return {
    method: 'GET',
    path,
    access: 'open',
    async answer(call, _tier, ctx) {
      // A caller that accepts none of them gets the file itself.
      const encoding = ENCODINGS.find((each) => ctx.acceptsEncodings(each) === each) ?? 'identity';
      const answer = answers.get(encoding);
      if (answer === undefined) throw new TypeError(`no file in the encoding ${encoding}`);
      return answer(call);
    },
  };
}

/** Hardly larger than at the highest quality, which takes many times as long. */
const BROTLI_QUALITY = 9;

const compress = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
  identity: async (bytes: Buffer) => bytes,
} as const;

/** Loads a file in any encoding, for one that the build did not compress. */
export function compressed(load: () => Promise<Buffer>): (encoding: Encoding) => Promise<Buffer> {
  return async (encoding) => compress[encoding](await load());
}
