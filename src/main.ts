#!/usr/bin/env node
import { runProgram } from './cli/program.ts';

// A reader that goes away ends what writes to it, not the process: commands see to that themselves.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await runProgram(process.argv.slice(2), process);
// What was written last may still be on its way into a pipe.
process.stdout.write('', () => process.exit(code));
