import { ZodError } from 'zod';
import { type Answer, type Handler, jsonBody, ok } from '../wire/answer.ts';
import { ControlError } from './actions.ts';
import type { WorldControl } from './control.ts';

/** `POST /control/<verb>`, `GET /control/state`, `GET /control/addresses`. */
export function createControlRest(control: WorldControl, addresses: () => unknown): Handler {
  function run(verb: string, body: unknown): Answer {
    try {
      return ok({ ok: true, result: control.run(verb, body) });
    } catch (error) {
      if (error instanceof ControlError) return { status: 404, body: { ok: false, error: error.message } };
      if (error instanceof ZodError) return { status: 400, body: { ok: false, error: error.issues } };
      throw error;
    }
  }

  return (request) => {
    const name = request.path[0] ?? '';
    if (request.method === 'POST') return run(name, request.body === '' ? {} : jsonBody(request));
    if (name === 'state') return ok(control.state());
    if (name === 'addresses') return ok(addresses());
    return { status: 404, body: { ok: false, error: `nothing at ${name}` } };
  };
}
