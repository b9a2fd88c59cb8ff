import assert from 'node:assert/strict';
import { Ajv, type ValidateFunction } from 'ajv';
import * as z from 'zod';
import { asyncApiDocument } from '../../src/contract/asyncapi/document.ts';
import { ACCOUNTS } from './accounts.ts';

/** Compares frames of the feed with the AsyncAPI document: anything that is not in it must not be sent. */

const { components } = z
  .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
  .parse(asyncApiDocument(ACCOUNTS));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'feed', ...Object(closed({ components })) });
const validators = new Map<string, ValidateFunction>();
const Head = z.object({ type: z.string(), channel: z.string().optional() });

/** Clients ignore fields they do not know, but we send none that is not described. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === 'examples' ? value : closed(value),
  ]);
  const isRecord = 'properties' in node && 'type' in node && node.type === 'object';
  return { ...Object.fromEntries(entries), ...(isRecord ? { additionalProperties: false } : {}) };
}

/** Throws when a frame, of either direction, is not as the message of this name. */
export function checkMessage(name: string, frame: unknown): void {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `feed#/components/schemas/${name}` });
    validators.set(name, validate);
  }
  if (!validate(frame))
    assert.fail(`${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(frame).slice(0, 500)}`);
}

/** Throws unless the document describes the frame of the server. */
export function checkFrame(text: string, frame: unknown = JSON.parse(text)): void {
  const { type, channel } = Head.parse(frame);
  checkMessage(messageName(type, channel), frame);
}

function messageName(type: string, channel: string | undefined): string {
  if (type === 'snapshot') return `${channel}Snapshot`;
  return type === 'update' ? `${channel}Update` : type;
}
