#!/usr/bin/env node
import { runProgram } from './cli/program.ts';

// A reader that closes the pipe must not end the process by an unhandled error: commands handle it themselves.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await runProgram(process.argv.slice(2), process);
// The last text may still be on its way into a pipe.
process.stdout.write('', () => process.exit(code));
