import { Command } from 'commander';
import { accountsCommand } from './accounts.ts';
import { alertsCommand } from './alerts.ts';
import { backtestCommand } from './backtest.ts';
import { backupCommand } from './backup.ts';
import { clusterCommand } from './cluster.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { EXIT_USAGE, reportFailure } from './failure.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { addManual } from './manual.ts';
import { paymentsCommand } from './payments.ts';
import type { ProcessLike } from './process-like.ts';
import { replayCommand } from './replay.ts';
import { startCommand } from './start.ts';
import { tapCommand } from './tap.ts';
import { packageVersion } from './version.ts';
import { worldCommand } from './world.ts';

function createProgram(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const program = new Command('tallywire').version(packageVersion(), '-V, --version', 'print the version');
  addManual(program, {
    summary: 'real-time intelligence for markets that settle on how many posts an account makes',
    description:
      'Everything read from the outside world is appended to one log; pure streams turn that log into counters ' +
      'and velocities; readers see the latest values. `tallywire COMMAND --help` describes a command.',
    examples: [
      ['tallywire start', 'try it: an embedded world, no account and no network needed'],
      ['tallywire tap counters', 'follow the counters of the engine that runs in this folder'],
    ],
    exitCodes: [
      [0, 'success'],
      [1, 'failed; stderr says why in one sentence'],
      [2, 'bad usage or configuration; every fault is listed'],
    ],
  });
  const commands = [
    startCommand(proc),
    worldCommand(proc),
    replayCommand(proc, exitWith),
    tapCommand(proc),
    backtestCommand(proc, exitWith),
    exportCommand(proc, exitWith),
    importCommand(proc),
    backupCommand(proc),
    doctorCommand(proc, exitWith),
    accountsCommand(proc),
    clusterCommand(proc, exitWith),
    keysCommand(proc),
    alertsCommand(proc),
    paymentsCommand(proc),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands, ...commands.flatMap((each) => each.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => proc.stdout.write(text),
      writeErr: (text) => proc.stderr.write(text),
      getOutHelpWidth: () => proc.stdout.columns ?? 100,
      outputError: (text, write) => write(`tallywire: ${text.replace(/^error: /, '').replace(/\n\(/, ' (')}`),
    });
  }
  return program;
}

/** Runs one command line; resolves to the exit code once the command has ended. */
export async function runProgram(args: readonly string[], proc: ProcessLike): Promise<number> {
  let code = 0;
  const program = createProgram(proc, (exitCode) => {
    code = exitCode;
  });
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return EXIT_USAGE;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return reportFailure(error, proc);
  }
}
