import assert from 'node:assert/strict';
import * as z from 'zod';
import { packageVersion } from '../../src/cli/version.ts';
import { asyncApiDocument } from '../../src/contract/asyncapi/document.ts';
import { openApiDocument } from '../../src/contract/openapi/document.ts';

describe('packageVersion', () => {
  it('is the version of both interface documents', () => {
    for (const document of [openApiDocument([]), asyncApiDocument([])]) {
      const { info } = z.object({ info: z.object({ version: z.string() }) }).parse(document);
      assert.equal(info.version, packageVersion());
    }
  });
});
